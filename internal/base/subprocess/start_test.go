package subprocess

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// dynamic returns a dynamically linked program whose loader does not exist: a system program in
// which the name of the loader is replaced.
func dynamic(t *testing.T) string {
	for _, name := range []string{"sh", "ls", "cat"} {
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		loader, script := Interpreter(bytes.NewReader(b))
		if loader == "" || script {
			continue
		}
		gone := "/" + strings.Repeat("x", len(loader)-1)
		to := filepath.Join(t.TempDir(), "dynamic")
		if err := os.WriteFile(to, bytes.ReplaceAll(b, []byte(loader+"\x00"), []byte(gone+"\x00")), 0o755); err != nil {
			t.Fatal(err)
		}
		return to
	}
	t.Skip("this system has no dynamically linked program")
	return ""
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#! /no/such/shell -e\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, want string }{
		{"dynamic", dynamic(t), "CGO_ENABLED=0"},
		{"script", script, "its interpreter /no/such/shell does not"},
		{"none", filepath.Join(dir, "none"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Start(exec.Command(c.file))
			if !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%v, want it not to exist", err)
			}
			if c.want != "" && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if c.want == "" && strings.Contains(err.Error(), "the file is there") {
				t.Error(err)
			}
		})
	}
	// A relative path is relative to the command's directory.
	cmd := exec.Command("./script")
	cmd.Dir = dir
	if err := Start(cmd); err == nil || !strings.Contains(err.Error(), "/no/such/shell") {
		t.Error(err)
	}
}
