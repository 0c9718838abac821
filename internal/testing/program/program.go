// Package program builds the programs of this module for tests. It uses "go
// run", because the go command keeps its linked programs in the build cache, unlike
// those of "go build". Linking touchstone takes seconds, and copying it from the
// cache takes half a second. All test packages therefore share one linked program.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Import paths of programs.
const (
	Touchstone = "github.com/touchstone-eval/touchstone/cmd/touchstone"
	Scanner    = "github.com/touchstone-eval/touchstone/cmd/touchstone-scan"
)

// built holds the programs that this process has built, in one directory.
var built struct {
	mu       sync.Mutex
	dir      string
	programs map[string]string // by import path
}

// Path returns the path of the program of a main package. The first call builds the
// program, without C, as a release is: containers need that. All tests of the process
// share the file, and M.Run removes it.
func Path(t testing.TB, pkg string) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if path, ok := built.programs[pkg]; ok {
		return path
	}

	if built.dir == "" {
		dir, err := os.MkdirTemp("", "touchstone-programs-")
		if err != nil {
			t.Fatal(err)
		}

		built.dir, built.programs = dir, map[string]string{}
	}

	path := filepath.Join(built.dir, fmt.Sprint(len(built.programs)), filepath.Base(pkg))
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}

	// The benchmarks are a module of their own that does not require all that a program needs.
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/touchstone-eval/touchstone").Output()
	if err != nil {
		t.Fatal(err)
	}

	// With this flag, "go run" passes the program to cp instead of running it.
	cmd := exec.Command("go", "run", "-exec", "cp", pkg, path)
	cmd.Dir = strings.TrimSpace(string(module))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}

	built.programs[pkg] = path
	return path
}

// M is a testing.M whose Run removes the programs that Path has built. Every test
// package that calls Path must use it in TestMain.
type M struct{ *testing.M }

// Run runs the tests.
func (m M) Run() int {
	defer func() {
		built.mu.Lock()
		defer built.mu.Unlock()
		if built.dir != "" {
			_ = os.RemoveAll(built.dir)
		}
	}()
	return m.M.Run()
}
