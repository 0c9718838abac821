package engine

import "testing"

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
