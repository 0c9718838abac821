// Package conformance runs pipelines with both executors and the real command line, and
// compares all results: exit status, keys, errors, logs, records and every byte of every
// output. It ignores what differs between any two runs: times, peak memory, and the
// isolation of the stage.
//
// The tests need a running Dagger engine and are skipped without one.
package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger"
	"github.com/touchstone-eval/touchstone/internal/testprogram"
)

// busybox is the program of all stages. It is static, so that it runs in an otherwise
// empty root filesystem, and the same file for both executors.
const busybox = "/bin/busybox"

// touchstone returns the path of a static build of the command line.
func touchstone(t *testing.T) string {
	t.Helper()
	return testprogram.Path(t, testprogram.Touchstone, "CGO_ENABLED=0")
}

func TestMain(m *testing.M) { os.Exit(testprogram.M{M: m}.Run()) }

// needEngine skips a test if there is no engine.
func needEngine(t *testing.T) {
	t.Helper()
	if os.Getenv("_EXPERIMENTAL_DAGGER_RUNNER_HOST") == "" && os.Getenv("DAGGER_SESSION_PORT") == "" {
		t.Skip("needs a running Dagger engine, named by _EXPERIMENTAL_DAGGER_RUNNER_HOST")
	}
	if err := dagger.Reach(t.Context()); err != nil {
		t.Skip(err)
	}
}

// world is a source tree, and a store and an image for each executor.
type world struct {
	t    *testing.T
	tree string
	root string // a root filesystem with busybox
	env  []string
}

func newWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	needEngine(t)
	w := &world{t: t, tree: t.TempDir(), root: rootfs(t)}
	for name, content := range files {
		w.write(name, content)
	}
	return w
}

func (w *world) write(name, content string) {
	w.t.Helper()
	file := filepath.Join(w.tree, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// rootfs returns a directory with busybox under all its names.
func rootfs(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(busybox)
	if err != nil {
		t.Skip("needs a static busybox: ", err)
	}
	root := t.TempDir()
	bin := filepath.Join(root, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "busybox"), b, 0o755); err != nil {
		t.Fatal(err)
	}
	names, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		if err := os.Symlink("busybox", filepath.Join(bin, name)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	return root
}

// ended holds the results of a run.
type ended struct {
	code    int
	stages  []stage
	stderr  string
	events  []event
	store   string
	records map[string]*cache.Record
}

// stage and event are the parts of the command line's facts that both
// executors have in common.
type stage struct {
	Stage, Instance, Status, Key, Error, Cause string
}

type event struct {
	Event, Stage, Instance, Key, Error string
	Attempt                            int
	ExitCode                           int `json:"exit_code"`
}

// command returns the command line for an executor, with a separate cache.
func (w *world) command(executor, store string, args ...string) *exec.Cmd {
	w.t.Helper()
	file := touchstone(w.t)
	args = append([]string{
		"run", "--json", "--executor", executor, "--container-image", "dir:" + w.root, "--cache-dir", store,
		"--events", store + ".events",
	}, args...)
	cmd := exec.CommandContext(w.t.Context(), file, args...)
	cmd.Dir = w.tree
	cmd.Env = append(os.Environ(), w.env...)
	return cmd
}

func (w *world) run(executor, store string, args ...string) *ended {
	w.t.Helper()
	cmd := w.command(executor, store, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	e := &ended{code: cmd.ProcessState.ExitCode(), stderr: stderr.String(), store: store, records: map[string]*cache.Record{}}
	var facts struct{ Stages []stage }
	if err := json.Unmarshal(stdout.Bytes(), &facts); err != nil {
		w.t.Fatalf("%s: %v\n%s%s", executor, err, stdout.String(), stderr.String())
	}
	e.stages = facts.Stages
	e.events = readEvents(w.t, store+".events")
	s := openStore(w.t, store)
	if err := s.List(func(info cache.RecordInfo) error {
		rec, miss := s.Lookup(info.Key)
		if miss != nil {
			return errors.New(miss.Reason)
		}
		e.records[rec.Stage+"["+rec.Instance+"]"] = rec
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return e
}

func openStore(t *testing.T, dir string) *cache.Store {
	t.Helper()
	s, err := cache.Open(dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// readEvents returns the events in the order of stages, because neither executor defines
// the order of instances in one run.
func readEvents(t *testing.T, file string) []event {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var events []event
	for line := range bytes.Lines(b) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return strings.Compare(a.Stage+"["+a.Instance, b.Stage+"["+b.Instance)
	})
	return events
}

// both runs the tree with both executors and compares the results.
func (w *world) both(args ...string) (local, container *ended) {
	w.t.Helper()
	stores := w.t.TempDir()
	local = w.run("local", filepath.Join(stores, "local"), args...)
	container = w.run("dagger", filepath.Join(stores, "dagger"), args...)
	w.same(local, container)
	return local, container
}

func (w *world) same(local, container *ended) {
	t := w.t
	t.Helper()
	if local.code != container.code {
		t.Errorf("exit status %d locally and %d in containers:\n%s", local.code, container.code, container.stderr)
	}
	if d := cmp.Diff(local.stages, container.stages); d != "" {
		t.Errorf("stages differ (-local +dagger):\n%s%s", d, container.stderr)
	}
	if d := cmp.Diff(local.events, container.events); d != "" {
		t.Errorf("events differ (-local +dagger):\n%s", d)
	}
	if d := cmp.Diff(logLines(local.stderr), logLines(container.stderr)); d != "" {
		t.Errorf("failure logs differ (-local +dagger):\n%s", d)
	}
	if d := cmp.Diff(comparable(local.records), comparable(container.records)); d != "" {
		t.Errorf("records differ (-local +dagger):\n%s", d)
	}
	a, b := openStore(t, local.store), openStore(t, container.store)
	for name, rec := range local.records {
		if other := container.records[name]; other != nil {
			sameBytes(t, name, a, b, rec, other)
		}
	}
}

// comparable returns the records without the fields that differ between any two runs.
func comparable(records map[string]*cache.Record) map[string]cache.Record {
	m := map[string]cache.Record{}
	for name, r := range records {
		c := *r
		c.Started, c.Expires = c.Started.Truncate(0), c.Expires.Truncate(0)
		c.Started = c.Expires
		c.Duration, c.PeakMemory, c.Executor, c.Isolation = 0, 0, "", nil
		m[name] = c
	}
	return m
}

// sameBytes reads every blob of two records and compares them, to verify that equal
// digests mean equal bytes.
func sameBytes(t *testing.T, name string, a, b *cache.Store, x, y *cache.Record) {
	t.Helper()
	pairs := [][2]cache.Digest{{x.Stdout, y.Stdout}, {x.Stderr, y.Stderr}}
	for i := range min(len(x.Outputs), len(y.Outputs)) {
		if !x.Outputs[i].Dir {
			pairs = append(pairs, [2]cache.Digest{x.Outputs[i].Digest, y.Outputs[i].Digest})
			continue
		}
		left, err := a.Tree(x.Outputs[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		right, err := b.Tree(y.Outputs[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(left, right); d != "" {
			t.Errorf("%s: tree of %s differs:\n%s", name, x.Outputs[i].Name, d)
		}
	}
	for _, p := range pairs {
		left, err := a.Bytes(p[0])
		if err != nil {
			t.Fatal(err)
		}
		right, err := b.Bytes(p[1])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(left, right) {
			t.Errorf("%s: bytes differ: %.200q and %.200q", name, left, right)
		}
	}
}

// logLines returns the lines of failed stages' logs that the command line shows.
func logLines(stderr string) []string {
	var lines []string
	for line := range strings.Lines(stderr) {
		if strings.Contains(line, " | ") {
			lines = append(lines, line)
		}
	}
	return lines
}
