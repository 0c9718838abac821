package engine

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/touchstone-eval/touchstone/cache"
)

// FuzzManifestFile checks that a manifest keeps the bytes of every name.
func FuzzManifestFile(f *testing.F) {
	for _, name := range []string{"plain", "caf\xe9.txt", `caf\xE9.txt`, "\xff\xfe", "new\nline", `back\slash`, "\ufffd", "café", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		want := publishManifest{Output: cache.Digest{1}, Mark: name, Files: []manifestFile{{name, 1, 2}, {"other", 3, 4}}}
		var b bytes.Buffer
		if err := want.encode(&b); err != nil {
			t.Fatal(err)
		}
		whole, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(whole) + "\n"; text != b.String() {
			t.Errorf("%q became %s, want %s", name, &b, text)
		}
		got, err := decodeManifest(&b)
		if err != nil || !cmp.Equal(want.Files, got.Files) || got.Output != want.Output {
			t.Errorf("%q became %s and then %+v, %v", name, whole, got, err)
		}
	})
}

func TestDamagedManifestIsRefused(t *testing.T) {
	good := `{"output":"` + strings.Repeat("0", 64) + `","later":[1],"files":[{"path":"a","size":1,"mtime_ns":2}]}`
	if s, err := decodeManifest(strings.NewReader(good)); err != nil || !s.lists("a") {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err := decodeManifest(strings.NewReader(`{"mark":"m","files":null}`)); err != nil || s.Mark != "m" || len(s.Files) > 0 {
		t.Errorf("%+v, %v", s, err)
	}
	for i := range good {
		if _, err := decodeManifest(strings.NewReader(good[:i])); err == nil {
			t.Errorf("%s was accepted", good[:i])
		}
	}
	for _, bad := range []string{"[]", `"text"`, good + "x", good + good, `{"files":{}}`, `{"files":[1]}`, `{"output":1}`} {
		if _, err := decodeManifest(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
