package docs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty-yaml"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
	testprogram "github.com/touchstone-eval/touchstone/internal/testing/program"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Every example in a page is run, or states why it cannot be. The commands of a
// page run one after the other in one copy of the repository; the pages share
// a store, except those that say that they begin with an empty one. A page with a
// mark thorough takes two seconds of processor time or more.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the pipeline")
	}
	program := testprogram.Path(t, testprogram.Touchstone)
	store, env := t.TempDir(), environ(t, filepath.Dir(program))
	for _, page := range pages(t) {
		found := blocks(t, page)
		if len(found) == 0 {
			continue
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(page), "../"), func(t *testing.T) {
			t.Parallel()
			if reason, ok := found[0].mark("thorough"); ok {
				level.Thorough(t, reason)
			}
			s := &session{t: t, page: page, store: store, env: env}
			for _, b := range found {
				s.block(b)
			}
			s.exited(0)
		})
	}
}

// session runs the blocks of one page.
type session struct {
	t           *testing.T
	page, store string
	env         []string
	line        int // of the block at hand
	work, dir   string
	code        int // the exit code of the last command
	last        string
}

func (s *session) errorf(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf(s.page+":"+strconv.Itoa(s.line)+": "+format, args...)
}

// block checks one block by its language.
func (s *session) block(b block) {
	s.line = b.line
	if reason, ok := b.mark("not run"); ok {
		s.t.Logf("%s:%d is not run: %s", s.page, b.line, reason)
		return
	}
	for _, m := range b.marks {
		switch m.name {
		case "store":
			s.store = s.t.TempDir()
		case "setup":
			s.exited(0)
			if s.run(m.value); s.code != 0 {
				s.errorf("the setup %q ended with %d:\n%s", m.value, s.code, s.out())
				s.code = 0
			}
		case "file":
			s.write(m.value, b.text)
		}
	}
	_, isFile := b.mark("file")
	switch b.lang {
	case "console":
		s.console(b.text)
	case "hcl":
		if _, diags := hclsyntax.ParseConfig([]byte(b.text), s.page, hcl.InitialPos); diags.HasErrors() {
			s.errorf("%v", diags)
		}
	case "json":
		s.json(b)
	case "yaml":
		if _, err := yaml.Standard.ImpliedType([]byte(b.text)); err != nil {
			s.errorf("%v", err)
		}
	case "go":
		s.source(b)
	case "sh", "python":
		if !isFile {
			s.errorf("a script needs a mark file, and a command that runs it, or the mark not run with the reason")
		}
	case "text", "mermaid":
		if unrunCommand.MatchString(b.text) {
			s.errorf("the block holds commands: make it a console block")
		}
	default:
		s.errorf("there is no rule for checking a block of %q; see CONTRIBUTING.md", b.lang)
	}
}

var unrunCommand = regexp.MustCompile(`(?m)^\s*(\$ |touchstone |go run |dagger )`)

// documented are the contracts that a JSON block can name by a mark schema.
var documented = map[string]func([]byte) error{
	"baseline":         decodes[contracts.Baseline],
	"candidate":        decodes[contracts.Candidate],
	"corpus":           decodes[contracts.Corpus],
	"detector-request": decodes[contracts.DetectorRequest],
	"detector-verdict": decodes[contracts.DetectorVerdict],
	"golden":           decodes[contracts.GoldenSet],
	"proxy-config":     decodes[contracts.ProxyConfig],
	"search-answer":    decodes[contracts.SearchAnswer],
	"search-reply":     decodes[contracts.SearchReply],
	"search-request":   decodes[contracts.SearchRequest],
}

func decodes[T any](data []byte) error {
	_, err := contracts.Decode[T]("the block", data)
	return err
}

func (s *session) json(b block) {
	if !json.Valid([]byte(b.text)) {
		s.errorf("this is not JSON")
		return
	}
	if check, ok := b.mark("flagged"); ok && !slices.Contains(s.raised(b), check) {
		s.errorf("%s raises no signal for this", check)
	}
	if check, ok := b.mark("not flagged"); ok && len(s.raised(b)) > 0 {
		s.errorf("this example of what %s does not report raises a signal: %v", check, s.raised(b))
	}
	name, ok := b.mark("schema")
	if !ok {
		return
	}
	decode := documented[name]
	if decode == nil {
		s.errorf("no schema is called %s here", name)
	} else if err := decode([]byte(b.text)); err != nil {
		s.errorf("%v", err)
	}
}

// source holds a block of Go to the file that it was taken from.
func (s *session) source(b block) {
	file, ok := b.mark("from")
	if !ok {
		s.errorf("a block of Go needs a mark from, which names the test file that runs it")
		return
	}
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
	if err != nil {
		s.errorf("%v", err)
	} else if !strings.Contains(unindented(string(text)), unindented(b.text)) {
		s.errorf("%s does not hold these lines in this order", file)
	}
}

// raised returns the checks that raise a signal for the tools of a block. Of two tools
// with the same server and name the first is the approved version.
func (s *session) raised(b block) (checks []string) {
	var tools []scanner.Tool
	if err := json.Unmarshal([]byte(b.text), &tools); err != nil {
		s.errorf("%v", err)
		return nil
	}
	var approved []scanner.Tool
	for i := range tools[1:] {
		if tools[i].Server == tools[i+1].Server && tools[i].Name == tools[i+1].Name {
			approved, tools = tools[:i+1], tools[i+1:]
			break
		}
	}
	sc, err := scanner.New(scanner.WithBaseline(approved))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range sc.Scan(tools).Findings {
		checks = append(checks, f.CheckIDs()...)
	}
	return checks
}

func unindented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// console runs the commands of a block and compares what they print. A line
// "..." in the expected output stands for any lines, and "..." within a line
// for any text. Several blanks count as one. A command without output in the
// page may print anything. A page shows standard output alone, or all of one
// stream before the other: how the two interleave is up to the scheduler.
func (s *session) console(text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for len(lines) > 0 {
		command, ok := strings.CutPrefix(lines[0], "$ ")
		if !ok {
			s.errorf("%q is neither a command, which begins with \"$ \", nor the output of one", lines[0])
			return
		}
		lines = lines[1:]
		for strings.HasSuffix(command, `\`) && len(lines) > 0 {
			command += "\n" + lines[0]
			lines = lines[1:]
		}
		n := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "$ ") })
		if n < 0 {
			n = len(lines)
		}
		want := lines[:n]
		lines = lines[n:]
		if !strings.Contains(command, "$?") {
			s.exited(0)
		}
		stdout, stderr := s.run(command)
		if len(want) > 0 && !printed(want, stdout) && !printed(want, stdout+stderr) && !printed(want, stderr+stdout) {
			s.errorf("$ %s\nprints\n%s%s\nand not\n%s", command, stdout, stderr, strings.Join(want, "\n"))
		}
	}
}

// exited wants the last command to have ended with a code. A page shows any
// other code than 0 by a command that prints $?.
func (s *session) exited(want int) {
	s.t.Helper()
	if s.code != want {
		s.errorf("%q ended with %d: if it should, show that with \"$ echo $?\"\n%s", s.last, s.code, s.out())
	}
	s.code = want
}

func (s *session) out() string {
	b, _ := os.ReadFile(filepath.Join(s.work, "out"))
	return string(b)
}

// printed reports whether output matches a page.
func printed(want []string, output string) bool {
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for _, line := range want {
		line = spaces.ReplaceAllString(strings.TrimRight(line, " "), " ")
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(.*\n)*?`)
			continue
		}
		parts := strings.Split(line, "...")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		pattern.WriteString(strings.Join(parts, `.*`) + `[ \t]*\n`)
	}
	pattern.WriteString(`\n*$`)
	output = spaces.ReplaceAllString(strings.TrimRight(output, "\n"), " ") + "\n"
	return regexp.MustCompile(pattern.String()).MatchString(output)
}

// spaces align columns: how many there are depends on the widest entry.
var spaces = regexp.MustCompile(`[ \t]+`)

// run runs a command in the session's directory and returns what it wrote to
// standard output and to standard error.
func (s *session) run(command string) (stdout, stderr string) {
	s.t.Helper()
	if s.work == "" {
		s.work = s.t.TempDir()
		s.dir = filepath.Join(s.work, "touchstone")
		copyRepository(s.t, s.dir)
	}
	place := filepath.Join(s.work, "place")
	script := "(exit " + strconv.Itoa(s.code) + ")\n" + command + "\ncode=$?\npwd >'" + place + "'\nexit $code\n"
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = append(slices.Clone(s.env), "HOME="+s.work, "TOUCHSTONE_CACHE="+s.store)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		s.code = exit.ExitCode()
	case err != nil:
		s.t.Fatal(err)
	default:
		s.code = 0
	}
	s.last = command
	if b, err := os.ReadFile(place); err == nil {
		s.dir = strings.TrimSpace(string(b))
	}
	if err := os.WriteFile(filepath.Join(s.work, "out"), slices.Concat(out.Bytes(), errs.Bytes()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return out.String(), errs.String()
}

// write puts a block into a file of the session.
func (s *session) write(name, text string) {
	s.run("true")
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// environ is the environment of a reader who has Go, and in bin the
// programs that the pages install.
func environ(t *testing.T, bin string) []string {
	t.Helper()
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "TOUCHSTONE_") && name != "HOME" && name != "PATH" {
			env = append(env, e)
		}
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(out))
	return append(env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOCACHE="+dirs[0], "GOMODCACHE="+dirs[1], "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Reader", "GIT_AUTHOR_EMAIL=reader@example.com",
		"GIT_COMMITTER_NAME=Reader", "GIT_COMMITTER_EMAIL=reader@example.com")
}

// copyRepository copies the working tree, without what is not in a clone and without the
// source of the command, which the pages find built. Creating these 1,500 files for each
// page took a tenth of the test's processor time.
func copyRepository(t *testing.T, to string) {
	t.Helper()
	const root = ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (d.Name() == ".git" || name == "reports"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		case filepath.Ext(name) == ".go" && !strings.HasPrefix(filepath.ToSlash(name), "examples/"):
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), b, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}
