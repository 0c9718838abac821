package trec

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// TestFileIsAsGoodAsItsText evaluates a file, from its place on, and the
// same text from memory.
func TestFileIsAsGoodAsItsText(t *testing.T) {
	qrelsText, runText := randomFiles(rand.New(rand.NewPCG(5, 1)))
	qrels := readQrels(t, qrelsText)
	want := evaluateText(t, qrels, runText, Options{Level: 1})
	dir := t.TempDir()
	for _, before := range []string{"", "not read\n"} {
		path := filepath.Join(dir, "run"+strconv.Itoa(len(before)))
		if err := os.WriteFile(path, []byte(before+runText), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Seek(int64(len(before)), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		got, err := Evaluate(qrels, path, f, Options{Level: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.All, want.All) {
			t.Errorf("%v are %v instead of %v", want.Names, got.All, want.All)
		}
	}
}
