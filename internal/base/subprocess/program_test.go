package subprocess

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// running reports whether there is a process.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil && !running(pid) || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

func pidOf(t *testing.T, text string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// The remaining children of a program are killed with it, whether it succeeds or fails.
func TestRunLeavesNothing(t *testing.T) {
	for script, status := range map[string]int{"sleep 600 >/dev/null & echo $!": 0, "sleep 600 >/dev/null & echo $!; exit 3": 3} {
		tail := NewTail(100)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
		cmd.Stdout = tail
		err := Run(t.Context(), cmd)
		var exit *exec.ExitError
		switch {
		case status == 0 && err != nil, status != 0 && (!errors.As(err, &exit) || exit.ExitCode() != status):
			t.Errorf("%s: %v", script, err)
		}
		gone(t, pidOf(t, tail.String()))
	}
}

// When the context ends, the program and its children are killed, and the error is that of the
// context.
func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "sh", "-c", "sleep 600 & echo $!; wait")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = in
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, cmd) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	in.Close()
	gone(t, pidOf(t, line))
}

func TestRunWithoutAProgram(t *testing.T) {
	if err := Run(t.Context(), exec.CommandContext(t.Context(), "no-such-program-here")); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// A program that ends after its input gets the time to end, and its last output is read. Another
// one is killed with its children.
func TestStdio(t *testing.T) {
	for name, script := range map[string]string{
		"ends":   `sleep 600 & echo $!; cat`,
		"lasts":  `trap "" TERM; sleep 600 & echo $!; exec <&-; sleep 600`,
		"breaks": `sleep 600 & echo $!`,
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", script)
			LeadBound(cmd)
			p, err := StartStdio(cmd, 200*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(p.Out)
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if name == "ends" {
				if _, err := io.WriteString(p.In, "still here\n"); err != nil {
					t.Fatal(err)
				}
				if said, err := r.ReadString('\n'); said != "still here\n" {
					t.Errorf("said %q, %v", said, err)
				}
			}
			p.Stop()
			select {
			case <-p.Exited:
			default:
				t.Error("it is not reaped")
			}
			gone(t, pidOf(t, line))
		})
	}
}

func TestTail(t *testing.T) {
	for _, tc := range []struct {
		limit          int
		writes         []string
		text, indented string
	}{
		{10, nil, "", "  (it printed nothing)"},
		{10, []string{"\n\n"}, "", "  (it printed nothing)"},
		{10, []string{"one\n", "two\n"}, "one\ntwo", "  one\n  two"},
		{10, []string{"one\ntwo", "\nthree\n"}, "three", "  three"}, // not the rest of "two"
		{4, []string{"long line"}, "line", "  line"},
		{10, []string{"a\xffb"}, "a\uFFFDb", "  a\uFFFDb"},
	} {
		tail := NewTail(tc.limit)
		for _, w := range tc.writes {
			if n, err := tail.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("wrote %d of %q: %v", n, w, err)
			}
		}
		if tail.String() != tc.text || tail.Indented() != tc.indented {
			t.Errorf("%q: %q and %q", tc.writes, tail.String(), tail.Indented())
		}
	}
}
