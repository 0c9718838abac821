package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// workersAt connects to a server without pauses.
func workersAt(t testing.TB, address string) *Workers {
	t.Helper()
	at, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	w, err := OpenWorkers(t.Context(), Settings{Address: at, What: "remote executor", Off: "use --executor local", Lookup: os.LookupEnv, Agent: "test", Limits: patient})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	w.Pause = func(context.Context, int) {}
	return w
}

func workers(t testing.TB, n int) *remotetest.Memory {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs /bin/sh")
	}
	m := memory(t)
	m.Workers = n
	return m
}

// script is an action that runs a script with a file as its input.
type script struct {
	Action
	blobs []Blob
	dir   string
}

func newScript(t testing.TB, text string) *script {
	t.Helper()
	run, in := BytesBlob([]byte("#!/bin/sh\n"+text)), BytesBlob([]byte("given"))
	sub := Directory(Member{Name: "file", Content: in.SizedDigest})
	root := Directory(Member{Name: "run", Content: run.SizedDigest, Executable: true}, Member{Name: "in", Content: sub.SizedDigest, Dir: true})
	return &script{
		Action{Stage: "stage", Instance: "stage[n=1]", Command: []string{"./run"}, Inputs: root.SizedDigest, Outputs: []string{"report", "out"}, Report: "report"},
		[]Blob{run, in, sub, root}, filepath.Join(t.TempDir(), "taken"),
	}
}

func (s *script) run(ctx context.Context, w *Workers, phase func(Phase)) (*Ended, error) {
	if phase == nil {
		phase = func(Phase) {}
	}
	if err := w.Connect(ctx); err != nil {
		return nil, err
	}
	return w.Run(ctx, &s.Action, s.dir, func(ctx context.Context, _ bool) ([]Blob, error) { return s.blobs, nil }, phase)
}

const good = `mkdir -p out/sub/empty
cat in/file > out/copy
cp out/copy out/sub/same
chmod +x out/sub/same
: > out/nothing
ln -s sub/same out/link
echo done > report
`

// checkGood checks the outputs of the script good.
func checkGood(t *testing.T, dir string) {
	t.Helper()
	for name, want := range map[string]string{"out/copy": "given", "out/sub/same": "given", "out/link": "given", "out/nothing": "", "report": "done\n"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s holds %q, %v; want %q", name, b, err, want)
		}
	}
	if st, err := os.Stat(filepath.Join(dir, "out/sub/same")); err != nil || st.Mode()&0o111 == 0 {
		t.Errorf("out/sub/same is not executable: %v", err)
	}
	if st, err := os.Stat(filepath.Join(dir, "out/copy")); err != nil || st.Mode()&0o111 != 0 {
		t.Errorf("out/copy is executable: %v", err)
	}
	if st, err := os.Stat(filepath.Join(dir, "out/sub/empty")); err != nil || !st.IsDir() {
		t.Errorf("out/sub/empty is no directory: %v", err)
	}
}

func TestActionRuns(t *testing.T) {
	for _, zstd := range []bool{false, true} {
		m := workers(t, 1)
		m.Zstd = zstd
		s := newScript(t, good)
		e, err := s.run(t.Context(), workersAt(t, m.Address+"/some/instance"), nil)
		if err != nil || e.ExitCode != 0 || e.Lost != 0 {
			t.Fatalf("%+v, %v", e, err)
		}
		checkGood(t, s.dir)
	}
}

// TestServerThatDoesNotExecute names the remedy.
func TestServerThatDoesNotExecute(t *testing.T) {
	w := workersAt(t, memory(t).Address)
	if err := w.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "only a cache") || !strings.Contains(err.Error(), "--executor local") {
		t.Error(err)
	}
	gone := memory(t)
	gone.Stop()
	w = workersAt(t, gone.Address)
	if err := w.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be reached") || !strings.Contains(err.Error(), "--executor local") {
		t.Error(err)
	}
}

// TestLostWorkers runs actions again whose workers are lost, before and after they ran, a bounded number
// of times.
func TestLostWorkers(t *testing.T) {
	for name, lose := range map[string]error{
		"gone":    status.Error(codes.Unavailable, "the worker disappeared"),
		"aborted": status.Error(codes.Aborted, "preempted"),
		"full":    status.Error(codes.ResourceExhausted, "too many actions"),
		"after":   remotetest.ErrLost,
	} {
		t.Run(name, func(t *testing.T) {
			m := workers(t, 1)
			m.Before = func(n int, _ *repb.Action) error {
				if n < 3 {
					return lose
				}
				return nil
			}
			s := newScript(t, good)
			e, err := s.run(t.Context(), workersAt(t, m.Address), nil)
			if err != nil || e.Lost != 3 || m.Started() != 4 {
				t.Fatalf("%+v, %v, %d started", e, err, m.Started())
			}
			checkGood(t, s.dir)
		})
		t.Run(name+" always", func(t *testing.T) {
			m := workers(t, 1)
			m.Before = func(int, *repb.Action) error { return lose }
			_, err := newScript(t, good).run(t.Context(), workersAt(t, m.Address), nil)
			if err == nil || !strings.Contains(err.Error(), "has lost it 7 times") || m.Started() != 7 {
				t.Errorf("%v, %d started", err, m.Started())
			}
		})
	}
}

// TestKilledWorker is a worker whose program was killed without a report.
func TestKilledWorker(t *testing.T) {
	m := workers(t, 1)
	s := newScript(t, "kill -9 $$")
	_, err := s.run(t.Context(), workersAt(t, m.Address), nil)
	if err == nil || !strings.Contains(err.Error(), "has lost it") {
		t.Error(err)
	}
	s = newScript(t, "echo cannot work here >&2; exit 3")
	before := m.Started()
	_, err = s.run(t.Context(), workersAt(t, m.Address), nil)
	if err == nil || !strings.Contains(err.Error(), "exit status 3: cannot work here") || m.Started() != before+1 {
		t.Error(err)
	}
}

// TestLostContent runs an action again whose inputs or outputs the server has lost.
func TestLostContent(t *testing.T) {
	for _, lost := range []string{"inputs", "outputs"} {
		t.Run(lost, func(t *testing.T) {
			m := workers(t, 1)
			forget := func(n int) {
				if n < 2 {
					m.Locked(func() { clear(m.Blobs) })
				}
			}
			if lost == "inputs" {
				m.Before = func(n int, _ *repb.Action) error { forget(n); return nil }
			} else {
				m.After = func(n int, _ *repb.ExecuteResponse) { forget(n) }
			}
			s := newScript(t, good)
			e, err := s.run(t.Context(), workersAt(t, m.Address), nil)
			if err != nil || e.Lost != 2 {
				t.Fatalf("%+v, %v", e, err)
			}
			checkGood(t, s.dir)
		})
	}
}

// TestFetchAgain fetches outputs again, instead of making them again, if the server was away.
func TestFetchAgain(t *testing.T) {
	m := workers(t, 1)
	mid := middle(t, m.Address)
	var mu sync.Mutex
	failures := 0
	mid.Set(remotetest.Only("BatchReadBlobs", func(_ context.Context, _ string, message []byte) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if failures++; failures <= 5 {
			return nil, status.Error(codes.Unavailable, "restarting")
		}
		return message, nil
	}), nil)
	s := newScript(t, good)
	e, err := s.run(t.Context(), workersAt(t, mid.Address), nil)
	if err != nil || e.Lost != 0 || m.Started() != 1 {
		t.Fatalf("%+v, %v, %d started", e, err, m.Started())
	}
	checkGood(t, s.dir)
}

// TestPhases has an action that waits for the only worker.
func TestPhases(t *testing.T) {
	m := workers(t, 1)
	hold, held := make(chan struct{}), make(chan struct{})
	m.Before = func(n int, _ *repb.Action) error {
		if n == 0 {
			close(held)
			<-hold
		}
		return nil
	}
	w := workersAt(t, m.Address)
	var wg sync.WaitGroup
	first, second := newScript(t, good), newScript(t, good)
	wg.Go(func() {
		if _, err := first.run(t.Context(), w, nil); err != nil {
			t.Error(err)
		}
	})
	<-held
	var phases []Phase
	if _, err := second.run(t.Context(), w, func(p Phase) {
		phases = append(phases, p)
		if p == Queued {
			close(hold)
		}
	}); err != nil {
		t.Error(err)
	}
	wg.Wait()
	// Executing may be over before it is told.
	if len(phases) == 0 || phases[0] != Queued || len(phases) > 2 {
		t.Errorf("phases %v", phases)
	}
}

// TestServersLimit is an action that the server ends.
func TestServersLimit(t *testing.T) {
	m := workers(t, 1)
	s := newScript(t, "sleep 600")
	s.Timeout = time.Nanosecond
	_, err := s.run(t.Context(), workersAt(t, m.Address), nil)
	if err == nil || !strings.Contains(err.Error(), "time limit") || m.Started() != 1 {
		t.Error(err)
	}
}

// TestCancel ends an action at the server when its run is interrupted.
func TestCancel(t *testing.T) {
	m := workers(t, 1)
	ended := make(chan struct{})
	m.After = func(int, *repb.ExecuteResponse) { close(ended) }
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newScript(t, "sleep 6008").run(ctx, workersAt(t, m.Address), func(p Phase) {
		if p == Executing {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-ended
}

// TestStreamBreaks resumes an action whose stream breaks, and starts it again if the server has forgotten
// it.
func TestStreamBreaks(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		m := workers(t, 1)
		mid := middle(t, m.Address)
		var mu sync.Mutex
		broken := 0
		mid.Set(func(_ context.Context, method string, message []byte) ([]byte, error) {
			if method != "Execute" && method != "WaitExecution" {
				return message, nil
			}
			mu.Lock()
			defer mu.Unlock()
			if broken++; broken == 2 || broken == 4 { // the first message has the name of the operation
				if forgets {
					m.Forget()
				}
				return nil, status.Error(codes.Unavailable, "connection reset")
			}
			return message, nil
		}, nil)
		s := newScript(t, good)
		e, err := s.run(t.Context(), workersAt(t, mid.Address), nil)
		if err != nil {
			t.Fatal(err)
		}
		checkGood(t, s.dir)
		if !forgets && (e.Lost != 0 || m.Started() != 1) {
			t.Errorf("%+v, %d started", e, m.Started())
		}
		if forgets && e.Lost == 0 {
			t.Errorf("%+v, %d started", e, m.Started())
		}
	}
}

// TestGarbledExecution changes answers of every method: the run ends, and no output is wrong.
func TestGarbledExecution(t *testing.T) {
	m := workers(t, 4)
	mid := middle(t, m.Address)
	random := rand.New(rand.NewPCG(1, 17))
	var mu sync.Mutex
	succeeded, rounds := 0, level.Rounds(5, 20)
	methods := []string{"GetCapabilities", "FindMissingBlobs", "BatchUpdateBlobs", "Execute", "BatchReadBlobs"}
	for i := range rounds * len(methods) {
		method := methods[i%len(methods)]
		mid.Set(remotetest.Only(method, func(_ context.Context, _ string, message []byte) ([]byte, error) {
			mu.Lock()
			defer mu.Unlock()
			return remotetest.Garbled(random, message), nil
		}), nil)
		s := newScript(t, good)
		if _, err := s.run(t.Context(), workersAt(t, mid.Address), nil); err == nil {
			succeeded++
			for _, name := range []string{"out/copy", "out/sub/same"} {
				// What an answer leaves out is missing, but what is there is right.
				if b, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil && string(b) != "given" {
					t.Errorf("%s of %s holds %q", name, method, b)
				}
			}
		}
	}
	t.Logf("%d of %d runs succeeded", succeeded, rounds*len(methods))
}

// TestOutputsStayInside refuses what leads out of the directory.
func TestOutputsStayInside(t *testing.T) {
	for name, change := range map[string]func(*repb.ActionResult){
		"file":          func(r *repb.ActionResult) { r.OutputFiles[0].Path = "../report" },
		"absolute file": func(r *repb.ActionResult) { r.OutputFiles[0].Path = "/tmp/report" },
		"directory":     func(r *repb.ActionResult) { r.OutputDirectories[0].Path = ".." },
		"no digest":     func(r *repb.ActionResult) { r.OutputFiles[0].Digest = nil },
		"negative size": func(r *repb.ActionResult) { r.OutputFiles[0].Digest.SizeBytes = -1 },
		"huge tree":     func(r *repb.ActionResult) { r.OutputDirectories[0].TreeDigest.SizeBytes = 1 << 60 },
		"through a link": func(r *repb.ActionResult) {
			r.OutputSymlinks = []*repb.OutputSymlink{{Path: "report", Target: "/etc/passwd"}}
		},
		"link up":         func(r *repb.ActionResult) { r.OutputSymlinks = []*repb.OutputSymlink{{Path: "../up", Target: "/etc"}} },
		"wrong tree":      func(r *repb.ActionResult) { r.OutputDirectories[0].TreeDigest = r.OutputFiles[0].Digest },
		"same file twice": func(r *repb.ActionResult) { r.OutputFiles = append(r.OutputFiles, r.OutputFiles[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			m := workers(t, 1)
			m.After = func(_ int, r *repb.ExecuteResponse) {
				r.Result.OutputFiles = append(slices.Clone(r.Result.OutputFiles), &repb.OutputFile{Path: "report", Digest: r.Result.OutputFiles[0].Digest})
				r.Result.OutputFiles[0] = &repb.OutputFile{Path: "other", Digest: r.Result.OutputFiles[0].Digest}
				change(r.Result)
			}
			s := newScript(t, good)
			if _, err := s.run(t.Context(), workersAt(t, m.Address), nil); err == nil {
				t.Error("it succeeded")
			}
			entries, _ := os.ReadDir(filepath.Dir(s.dir))
			for _, e := range entries {
				if e.Name() != "taken" {
					t.Errorf("%s was written", e.Name())
				}
			}
		})
	}
}

// TestTreeThatGrows refuses a small tree that describes more than any disk holds.
func TestTreeThatGrows(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads as many directories as a tree may have")
	}
	tree := &repb.Tree{}
	d := &repb.Directory{}
	for range 64 {
		tree.Children = append(tree.Children, d)
		n := digest(encode(d).SizedDigest)
		d = &repb.Directory{Directories: []*repb.DirectoryNode{{Name: "a", Digest: n}, {Name: "b", Digest: n}}}
	}
	tree.Root = d
	o := &outputs{}
	if err := o.tree("out", encode(tree).content); !errors.Is(err, errMalformed) {
		t.Error(err)
	}
}
