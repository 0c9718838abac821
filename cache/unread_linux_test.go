package cache

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// unprivileged runs f without root's right to read every file.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() == 0 {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := unix.Setfsuid(65534); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Setfsuid(0) }()
	}
	f()
}

// TestWhatCannotBeReadStays is for a process that has too many open files: a record,
// a directory or a blob that cannot be opened is not damaged.
func TestWhatCannotBeReadStays(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "store")
	s := openAt(t, dir, Options{})
	tree := filepath.Join(t.TempDir(), "tree")
	if err := os.MkdirAll(tree, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "file"), []byte("the only file"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, _, err := s.PutTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{Key: testKey(1), Stage: "s", Instance: "s", Outputs: []RecordOutput{{Name: "out", Path: "out", Digest: d, Dir: true}}}
	if err := s.PutRecord(r); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(parent), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(parent, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(path, 0o777)
	}); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, dir, Options{})
	for what, path := range map[string]string{
		"record":    s.entryPath(recordsDir, r.Key),
		"directory": s.entryPath(blobsDir, d),
	} {
		t.Run(what, func(t *testing.T) {
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			var gcErr, verifyErr error
			var verified VerifyResult
			unprivileged(t, func() {
				_, gcErr = s.GC(context.Background(), GCOptions{})
				verified, verifyErr = s.Verify(context.Background(), VerifyOptions{Fix: true})
			})
			if gcErr == nil || !strings.Contains(gcErr.Error(), path) {
				t.Errorf("GC: %v, want an error that names %s", gcErr, path)
			}
			if verifyErr != nil || len(verified.Problems) == 0 {
				t.Errorf("Verify: %+v, %v, want a problem", verified, verifyErr)
			}
			for _, p := range verified.Problems {
				if p.Fixed {
					t.Errorf("Verify removed %s: %s", p.Path, p.Reason)
				}
			}
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, miss := s.Lookup(r.Key); miss != nil {
				t.Errorf("the result is lost: %s", miss.Reason)
			}
			mustVerify(t, s)
		})
	}
}
