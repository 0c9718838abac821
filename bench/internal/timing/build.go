package timing

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Workspace creates a temporary directory for the program of that name and builds
// touchstone in it. Call it in the module's root. The caller removes the directory.
func Workspace(name string) (dir, tool string, err error) {
	if dir, err = os.MkdirTemp("", "touchstone-"+name+"-"); err != nil {
		return "", "", err
	}
	if tool, err = Build(dir); err != nil {
		os.RemoveAll(dir)
		return "", "", err
	}
	return dir, tool, nil
}

// Build builds touchstone in dir and returns its path. Call it in the module's root.
func Build(dir string) (string, error) {
	tool := filepath.Join(dir, "touchstone")
	build := exec.Command("go", "build", "-o", tool, "./cmd/touchstone")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building touchstone (run this in the module's root): %w", err)
	}
	return tool, nil
}
