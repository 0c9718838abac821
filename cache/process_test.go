package cache

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Tests with several processes start this test binary again, with the name of a helper in an
// environment variable.
const helperEnv = "CACHE_TEST_HELPER"

var helpers = map[string]func(dir string, args []string) error{
	"put":  helperPut,
	"run":  helperRun,
	"lock": helperLock,
}

func TestMain(m *testing.M) {
	if name := os.Getenv(helperEnv); name != "" {
		if err := helpers[name](os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func helper(t *testing.T, name, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{dir}, args...)...)
	cmd.Env = append(os.Environ(), helperEnv+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// actionContent returns the deterministic output of an action. Some outputs are large, some
// are shared by many actions.
func actionContent(n int) []byte {
	switch n % 5 {
	case 0:
		return bytes.Repeat([]byte(strconv.Itoa(n)+" "), 300_000)
	case 1:
		return []byte("shared")
	}
	return bytes.Repeat([]byte(strconv.Itoa(n)), n%1000+1)
}

func putAction(s *Store, n int) error {
	file, err := os.CreateTemp("", "action-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.Write(actionContent(n)); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	d, size, err := s.PutFile(file.Name())
	if err != nil {
		return err
	}
	return s.PutRecord(&Record{Key: testKey(n), Stage: "s", Stdout: emptyDigest, Stderr: emptyDigest,
		Outputs: []RecordOutput{{Name: "o", Path: "out/o", Digest: d, Size: size, Mode: 0o644}}})
}

// helperPut stores actions in an endless loop and prints the number of each when it is stored.
func helperPut(dir string, args []string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	start, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	for n := start; ; n++ {
		if err := putAction(s, n); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKill kills writers at random times. Afterwards, what they reported as stored must exist,
// and everything that exists must be complete.
func TestKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	t.Setenv("TMPDIR", t.TempDir())
	done := map[int]bool{}
	for round := range rounds {
		cmd := helper(t, "put", dir, strconv.Itoa(round*1000))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Every other process is killed early, while the store is being opened.
		// The others are killed during a put.
		kill := func() { cmd.Process.Kill() }
		after := 1 + rand.IntN(6)
		if round%2 == 0 {
			time.AfterFunc(time.Duration(rand.IntN(40_000))*time.Microsecond, kill)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if after--; after == 0 {
				time.AfterFunc(time.Duration(rand.IntN(5_000))*time.Microsecond, kill)
			}
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(err)
			}
			done[n] = true
		}
		cmd.Wait() // killed, as intended
	}
	s := openAt(t, dir, Options{})
	mustVerify(t, s)
	for n := range done {
		r, miss := s.Lookup(testKey(n))
		if miss != nil {
			t.Errorf("action %d was stored and is a miss: %s", n, miss.Reason)
			continue
		}
		if b, err := s.Bytes(r.Outputs[0].Digest); err != nil || !bytes.Equal(b, actionContent(n)) {
			t.Errorf("action %d: %v", n, err)
		}
	}
	t.Logf("%d actions stored by %d killed processes", len(done), rounds)
	if len(done) == 0 {
		t.Error("no process got as far as storing an action")
	}
	s.clock = func() time.Time { return time.Now().Add(2 * tempAge) }
	if _, err := s.GC(t.Context(), GCOptions{}); err != nil {
		t.Fatal(err)
	}
	assertEmpty(t, s.path(tmpDir))
	mustVerify(t, s)
}

// helperRun does the work of a run: it locks each key, and executes an action whose result
// does not exist.
func helperRun(dir string, args []string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	for n := range 20 {
		unlock, err := s.LockKey(context.Background(), testKey(n))
		if err != nil {
			return err
		}
		if _, miss := s.Lookup(testKey(n)); miss != nil {
			time.Sleep(time.Millisecond)
			fmt.Println("executed", n)
			if err := putAction(s, n); err != nil {
				return err
			}
		}
		unlock()
	}
	return nil
}

func TestProcessesExecuteOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	t.Setenv("TMPDIR", t.TempDir())
	var wg sync.WaitGroup
	outs := make([]bytes.Buffer, 4)
	for i := range outs {
		cmd := helper(t, "run", dir)
		cmd.Stdout = &outs[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	executed := map[string]int{}
	for i := range outs {
		for line := range strings.Lines(outs[i].String()) {
			executed[line]++
		}
	}
	if len(executed) != 20 {
		t.Errorf("%d actions were executed, want 20", len(executed))
	}
	for line, n := range executed {
		if n != 1 {
			t.Errorf("%q %d times", line, n)
		}
	}
	s := openAt(t, dir, Options{})
	mustVerify(t, s)
	// The file that all keys share, and the touch lock.
	if list, _ := os.ReadDir(s.path(locksDir)); len(list) > 2 {
		t.Errorf("locks are left: %v", list)
	}
}

// TestEvictionAmongWriters evicts everything repeatedly while other processes store and look
// up. No put may fail, and no entry may be incomplete.
func TestEvictionAmongWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	t.Setenv("TMPDIR", t.TempDir())
	gc := openAt(t, dir, Options{})
	var wg sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	for range 2 {
		cmd := helper(t, "run", dir)
		cmd.Stdout = io.Discard
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("a writer failed: %v", err)
			}
		})
	}
	go func() { wg.Wait(); stop() }()
	n := 0
	for ctx.Err() == nil {
		res, err := gc.GC(context.Background(), GCOptions{MaxBytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		n += res.Records
	}
	wg.Wait()
	t.Logf("%d records evicted meanwhile", n)
	mustVerify(t, gc)
}

// helperLock holds a key until it is killed.
func helperLock(dir string, args []string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	if held, err = s.LockKey(context.Background(), testKey(1)); err != nil {
		return err
	}
	fmt.Println("locked")
	for {
		time.Sleep(time.Hour) // until it is killed: without C, a blocked program is a deadlock
	}
}

// held keeps the lock of helperLock. The garbage collector closes an open file
// that nothing refers to, and closing it releases the lock.
var held func()

func TestLockOfDeadProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openAt(t, dir, Options{})
	cmd := helper(t, "lock", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := s.LockKey(ctx, testKey(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it lives: %v", err)
	}
	unlock, err := s.LockKey(t.Context(), testKey(2))
	if err != nil {
		t.Errorf("another key: %v", err)
	}
	unlock()
	cmd.Process.Kill()
	cmd.Wait()
	unlock, err = s.LockKey(t.Context(), testKey(1))
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	unlock() // harmless
}

func TestLockAmongGoroutines(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	var inside, total atomic.Int32 // flock is no synchronisation that the race detector knows
	for range 8 {
		wg.Go(func() {
			for range 20 {
				unlock, err := s.LockKey(t.Context(), testKey(1))
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two inside")
				}
				total.Add(1)
				inside.Add(-1)
				unlock()
			}
		})
	}
	wg.Wait()
	if total.Load() != 160 {
		t.Errorf("%d times", total.Load())
	}
}

func TestConcurrentPuts(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range 30 {
				if err := putAction(s, n); err != nil {
					t.Error(err)
				}
				got, miss := s.Outputs(testKey(n), 0)
				if miss != nil {
					t.Errorf("%d: %s", n, miss.Reason)
					continue
				}
				if b, err := s.Bytes(got.Outputs[0].Digest); err != nil || !bytes.Equal(b, actionContent(n)) {
					t.Errorf("%d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	mustVerify(t, s)
	assertEmpty(t, s.path(tmpDir))
}
