package conformance

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestEngineDies closes every connection to the engine in the middle of a run: the run
// ends with the failure of a stage and keeps the results of finished stages, and the next
// run only executes the rest.
func TestEngineDies(t *testing.T) {
	needEngine(t)
	w := newWorld(t, "dagger", map[string]string{"pipeline.hcl": `
stage "quick" {
  outputs = { o = "out/o" }
  command = ` + sh("echo quick > out/o") + `
}
stage "slow" {
  inputs  = { o = stage.quick.o }
  outputs = { o = "out/o" }
  command = ` + sh("sleep 5; cp in/o out/o") + `
}`})
	engine, ok := strings.CutPrefix(os.Getenv("_EXPERIMENTAL_DAGGER_RUNNER_HOST"), "unix://")
	if !ok {
		t.Skip("needs an engine at a unix socket, to stand between")
	}
	between := filepath.Join(t.TempDir(), "engine.sock")
	die := forward(t, between, engine)
	w.env = []string{"_EXPERIMENTAL_DAGGER_RUNNER_HOST=unix://" + between}
	store := filepath.Join(t.TempDir(), "store")
	cmd := w.command("dagger", store)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(readAll(store+".events"), `"event":"start","stage":"slow"`) {
		if t.Context().Err() != nil {
			t.Fatal("the second stage never began")
		}
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(time.Second) // into its container
	die()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(stderr.String(), "the Dagger engine could not run slow") {
		t.Errorf("exit status %d, want 3\n%s", code, stderr.String())
	}
	if left := processesWith(between); len(left) > 0 {
		t.Errorf("the run left %q", left)
	}
	w.env = nil
	e := w.run("dagger", store)
	if e.code != 0 || e.stages[0].Status != "HIT" || e.stages[1].Status != "RAN" {
		t.Errorf("after the engine came back: exit status %d, %+v", e.code, e.stages)
	}
}

// processesWith lists the command lines of processes whose environment contains text, if
// this machine shows them.
func processesWith(text string) (list []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if strings.Contains(readAll(file), text) {
			list = append(list, strings.ReplaceAll(readAll(filepath.Join(filepath.Dir(file), "cmdline")), "\x00", " "))
		}
	}
	return list
}

func readAll(file string) string {
	b, _ := os.ReadFile(file)
	return string(b)
}

// forward forwards connections from a socket to the engine until die is called.
func forward(t *testing.T, socket, engine string) (die func()) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var open []net.Conn
	die = func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range open {
			c.Close()
		}
	}
	t.Cleanup(die)
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", engine)
			if err != nil {
				in.Close()
				continue
			}
			mu.Lock()
			open = append(open, in, out)
			mu.Unlock()
			go func() { _, _ = io.Copy(out, in); out.Close() }()
			go func() { _, _ = io.Copy(in, out); in.Close() }()
		}
	}()
	return die
}
