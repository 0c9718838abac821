package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFileIsReplacedByCommitOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		commit bool
		want   string
	}{{false, "old"}, {true, "new"}} {
		f, err := Create(path, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		if tt.commit {
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		f.Cleanup()
		if got, err := os.ReadFile(path); err != nil || string(got) != tt.want {
			t.Errorf("commit %v: %q, %v", tt.commit, got, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("commit %v: %v, %v", tt.commit, left, err)
		}
	}
}

func TestSymlinkReplacesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Symlink("elsewhere", path); err != nil {
		t.Skip(err)
	}
	if got, err := os.Readlink(path); err != nil || got != "elsewhere" {
		t.Errorf("%q, %v", got, err)
	}
}
