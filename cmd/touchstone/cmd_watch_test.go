package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/internal/testing/load"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// watchedTree creates a small evaluation: the project's pipeline with four tools and
// four queries.
func watchedTree(t *testing.T) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	script, err := os.ReadFile("testdata/script/compare.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"corpus.json", "golden.json", "small.hcl", "datasets/lock.json"} {
		_, text, ok := strings.Cut(string(script), "-- "+name+" --\n")
		if !ok {
			t.Fatalf("the script has no %s", name)
		}
		text, _, _ = strings.Cut(text, "\n-- ")
		saveText(t, filepath.Join(dir, name), text+"\n")
	}
	for from, to := range map[string]string{"../../pipeline.hcl": "pipeline.hcl", "../../variables.hcl": "variables.hcl", "../../proxy.hcl": "proxy.hcl", "../../datasets/security_v1.json": "security.json"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		saveText(t, filepath.Join(dir, to), string(text))
	}
	return dir, []string{"--var-file", "small.hcl", "--cache-dir", t.TempDir(), "watch", "--until", "aggregate"}
}

func saveText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// editFile replaces a text, which must exist, in the same way as editors: a new file
// replaces the old one.
func editFile(t *testing.T, path, old, new string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not contain %q", path, old)
	}
	saveText(t, path+"~", strings.ReplaceAll(string(text), old, new))
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	w := startWatchJSON(t)
	first := w.next(t, "the first run")
	if first.Metrics["recall_at_1"] != 1 || first.Error != "" || !slices.Contains(executedStages(first), "build-proxy") {
		t.Fatalf("first run: %+v, executed %v", first, executedStages(first))
	}

	// A change of a file that no stage reads is ignored: the next line is for the edit.
	saveText(t, filepath.Join(w.dir, "notes.txt"), "whatever")
	editFile(t, filepath.Join(w.dir, "corpus.json"), "Call everybody to dinner with the big bell.", "A thing of bronze.")
	line := w.next(t, "an edited corpus")
	if !slices.Contains(line.Changed, "corpus.json") || line.Metrics["recall_at_1"] != .75 || !cmp.Equal(line.Lost, []string{"q2"}) {
		t.Errorf("after an edit of the corpus: %+v", line)
	}
	// The pipeline may get more stages, so only these two are checked.
	if got := executedStages(line); !slices.Contains(got, "score-retrieval") || slices.Contains(got, "build-proxy") || slices.Contains(got, "score-security") {
		t.Errorf("an edit of the corpus ran %v", got)
	}
	w.halfSaved(t)
	w.refused(t)
	w.interrupt(t)
}

// watchProcess is a process of "watch --json" and the lines that it writes.
type watchProcess struct {
	dir    string
	cmd    *exec.Cmd
	lines  chan watchJSON
	stderr bytes.Buffer
}

// startWatchJSON starts the process with a separate tree.
func startWatchJSON(t *testing.T) *watchProcess {
	bin := program.Path(t, program.Touchstone)
	dir, args := watchedTree(t)
	w := &watchProcess{dir: dir, cmd: exec.Command(bin, append([]string{"--json"}, args...)...), lines: make(chan watchJSON)}
	w.cmd.Dir = dir
	w.cmd.Stderr = &w.stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	go func() {
		defer close(w.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			var line watchJSON
			if json.Unmarshal(s.Bytes(), &line) != nil {
				t.Errorf("no JSON: %s", s.Text())
			}
			w.lines <- line
		}
	}()
	return w
}

// next waits for the next line. what describes the expected line in a failure.
func (w *watchProcess) next(t *testing.T, what string) watchJSON {
	t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			t.Fatalf("%s: it ended\n%s", what, &w.stderr)
		}
		return line
	case <-time.After(load.Stretch(2 * time.Minute)):
		t.Fatalf("%s: nothing came", what)
		return watchJSON{}
	}
}

// executedStages lists the stages that ran, sorted.
func executedStages(line watchJSON) []string {
	names := []string{}
	if line.Run != nil {
		for _, s := range line.Run.Stages {
			if s.Status == "RAN" || s.Status == "FAILED" {
				names = append(names, s.Stage)
			}
		}
	}
	slices.Sort(names)
	return names
}

// halfSaved saves a partial pipeline, and then the complete one.
func (w *watchProcess) halfSaved(t *testing.T) {
	// The error of a partially saved file is shown once.
	whole, err := os.ReadFile(filepath.Join(w.dir, "pipeline.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	saveText(t, filepath.Join(w.dir, "pipeline.hcl"), string(whole[:len(whole)/2]))
	if line := w.next(t, "half a pipeline"); !strings.Contains(line.Error, "pipeline.hcl") || line.Run != nil {
		t.Errorf("half a pipeline: %+v", line)
	}
	saveText(t, filepath.Join(w.dir, "pipeline.hcl"), string(whole))
	if line := w.next(t, "the whole pipeline"); line.Error != "" || len(executedStages(line)) != 0 || line.Metrics["recall_at_1"] != .75 {
		t.Errorf("the whole pipeline again: %+v", line)
	}
}

// refused saves an invalid dataset, and then the previous one.
func (w *watchProcess) refused(t *testing.T) {
	// An invalid dataset fails its stage, and the next save corrects it.
	editFile(t, filepath.Join(w.dir, "golden.json"), "yard:ring", "yard:rung")
	if line := w.next(t, "a dangling label"); !strings.Contains(line.Error, "validate-datasets") || !cmp.Equal(executedStages(line), []string{"validate-datasets"}) {
		t.Errorf("a dangling label: %+v", line)
	}
	editFile(t, filepath.Join(w.dir, "golden.json"), "yard:rung", "yard:ring")
	editFile(t, filepath.Join(w.dir, "corpus.json"), "A thing of bronze.", "Call everybody to dinner with the big bell.")
	line := w.next(t, "all as it was")
	for line.Metrics["recall_at_1"] != 1 { // the two saves may lead to separate runs
		line = w.next(t, "all as it was")
	}
	if !cmp.Equal(line.Won, []string{"q2"}) || len(executedStages(line)) != 0 {
		t.Errorf("all as it was: %+v, executed %v", line, executedStages(line))
	}
}

// interrupt ends the process like Ctrl-C.
func (w *watchProcess) interrupt(t *testing.T) {
	if err := w.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for line := range w.lines {
		t.Errorf("a line after the interrupt: %+v", line)
	}
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("an interrupt is no failure: %v\n%s", err, &w.stderr)
	}
	if strings.Contains(w.stderr.String(), "interrupted") {
		t.Errorf("it complains of the interrupt:\n%s", &w.stderr)
	}
}

// startWatch watches the pipeline of a directory and collects the output.
func startWatch(t *testing.T, dir string) (*exec.Cmd, *syncBuffer) {
	t.Helper()
	bin := program.Path(t, program.Touchstone)
	cmd := exec.Command(bin, "--cache-dir", t.TempDir(), "watch", "--progress", "quiet")
	cmd.Dir = dir
	said := &syncBuffer{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, said
}

// endWatch interrupts a watch, which is not a failure.
func endWatch(t *testing.T, cmd *exec.Cmd, said *syncBuffer) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, said)
	}
}

// The source of a proxy is also watched, with new directories.
func TestWatchSource(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	saveText(t, filepath.Join(dir, "src", "main.txt"), "one")
	saveText(t, filepath.Join(dir, "pipeline.hcl"), `stage "build" {
  inputs  = { source = "src/" }
  outputs = { all = "out/all" }
  command = ["sh", "-c", "sleep 0.2; find in/source -type f | sort | xargs cat >out/all"]
}
`)
	cmd, said := startWatch(t, dir)
	said.waitFor(t, "watching; interrupt to stop", "1 executed, 0 up to date")
	editFile(t, filepath.Join(dir, "src", "main.txt"), "one", "two")
	said.waitFor(t, "changed: src/main.txt", "1 executed")
	saveText(t, filepath.Join(dir, "src", "deep", "er", "new.txt"), "three")
	said.waitFor(t, "changed: src/deep", "1 executed")
	editFile(t, filepath.Join(dir, "src", "deep", "er", "new.txt"), "three", "four")
	said.waitFor(t, "new.txt", "1 executed")
	if err := os.RemoveAll(filepath.Join(dir, "src", "deep")); err != nil {
		t.Fatal(err)
	}
	said.waitFor(t, "changed: src/deep", "nothing to do")
	endWatch(t, cmd, said)
	if strings.Contains(said.String(), "\x1b") {
		t.Error("it draws on what is no terminal")
	}
}

// Files and directories that the pipeline's functions read are watched, also after a
// directory was replaced.
func TestWatchFunctionsAndDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	saveText(t, path("words/say.txt"), "one")
	saveText(t, path("sets/en/a.txt"), "a")
	saveText(t, path("data/deep/x.txt"), "x")
	saveText(t, path("pipeline.hcl"), `stage "say" {
  command = ["echo", file("words/say.txt"), fileexists("later/on.txt") ? "later" : "never"]
}
stage "each" {
  matrix {
    of = [for f in fileset("sets", "**/*.txt") : trimsuffix(basename(f), ".txt")]
  }
  command = ["echo", matrix.of]
}
stage "copy" {
  inputs  = { x = "data/deep/x.txt" }
  command = ["cat", input.x]
}
`)
	cmd, said := startWatch(t, dir)
	said.waitFor(t, "3 executed")
	editFile(t, path("words/say.txt"), "one", "two")
	said.waitFor(t, "changed: words/say.txt", "1 executed")
	saveText(t, path("sets/en/b.txt"), "b")
	said.waitFor(t, "changed: sets/en/b.txt", "1 executed")
	for _, whole := range []string{"data", "data/deep"} {
		saveText(t, path(strings.Replace("data/deep/x.txt", whole, "new", 1)), "in another "+whole)
		for _, move := range [][2]string{{whole, "old-" + filepath.Base(whole)}, {"new", whole}} {
			if err := os.Rename(path(move[0]), path(move[1])); err != nil {
				t.Fatal(err)
			}
		}
		said.waitFor(t, "changed: ", whole, "1 executed")
		editFile(t, path("data/deep/x.txt"), "another", "the other")
		said.waitFor(t, "changed: data/deep/x.txt", "1 executed")
	}
	endWatch(t, cmd, said)
}

// A new stage runs, even if nothing else changed. A stage whose program does not exist
// runs after the pipeline names another program.
func TestWatchNewStage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "pipeline.hcl")
	saveText(t, file, "stage \"one\" { command = [\"true\"] }\n# more\n")
	cmd, said := startWatch(t, dir)
	said.waitFor(t, "1 executed")
	editFile(t, file, "# more", "stage \"two\" { command = [\"true\"] }\n# more")
	said.waitFor(t, "changed: pipeline.hcl", "1 executed, 1 up to date")
	editFile(t, file, "# more", "stage \"three\" { command = [\"no-such-program\"] }")
	said.waitFor(t, "changed: pipeline.hcl", "no-such-program")
	editFile(t, file, "no-such-program", "true")
	said.waitFor(t, "changed: pipeline.hcl", "1 executed, 2 up to date")
	editFile(t, file, "stage \"three\" { command = [\"true\"] }", "")
	said.waitFor(t, "changed: pipeline.hcl", "nothing to do")
	endWatch(t, cmd, said)
}

// All files of a pipeline are watched: those in its directory, also new ones, and included
// files, also while one of them is invalid.
func TestWatchFilesOfAPipeline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(path("module"), 0o755); err != nil {
		t.Fatal(err)
	}
	saveText(t, path("pipeline.hcl"), "include \"m\" {\n  source = \"module\"\n  inputs = { word = var.word }\n}\n")
	saveText(t, path("variables.hcl"), "variable \"word\" { default = \"one\" }\n")
	saveText(t, path("module/pipeline.hcl"), "variable \"word\" {}\nstage \"s\" { command = [\"echo\", var.wrod] }\n")
	cmd, said := startWatch(t, dir)
	said.waitFor(t, "Unknown variable", "module/pipeline.hcl line 2")
	editFile(t, path("module/pipeline.hcl"), "wrod", "word")
	said.waitFor(t, "changed: module/pipeline.hcl", "1 executed")
	editFile(t, path("variables.hcl"), "one", "two")
	said.waitFor(t, "changed: variables.hcl", "1 executed")
	saveText(t, path("more.hcl"), "stage \"more\" { command = [\"true\"] }\n")
	said.waitFor(t, "changed: more.hcl", "1 executed, 1 up to date")
	endWatch(t, cmd, said)
}

// On a terminal, the summary is redrawn, and Ctrl-C ends the command.
func TestWatchTerminal(t *testing.T) {
	t.Parallel()
	bin := program.Path(t, program.Touchstone)
	dir := t.TempDir()
	saveText(t, filepath.Join(dir, "verdict.json"), `{"passed": true}`)
	saveText(t, filepath.Join(dir, "pipeline.hcl"), `pipeline { verdict = stage.judge.verdict }
stage "judge" {
  inputs  = { verdict = "verdict.json" }
  outputs = { verdict = "out/verdict.json" }
  command = ["cp", input.verdict, output.verdict]
}
`)
	cmd := exec.Command(bin, "--cache-dir", t.TempDir(), "watch")
	cmd.Dir = dir
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Skip("there is no pseudoterminal: ", err)
	}
	defer terminal.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	said := &syncBuffer{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		for {
			n, err := terminal.Read(buf)
			_, _ = said.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	said.waitFor(t, "\x1b[H\x1b[2J", "the gate passed", "1 executed")
	editFile(t, filepath.Join(dir, "verdict.json"), "true", "false")
	said.waitFor(t, "\x1b[H\x1b[2J", "changed: verdict.json", "the gate FAILED")
	if _, err := terminal.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v\n%s", err, said)
	}
	<-done
}

// syncBuffer collects the output of a process. waitFor only searches the output since its
// last return.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
	seen int
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *syncBuffer) waitFor(t *testing.T, texts ...string) {
	t.Helper()
	for deadline := time.Now().Add(load.Stretch(2 * time.Minute)); ; time.Sleep(10 * time.Millisecond) {
		all := b.String()
		at, found := b.seen, true
		for _, text := range texts {
			i := strings.Index(all[at:], text)
			if found = i >= 0; !found {
				break
			}
			at += i + len(text)
		}
		if found {
			b.seen = at
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %q in\n%s", texts, all[b.seen:])
		}
	}
}
