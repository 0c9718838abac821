package engine

import (
	"slices"
	"testing"
)

// TestDiffFileIgnoresNotation compares files that a program wrote again in another notation.
func TestDiffFileIgnoresNotation(t *testing.T) {
	before := `{"version": "v1", "queries": [{"id": "q1", "query": "caf\u00e9 <b>", "n": 1}, {"id": "q2", "query": "tea"}]}`
	after := "{\"version\":\"v1\",\n\"queries\":[{\"n\":1,\"id\":\"q1\",\"query\":\"café \\u003cb>\"},\n{\"id\":\"q2\",\"query\":\"coffee\"}]}"
	if got, want := diffFile([]byte(before), []byte(after)), []string{"line 3: queries[q2] edited (query)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzDiffFile checks that the difference of any two versions is not empty.
func FuzzDiffFile(f *testing.F) {
	whole := `{"version": "v1", "queries": [{"id": "q1", "n": 1}, 2], "m": {"a": null}}`
	for n := range len(whole) {
		f.Add([]byte(whole), []byte(whole[:n]))
	}
	f.Add([]byte(`{"a":[],"a":[1,1]}`), []byte("{\"a\" :\n,[]"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(diffFile(before, after)) == 0 {
			t.Errorf("nothing is said of %q and %q", before, after)
		}
	})
}
