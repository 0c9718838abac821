package engine

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// A file may be edited between the last check and the copy.
func TestCopyOfAFileThatChanged(t *testing.T) {
	dir := t.TempDir()
	file := pipeline.SourceFile{Source: filepath.Join(dir, "a"), Label: "data/a"}
	if err := os.WriteFile(file.Source, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{"new": "", "old": "data/a changed during the run"} {
		m := member{kind: plainFile, digest: cache.Digest(sha256.Sum256([]byte(content)))}
		err := copySource(file, m, filepath.Join(dir, "copy of "+content))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("taken for %q: %v", content, err)
		}
	}

	m := member{kind: plainFile, digest: cache.Digest(sha256.Sum256([]byte("new")))}
	for want, change := range map[string]func() error{
		"data/a changed during the run: it is executable now; run again": func() error { return os.Chmod(file.Source, 0o755) },
		"data/a was removed during the run; run again":                   func() error { return os.Remove(file.Source) },
		"data/a changed during the run: it is a directory now; run again": func() error {
			return errors.Join(os.RemoveAll(file.Source), os.Mkdir(file.Source, 0o755))
		},
	} {
		if err := os.RemoveAll(file.Source); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file.Source, []byte("new"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if err := copySource(file, m, filepath.Join(t.TempDir(), "copy")); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
