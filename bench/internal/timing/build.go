package timing

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Workspace makes a temporary directory for the program of that name and
// builds touchstone into it. It has to be called in the module's root; the
// caller removes the directory.
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

// Build builds touchstone into dir and returns its path; it has to be called
// in the module's root.
func Build(dir string) (string, error) {
	tool := filepath.Join(dir, "touchstone")
	build := exec.Command("go", "build", "-o", tool, "./cmd/touchstone")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building touchstone (run this in the module's root): %w", err)
	}
	return tool, nil
}
