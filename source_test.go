package touchstone

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// TestSourceHasWhatItEmbeds: what a stage's code is compiled with is part of
// its identity, so a file that some source embeds has to be carried as well.
func TestSourceHasWhatItEmbeds(t *testing.T) {
	embedded := 0
	err := fs.WalkDir(Source, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := Source.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			patterns, found := strings.CutPrefix(strings.TrimSpace(line), "//go:embed ")
			if !found {
				continue
			}
			for pattern := range strings.FieldsSeq(patterns) {
				embedded++
				files, err := fs.Glob(Source, path.Join(path.Dir(name), pattern))
				if err != nil || len(files) == 0 {
					t.Errorf("%s embeds %s, which Source does not have (%v): a change of it would not be noticed", name, pattern, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if embedded < 8 {
		t.Errorf("%d embedded files found: the test reads too little", embedded)
	}
}
