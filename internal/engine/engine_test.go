package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/local"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// world is a source tree, a store and an engine over them.
type world struct {
	t      *testing.T
	root   string
	store  *cache.Store
	engine *engine.Engine
	env    map[string]string
	mu     sync.Mutex
	events []engine.Event
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w := &world{t: t, root: filepath.Join(dir, "tree"), store: store, env: map[string]string{}}
	if err := os.Mkdir(w.root, 0o755); err != nil {
		t.Fatal(err)
	}
	index := store.OpenStatIndex("test")
	w.engine = &engine.Engine{
		Store: store, Index: index, Executor: local.Executor{Grace: 200 * time.Millisecond},
		Tools: &engine.HostTools{Index: index}, Project: "test", WorkDir: filepath.Join(dir, "work"), Jobs: 2,
		Now: time.Now,
		LookupEnv: func(name string) (string, bool) {
			v, ok := w.env[name]
			return v, ok
		},
		Events: func(e engine.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	return w
}

func (w *world) write(name, content string) string {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// sh returns an instance that runs a shell script and writes out/result.
func sh(stage, script string) *pipeline.Instance {
	return &pipeline.Instance{
		Stage: stage, Command: []string{"sh", "-c", script},
		Outputs: []pipeline.Output{{Name: "result", Path: "out/result"}},
		Network: pipeline.NetworkNone,
	}
}

func (w *world) source(in *pipeline.Instance, name, file string) *pipeline.Instance {
	in.Inputs = append(in.Inputs, pipeline.Input{
		Name: name, Path: "in/" + name,
		Files: []pipeline.SourceFile{{Source: filepath.Join(w.root, file), Label: file}},
	})
	return in
}

func after(in *pipeline.Instance, name string, upstream int) *pipeline.Instance {
	in.Inputs = append(in.Inputs, pipeline.Input{
		Name: name, Path: "in/" + name,
		From: []pipeline.UpstreamFile{{From: pipeline.OutputRef{Instance: upstream, Output: "result"}}},
	})
	in.Upstream = append(in.Upstream, upstream)
	return in
}

func (w *world) plan(instances ...*pipeline.Instance) *pipeline.Plan {
	return &pipeline.Plan{Name: "test", Root: w.root, Instances: instances}
}

func (w *world) run(plan *pipeline.Plan, opts engine.RunOptions) ([]*engine.Outcome, engine.Summary, error) {
	w.t.Helper()
	return w.engine.Run(context.Background(), plan, opts)
}

func (w *world) mustRun(plan *pipeline.Plan) engine.Summary {
	w.t.Helper()
	_, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return sum
}

func (w *world) output(o *engine.Outcome) string {
	w.t.Helper()
	out, ok := o.Output("result")
	if !ok {
		w.t.Fatalf("%s has no output", o.Instance)
	}
	b, err := w.store.Bytes(out.Digest)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func TestSecondRunIsAllHits(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "one\n")
	plan := w.plan(
		w.source(sh("upper", "tr a-z A-Z < in/a > out/result"), "a", "a.txt"),
		after(sh("twice", "cat in/u in/u > out/result"), "u", 0),
	)
	outcomes, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil || sum.Executed != 2 || sum.Hits != 0 {
		t.Fatalf("first run: %+v, %v", sum, err)
	}
	if got := w.output(outcomes[1]); got != "ONE\nONE\n" {
		t.Errorf("output = %q", got)
	}
	if sum := w.mustRun(plan); sum.Executed != 0 || sum.Hits != 2 {
		t.Errorf("second run: %+v", sum)
	}
}

// An upstream instance that runs again and writes the same outputs invalidates nothing.
func TestEarlyCutoff(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "b a\n")
	plan := w.plan(
		w.source(sh("first", "cut -d' ' -f1 in/a > out/result"), "a", "a.txt"),
		after(sh("second", "cp in/u out/result"), "u", 0),
	)
	w.mustRun(plan)
	w.write("a.txt", "b changed\n")
	outcomes, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil || sum.Executed != 1 || outcomes[1].State != engine.Hit {
		t.Errorf("%+v, second is %s, %v", sum, outcomes[1].State, err)
	}
}

func TestFailuresNameWhatIsWrong(t *testing.T) {
	tests := []struct {
		name, script, want string
		change             func(*pipeline.Instance)
	}{
		{"exit", "echo broken >&2; exit 7", "exit status 7", nil},
		{"missing", "echo x > out/other", "output result was not written: out/result is missing; the command wrote out/other", nil},
		{"directory for file", "mkdir out/result", "declared as a file, but out/result is a directory", nil},
		{"link for file", "ln -s /etc/hostname out/result", "out/result is a symbolic link", nil},
		{"file for directory", "echo x > out/result", "declared as a directory", func(in *pipeline.Instance) { in.Outputs[0].Dir = true }},
		{"fifo", "mkfifo out/result", "a named pipe", nil},
		{"escape by parent", "rmdir out && mkdir ../other && echo x > ../other/result && ln -s ../other out", "leads out of the stage's directory", nil},
		{"escape in directory", "mkdir out/result && ln -s /etc out/result/etc", "etc", func(in *pipeline.Instance) { in.Outputs[0].Dir = true }},
		{"no program", "", `program "no-such-program" is not in`, func(in *pipeline.Instance) { in.Command = []string{"no-such-program"} }},
		{"signal", "kill -KILL $$", "exit status 137", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			in := sh("s", tt.script)
			if tt.change != nil {
				tt.change(in)
			}
			plan := w.plan(in, after(sh("dependent", "cp in/u out/result"), "u", 0))
			outcomes, _, err := w.run(plan, engine.RunOptions{})
			var stage *engine.StageError
			if !errors.As(err, &stage) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want a StageError with %q", err, tt.want)
			}
			if outcomes[1].State != engine.Skipped || outcomes[1].Cause != "s" {
				t.Errorf("dependent is %s because of %q", outcomes[1].State, outcomes[1].Cause)
			}
			if _, sum, _ := w.run(plan, engine.RunOptions{}); sum.Hits != 0 {
				t.Errorf("a failed stage was a hit: %+v", sum)
			}
		})
	}
}

func TestTimeoutKillsTheWholeGroup(t *testing.T) {
	w := newWorld(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	in := sh("slow", fmt.Sprintf("trap '' TERM; sleep 300 & echo $! > %s; wait; sleep 300", pidFile))
	in.Timeout = 300 * time.Millisecond
	_, _, err := w.run(w.plan(in), engine.RunOptions{})
	var exit *engine.ExitError
	if !errors.As(err, &exit) || !exit.TimedOut || !strings.Contains(err.Error(), "timed out after 300ms") {
		t.Errorf("error = %v", err)
	}
	expectGone(t, pidFile)
}

func TestInterruptKillsAndStoresNothing(t *testing.T) {
	w := newWorld(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	plan := w.plan(sh("slow", fmt.Sprintf("echo $$ > %s; echo x > out/result; sleep 300", pidFile)))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if b, err := os.ReadFile(pidFile); err == nil && len(b) > 1 {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	outcomes, _, err := w.engine.Run(ctx, plan, engine.RunOptions{})
	if !errors.Is(err, context.Canceled) || outcomes[0].State != engine.Canceled {
		t.Errorf("state %s, error %v", outcomes[0].State, err)
	}
	expectGone(t, pidFile)
	evaluated, err := w.engine.Evaluate(context.Background(), plan)
	if err != nil || evaluated[0].State != engine.Miss {
		t.Errorf("after the interrupt: %s, %v", evaluated[0].State, err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.engine.WorkDir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func expectGone(t *testing.T, pidFile string) {
	t.Helper()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(b), &pid); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if p, err := os.FindProcess(pid); err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			return
		}
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(b), ") Z ") {
			return // dead, waiting for init to notice
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still alive", pid)
}

func TestRetries(t *testing.T) {
	w := newWorld(t)
	counter := filepath.Join(t.TempDir(), "n")
	in := sh("flaky", fmt.Sprintf("echo x >> %s; test $(wc -l < %s) -ge 3 && cp %s out/result", counter, counter, counter))
	in.Retries = 2
	outcomes, _, err := w.run(w.plan(in), engine.RunOptions{})
	if err != nil || outcomes[0].Attempts != 3 {
		t.Errorf("attempts = %d, error %v", outcomes[0].Attempts, err)
	}
}

func TestKeepGoing(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(
		sh("bad", "exit 1"),
		after(sh("behind", "cp in/u out/result"), "u", 0),
		sh("good", "echo ok > out/result"),
	)
	outcomes, sum, err := w.run(plan, engine.RunOptions{KeepGoing: true})
	if err == nil || sum.Executed != 1 || sum.Failures != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	for i, want := range []engine.State{engine.Failed, engine.Skipped, engine.Ran} {
		if outcomes[i].State != want {
			t.Errorf("%s is %s, want %s", outcomes[i].Instance, outcomes[i].State, want)
		}
	}
}

func TestOnlyDeclaredInputsAndEnvironment(t *testing.T) {
	t.Setenv("UNDECLARED", "leak")
	w := newWorld(t)
	w.write("a.txt", "a")
	w.write("b.txt", "b")
	in := w.source(sh("s", "{ find . -type f | sort; env | cut -d= -f1 | sort; } > out/result"), "a", "a.txt")
	in.Env = []pipeline.EnvVar{{Name: "DECLARED", Value: "1"}}
	outcomes, _, err := w.run(w.plan(in), engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := w.output(outcomes[0])
	if strings.Contains(got, "b.txt") || strings.Contains(got, "UNDECLARED") {
		t.Errorf("the stage saw more than it declared:\n%s", got)
	}
	for _, want := range []string{"./in/a\n", "DECLARED\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
}

func TestStagesCannotChangeTheTree(t *testing.T) {
	w := newWorld(t)
	path := w.write("a.txt", "kept")
	in := w.source(sh("s", "chmod u+w in/a; echo overwritten > in/a; cp in/a out/result"), "a", "a.txt")
	w.mustRun(w.plan(in))
	if b, err := os.ReadFile(path); err != nil || string(b) != "kept" {
		t.Errorf("the source file is now %q, %v", b, err)
	}
}

func mustLookup(t *testing.T, w *world, k cache.Key) *cache.Record {
	t.Helper()
	rec, miss := w.store.Lookup(k)
	if miss != nil {
		t.Fatal(miss.Reason)
	}
	return rec
}

func TestTwoRunsAtOnceRunAStageOnce(t *testing.T) {
	w := newWorld(t)
	counter := filepath.Join(t.TempDir(), "n")
	plan := w.plan(sh("once", fmt.Sprintf("echo x >> %s; sleep 0.3; echo ok > out/result", counter)))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, err := w.engine.Run(context.Background(), plan, engine.RunOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if b, _ := os.ReadFile(counter); string(b) != "x\n" {
		t.Errorf("the stage ran %d times", strings.Count(string(b), "x"))
	}
}

func TestForceAndCacheOff(t *testing.T) {
	w := newWorld(t)
	off := sh("off", "echo x > out/result")
	off.Cache.Off = true
	plan := w.plan(sh("a", "echo a > out/result"), off)
	w.mustRun(plan)
	if sum := w.mustRun(plan); sum.Executed != 1 || sum.Hits != 1 {
		t.Errorf("cache off: %+v", sum)
	}
	if _, sum, err := w.run(plan, engine.RunOptions{Force: true}); err != nil || sum.Executed != 2 {
		t.Errorf("forced: %+v, %v", sum, err)
	}
}

func TestDamagedBlobIsAMissWithAReason(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(sh("a", "seq 1 1000 > out/result"), after(sh("b", "wc -l < in/u > out/result"), "u", 0))
	outcomes, _, err := w.run(plan, engine.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := outcomes[0].Output("result")
	var blob string
	_ = filepath.WalkDir(filepath.Join(filepath.Dir(w.root), "store"), func(path string, d os.DirEntry, _ error) error {
		if !d.IsDir() && strings.Contains(filepath.Base(path), out.Digest.String()) {
			blob = path
		}
		return nil
	})
	b, err := os.ReadFile(blob)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.Chmod(blob, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blob, b, 0o644); err != nil {
		t.Fatal(err)
	}
	// b must run again and reads the damaged blob.
	plan.Instances[1].Command[2] += " "
	outcomes, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil || sum.Executed != 2 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if w.output(outcomes[1]) != "1000\n" {
		t.Errorf("output = %q", w.output(outcomes[1]))
	}
}
