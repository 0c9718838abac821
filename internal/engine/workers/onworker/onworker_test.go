package onworker

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestEnvironment passes the variables of the worker that the stage names, and none of the program that runs it.
func TestEnvironment(t *testing.T) {
	t.Setenv("HOME", "/home/worker")
	t.Setenv("GOGC", "off")
	o := &Job{Env: []string{"B=2", "A=1"}, Passthrough: []string{"HOME", "GOGC"}}
	if env := o.environment(); !slices.Equal(env, []string{"A=1", "B=2", "HOME=/home/worker"}) {
		t.Errorf("environment = %v", env)
	}
}

// TestOtherProgram refuses a program that is not the one in the key.
func TestOtherProgram(t *testing.T) {
	file := t.TempDir() + "/program"
	if err := os.WriteFile(file, []byte("content"), 0o755); err != nil {
		t.Fatal(err)
	}
	const sum = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
	if err := (&Job{Digest: sum}).same(file); err != nil {
		t.Error(err)
	}
	if err := (&Job{Digest: strings.Repeat("0", 64)}).same(file); err == nil || !strings.Contains(err.Error(), "is not the one of this machine") {
		t.Error(err)
	}
	if err := (&Job{Digest: sum}).same(file + "x"); err == nil || !strings.Contains(err.Error(), "does not have the program") {
		t.Error(err)
	}
}
