package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFile(t *testing.T) {
	bin, other, box := t.TempDir(), t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(bin, "data"): 0o644, filepath.Join(other, "data"): 0o755, filepath.Join(bin, "tool"): 0o755, filepath.Join(box, "tool"): 0o755,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for program, want := range map[string]string{
		filepath.Join(bin, "data"):              filepath.Join(bin, "data"),
		filepath.Join("in", "tool"):             filepath.Join(box, "in", "tool"),
		"." + string(os.PathSeparator) + "tool": filepath.Join(box, "tool"),
		"tool":                                  filepath.Join(bin, "tool"),
		"data":                                  filepath.Join(other, "data"),
		"none":                                  filepath.Join(box, "none"),
	} {
		c := &Command{Program: program, Dir: box, Env: []string{"A=1", "PATH=relative" + string(os.PathListSeparator) + bin + string(os.PathListSeparator) + other}}
		if got := c.File(); got != want {
			t.Errorf("the file of %s is %s, want %s", program, got, want)
		}
	}
}
