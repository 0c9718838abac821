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

// A link keeps its place, also if its target does not exist yet.
func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("below", link); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join("sub", "f"), filepath.Join(dir, "below")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "second"} {
		if err := WriteFile(link, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "sub", "f")); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
		if to, err := os.Readlink(link); err != nil || to != "below" {
			t.Errorf("the link is %q, %v", to, err)
		}
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "loop"), nil, 0o644); err == nil {
		t.Error("a link to itself was written")
	}
	if err := WriteFile(dir, nil, 0o644); err == nil {
		t.Error("a directory was written")
	}
}
