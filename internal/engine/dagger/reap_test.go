package dagger

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReapEndsOwnChildrenOfThatProgramOnly(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc: ", err)
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	// A copy under a name with a parenthesis, and a link to it, as programs
	// are installed.
	program := filepath.Join(t.TempDir(), "dag) ger")
	if err := os.WriteFile(program, b, 0o755); err != nil {
		t.Fatal(err)
	}
	link := program + "-link"
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	child, other := exec.Command(link, "600"), exec.Command(sleep, "600")
	for _, cmd := range []*exec.Cmd{child, other} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	reap(link)
	_ = child.Wait() // the test hangs here if the child was not killed
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("another program was ended: ", err)
	}
}
