package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzManifestFile checks that a manifest keeps the bytes of every name.
func FuzzManifestFile(f *testing.F) {
	for _, name := range []string{"plain", "caf\xe9.txt", `caf\xE9.txt`, "\xff\xfe", "new\nline", `back\slash`, "\ufffd", "café", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		want := publishManifest{Files: []manifestFile{{name, 1, 2}}}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got publishManifest
		if err := json.Unmarshal(b, &got); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%q became %s and then %+v, %v", name, b, got, err)
		}
	})
}
