package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/touchstone-eval/touchstone/internal/testprogram"
)

// warmStore measures the pipeline that init writes once, and returns the store with its results.
// Scripts about what comes after the measurements begin with a copy of it.
func warmStore(t *testing.T) func() (dir string, err error) {
	program := testprogram.Path(t, testprogram.Touchstone)
	dir := t.TempDir()
	return sync.OnceValues(func() (string, error) {
		store := filepath.Join(dir, "store")
		for _, args := range [][]string{
			{"init", "eval"},
			{"-f", "eval", "baseline", "update", "--var", "runs=1"},
		} {
			cmd := exec.Command(program, args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TOUCHSTONE_CACHE="+store, "HOME="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("measuring the pipeline of init: %w\n%s", err, out)
			}
		}
		return store, nil
	})
}

// warm copies the store to the cache of a script.
func warm(store func() (string, error)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) > 0 {
			ts.Fatalf("usage: warm")
		}
		dir, err := store()
		ts.Check(err)
		ts.Check(os.CopyFS(ts.Getenv("TOUCHSTONE_CACHE"), os.DirFS(dir)))
	}
}
