// Package conformance runs pipelines with all executors and the real command line, and
// compares the results of each with those of the local one: exit status, keys, errors, logs,
// records and every byte of every output. It ignores what differs between any two runs: times,
// peak memory, and the isolation of the stage.
//
// The tests of the dagger executor need a running engine and are skipped without one. Those of the
// remote executor use the server that TOUCHSTONE_REMOTE_EXECUTOR names. Its workers must be on this
// machine, because stages run a program that must be the same there. Without the variable, a small
// server of this process runs the stages.
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
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// busybox is the program of all stages. It is static, so that it runs in an otherwise
// empty root filesystem, and the same file for all executors.
const busybox = "/bin/busybox"

// touchstone returns the path of a static build of the command line.
func touchstone(t *testing.T) string {
	t.Helper()
	return program.Path(t, program.Touchstone)
}

func TestMain(m *testing.M) {
	code := program.M{M: m}.Run()
	if started != nil {
		started.Stop()
	}
	os.Exit(code)
}

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

// inEach runs a test with each executor other than the local one.
func inEach(t *testing.T, test func(t *testing.T, executor string)) {
	t.Run("dagger", func(t *testing.T) {
		needEngine(t)
		test(t, "dagger")
	})
	t.Run("remote", func(t *testing.T) { test(t, "remote") })
}

// envServer names a server with workers.
const envServer = "TOUCHSTONE_REMOTE_EXECUTOR"

// server returns the address of the server with workers.
func server(t *testing.T) string {
	t.Helper()
	if at := os.Getenv(envServer); at != "" {
		return at
	}
	m, err := ownServer()
	if err != nil {
		t.Fatal(err)
	}
	return m.Address
}

// started is the server that ownServer has started.
var started *remotetest.Memory

// ownServer starts a server once.
var ownServer = sync.OnceValues(func() (*remotetest.Memory, error) {
	m, err := remotetest.StartMemory()
	if err == nil {
		m.Workers = 8
		started = m
	}
	return m, err
})

// world is a source tree, and a store for each executor.
type world struct {
	t     *testing.T
	other string // the executor that is compared with the local one
	tree  string
	root  string // a root filesystem with busybox
	env   []string
}

func newWorld(t *testing.T, other string, files map[string]string) *world {
	t.Helper()
	w := &world{t: t, other: other, tree: t.TempDir(), root: rootfs(t)}
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
	flags := []string{"run", "--json", "--executor", executor, "--cache-dir", store, "--events", store + ".events"}
	environ := os.Environ()
	switch executor {
	case "dagger":
		environ = append(environ, "TOUCHSTONE_CONTAINER_IMAGE=dir:"+w.root)
	case "remote":
		environ = append(environ, "TOUCHSTONE_REMOTE_EXECUTOR="+server(w.t))
		// The worker compares what a stage needs with what it has, as this machine does. A server
		// would say that no worker has it, each in its own words.
		environ = append(environ, "TOUCHSTONE_REMOTE_PROPERTY=OSFamily= ISA= cpus= memory_mb=")
	}
	args = append(flags, args...)
	cmd := exec.CommandContext(w.t.Context(), file, args...)
	cmd.Dir = w.tree
	cmd.Env = append(environ, w.env...)
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
		if e.Event != "queued" && e.Event != "begun" { // local stages do not wait for a worker
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return strings.Compare(a.Stage+"["+a.Instance, b.Stage+"["+b.Instance)
	})
	return events
}

// both runs the tree with the local executor and the other one, and compares the results.
func (w *world) both(args ...string) (local, other *ended) {
	w.t.Helper()
	stores := w.t.TempDir()
	local = w.run("local", filepath.Join(stores, "local"), args...)
	other = w.run(w.other, filepath.Join(stores, w.other), args...)
	w.same(local, other)
	return local, other
}

func (w *world) same(local, other *ended) {
	t := w.t
	t.Helper()
	if local.code != other.code {
		t.Errorf("exit status %d locally and %d with the %s executor:\n%s", local.code, other.code, w.other, other.stderr)
	}
	if d := cmp.Diff(local.stages, other.stages); d != "" {
		t.Errorf("stages differ (-local +other):\n%s%s", d, other.stderr)
	}
	if d := cmp.Diff(local.events, other.events); d != "" {
		t.Errorf("events differ (-local +other):\n%s", d)
	}
	if d := cmp.Diff(logLines(local.stderr), logLines(other.stderr)); d != "" {
		t.Errorf("failure logs differ (-local +other):\n%s", d)
	}
	if d := cmp.Diff(comparable(local.records), comparable(other.records)); d != "" {
		t.Errorf("records differ (-local +other):\n%s", d)
	}
	a, b := openStore(t, local.store), openStore(t, other.store)
	for name, rec := range local.records {
		if rec2 := other.records[name]; rec2 != nil {
			sameBytes(t, name, a, b, rec, rec2)
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
		c.Reads = cache.Digest{} // of the machine, and only a local stage has them
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
