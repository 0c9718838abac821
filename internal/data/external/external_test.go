package external

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/data/convert"
)

func TestParse(t *testing.T) {
	sources, err := Parse("e.hcl", []byte(`
external "z-set" {
  about   = "Stones."
  source  = "https://example.org/z"
  license = "MIT"
  format  = "beir"
}
external "a" {
  about    = "Attacks."
  source   = "https://example.org/a"
  revision = "r1"
  license  = "NOASSERTION"
  format   = "server-sources"
  files    = ["*/server.py"]
  attacks  = { "s:t" = "rug_pull" }
}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) != 2 || sources[0].Name != "a" || sources[0].Attacks["s:t"] != "rug_pull" || sources[1].Format != "beir" {
		t.Errorf("%+v", sources)
	}
}

// All problems are reported, each with its line.
func TestParseRefuses(t *testing.T) {
	_, err := Parse("e.hcl", []byte(`external "Up" {
  about   = "x"
  source  = "ftp://example.org"
  license = " "
  format  = "tarot"
  sha256  = "12"
  files   = ["[a"]
  attacks = { "s:t" = "rudeness" }
}
external "loose" {
  about   = "x"
  source  = "https://example.org"
  license = "MIT"
  format  = "beir"
  files   = ["*.tsv"]
  url     = "https://example.org/x/"
  sha256  = "e132f6704e4b668dcf4ec3bbe1fffc1d58712df066b2ca064df50bb1c7461f30"
}
external "Up" {
  about   = "x"
  source  = "https://example.org"
  license = "MIT"
  format  = "beir"
  url     = "https://user@example.org/x"
}
`))
	if err == nil {
		t.Fatal("it was accepted")
	}
	for _, want := range []string{
		`e.hcl:1,1: "Up" cannot be a name`, "the source is not an http or https address", "the licence is empty", `there is no format "tarot": use one of agent-egress-bench`,
		"sha256 is not 64", `"[a" is not a pattern`, `s:t has the category "rudeness"`, `e.hcl:19,1: external "Up" is declared twice`, "the url is not an http", "e.hcl:10,1: fetch cannot get the files below the url", "a source with a url has no sha256",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	for text, want := range map[string]string{"external \"a\" {\n  tone = 1\n}": "e.hcl:", "x = 1": "e.hcl:1", strings.Repeat("#", 300<<10): "larger than"} {
		if _, err := Parse("e.hcl", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	s := Source{Name: "stones", Format: "beir"}
	state := func() Found {
		t.Helper()
		f, err := s.Find(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := state(); f.State != Absent || f.Path != filepath.Join(dir, "stones") {
		t.Errorf("%+v", f)
	}
	// Other files, and those of git, do not belong to it.
	put(t, dir, "stones/readme.md", "x")
	put(t, dir, "stones/.git/corpus.jsonl", "x")
	if f := state(); f.State != Absent {
		t.Errorf("%+v", f)
	}
	put(t, dir, "stones/data/queries.jsonl", "b\n")
	put(t, dir, "stones/data/corpus.jsonl", "a\n")
	f := state()
	if f.State != Unpinned || len(f.Files) != 2 || f.Files[0].Name != "data/corpus.jsonl" {
		t.Errorf("%+v", f)
	}
	// It is the digest of these two lines of sha256sum:
	//	87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  data/corpus.jsonl
	//	0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f  data/queries.jsonl
	const digest = "e132f6704e4b668dcf4ec3bbe1fffc1d58712df066b2ca064df50bb1c7461f30"
	if f.Digest != digest {
		t.Errorf("the digest is %s", f.Digest)
	}
	s.SHA256 = f.Digest
	if f := state(); f.State != Verified {
		t.Errorf("%s", f.State)
	}
	put(t, dir, "stones/data/corpus.jsonl", "c\n")
	if f := state(); f.State != Changed {
		t.Errorf("%s", f.State)
	}
	// A link to a single file elsewhere is read too, whatever its name.
	elsewhere := t.TempDir()
	put(t, elsewhere, "list.json", "[]")
	if err := os.Symlink(filepath.Join(elsewhere, "list.json"), filepath.Join(dir, "servers")); err != nil {
		t.Skip(err)
	}
	s = Source{Name: "servers", Format: "livemcpbench"}
	if f := state(); f.State != Unpinned || len(f.Files) != 1 || f.Files[0].Name != "list.json" || f.Digest != Digest([]convert.File{{Name: "x", Data: []byte("[]")}}) {
		t.Errorf("%+v", f)
	}
}

func TestFetch(t *testing.T) {
	const text = `[{"tools": {}}]`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/list/tools.json" {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(text))
	}))
	defer server.Close()
	dir := t.TempDir()
	s := Source{Name: "servers", Format: "livemcpbench", URL: server.URL + "/list/tools.json", SHA256: strings.Repeat("0", 64)}
	fetch := func(want string) {
		t.Helper()
		err := s.Fetch(context.Background(), server.Client(), dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	fetch("so it was not kept")
	if _, err := os.Lstat(filepath.Join(dir, "servers")); err == nil {
		t.Error("it was kept")
	}
	s.SHA256 = Digest([]convert.File{{Data: []byte(text)}})
	fetch("")
	if f, err := s.Find(context.Background(), dir); err != nil || f.State != Verified {
		t.Errorf("%+v, %v", f, err)
	}
	s.URL = server.URL + "/gone"
	fetch("status 404")
	s.URL = ""
	fetch("has no url of its files")
}

// With the address of a directory, each file is put where a clone has it, and none
// is kept if one is not as expected.
func TestFetchFiles(t *testing.T) {
	theirs, dir := t.TempDir(), t.TempDir()
	put(t, theirs, "r1/data/corpus.jsonl", "a\n")
	put(t, theirs, "r1/data/queries.jsonl", "b\n")
	server := httptest.NewServer(http.FileServer(http.Dir(theirs)))
	defer server.Close()
	s := Source{Name: "stones", Format: "beir", Files: []string{"data/queries.jsonl", "data/corpus.jsonl"}, URL: server.URL + "/r1/",
		// As in TestFind.
		SHA256: "e132f6704e4b668dcf4ec3bbe1fffc1d58712df066b2ca064df50bb1c7461f30"}
	if err := s.Fetch(context.Background(), server.Client(), dir); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Find(context.Background(), dir); err != nil || f.State != Verified || len(f.Files) != 2 {
		t.Errorf("%+v, %v", f, err)
	}
	put(t, theirs, "r1/data/corpus.jsonl", "c\n")
	dir = t.TempDir()
	if err := s.Fetch(context.Background(), server.Client(), dir); err == nil || !strings.Contains(err.Error(), "so it was not kept") {
		t.Errorf("changed: %v", err)
	}
	if f, err := s.Find(context.Background(), dir); err != nil || f.State != Absent {
		t.Errorf("%+v, %v", f, err)
	}
	for _, files := range [][]string{nil, {"data/*"}, {"../x"}, {"/x"}} {
		s.Files = files
		if err := s.Fetch(context.Background(), server.Client(), dir); err == nil || !strings.Contains(err.Error(), "has no url of its files") {
			t.Errorf("%q: %v", files, err)
		}
	}
}

// The sources of this repository can be read, and each says where it is from.
func TestShippedSources(t *testing.T) {
	const file = "../../../datasets/external.hcl"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) < 7 {
		t.Errorf("only %d sources", len(sources))
	}
}
