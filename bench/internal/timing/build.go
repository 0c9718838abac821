package timing

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

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
