//go:build unix

package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// loadInput plans one input with some files.
func loadInput(t *testing.T, expr string, files map[string]string) (*Input, string) {
	t.Helper()
	plan, _, out := loadSource(t, "stage \"s\" {\n  inputs = { x = "+expr+" }\n  command = [\"x\"]\n}\n", Options{}, files)
	if plan == nil {
		return nil, out
	}
	return &plan.Instances[0].Inputs[0], out
}

func members(in *Input) []string {
	var list []string
	for _, f := range in.Files {
		list = append(list, f.Path+" <- "+f.Label)
	}
	return list
}

func TestSources(t *testing.T) {
	files := map[string]string{
		"d/a.txt": "a", "d/b.md": "b", "d/e/c.txt": "c", "d/e/f/d.txt": "d", "d/.hidden": "h",
		"link.txt": "-> d/a.txt", "linked": "-> d/e", "d/loop-free": "-> e/f",
		"inner/x": "-> ../d/a.txt", "dangling/a": "a", "dangling/x": "-> none", "weird/a b\n.t x": "w", "noext": "n", "a.tar.gz": "z",
	}
	for expr, want := range map[string][]string{
		`"d/a.txt"`:                           {"in/x.txt", " <- d/a.txt"},
		`"./d//a.txt"`:                        {"in/x.txt", " <- ./d//a.txt"},
		`"noext"`:                             {"in/x", " <- noext"},
		`"a.tar.gz"`:                          {"in/x.gz", " <- a.tar.gz"},
		`"link.txt"`:                          {"in/x.txt", " <- link.txt"},
		`"linked"`:                            {"in/x", "c.txt <- linked/c.txt", "f/d.txt <- linked/f/d.txt"},
		`"linked/c.txt"`:                      {"in/x.txt", " <- linked/c.txt"},
		`"inner/x"`:                           {"in/x", " <- inner/x"},
		`"d"`:                                 {"in/x", ".hidden <- d/.hidden", "a.txt <- d/a.txt", "b.md <- d/b.md", "e/c.txt <- d/e/c.txt", "e/f/d.txt <- d/e/f/d.txt", "loop-free/d.txt <- d/loop-free/d.txt"},
		`["d/a.txt", "noext"]`:                {"in/x", "d/a.txt <- d/a.txt", "noext <- noext"},
		`toset(["noext", "d/e"])`:             {"in/x", "d/e/c.txt <- d/e/c.txt", "d/e/f/d.txt <- d/e/f/d.txt", "noext <- noext"},
		`{ path = "d", include = ["*.txt"] }`: {"in/x", "a.txt <- d/a.txt"},
		`{ path = "d", include = ["**/*.txt"], exclude = ["e/f"] }`: {"in/x", "a.txt <- d/a.txt", "e/c.txt <- d/e/c.txt", "loop-free/d.txt <- d/loop-free/d.txt"},
		`{ path = "d", include = ["e/**/*.txt"], exclude = null }`:  {"in/x", "e/c.txt <- d/e/c.txt", "e/f/d.txt <- d/e/f/d.txt"},
		`{ path = "d", exclude = ["**/*.txt", ".*"] }`:              {"in/x", "b.md <- d/b.md"},
		`{ path = "d", include = ["{a,b}.*"] }`:                     {"in/x", "a.txt <- d/a.txt", "b.md <- d/b.md"},
		`{ path = ".", include = ["d/e/*", "noext"] }`:              {"in/x", "d/e/c.txt <- d/e/c.txt", "noext <- noext"},
		`"weird"`: {"in/x", "a b\n.t x <- weird/a b\n.t x"},
		`[for f in sort(fileset("d", "*.{txt,md}")) : "d/${f}"]`:           {"in/x", "d/a.txt <- d/a.txt", "d/b.md <- d/b.md"},
		`[for f in fileset("dangling", "*", "x*", "y") : "dangling/${f}"]`: {"in/x", "dangling/a <- dangling/a"},
	} {
		in, out := loadInput(t, expr, files)
		if in == nil {
			t.Errorf("%s: %s", expr, out)
			continue
		}
		if diff := cmp.Diff(want, append([]string{in.Path}, members(in)...)); diff != "" {
			t.Errorf("%s: %s", expr, diff)
		}
		for _, f := range in.Files {
			if fi, err := os.Lstat(f.Source); err != nil || !fi.Mode().IsRegular() {
				t.Errorf("%s: the source %s is no regular file (%v)", expr, f.Source, err)
			}
		}
	}
}

func TestBadSourcesOfInputs(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "o.txt"), []byte("o"), 0o666); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"a.txt": "a", "out.txt": "-> " + filepath.Join(outside, "o.txt"), "outdir": "-> " + outside,
		"tree/a.txt": "a", "tree/leak": "-> " + filepath.Join(outside, "o.txt"), "tree/sub/up": "-> ../../a.txt",
		"loop/a.txt": "a", "loop/b/back": "-> ..", "broken": "-> none", "dangling/x": "-> none", "empty/": "",
		"self": "-> self", "many/a": "-> /", "many/b": "-> /", "many/c": "-> /", "many/d": "-> /", "many/e": "-> /", "many/f": "-> /", "many/g": "-> /",
	}
	for expr, want := range map[string]string{
		`"out.txt"`:                           `"out.txt" goes through a symbolic link that leads out`,
		`"outdir/o.txt"`:                      `"outdir/o.txt" goes through a symbolic link that leads out`,
		`["out.txt"]`:                         `"out.txt" goes through a symbolic link that leads out`,
		`file("out.txt") == "" ? null : null`: `"out.txt" goes through a symbolic link that leads out`,
		`"tree"`:                              `the symbolic link "tree/leak" leads out of the tree`,
		`"loop"`:                              `"loop/b/back" leads to a directory that contains it`,
		`"broken"`:                            `"broken" does not exist`,
		`"dangling"`:                          `the symbolic link "dangling/x" does not exist`,
		`"self"`:                              `"self" cannot be read`,
		`"empty"`:                             `the directory "empty" contains no file`,
		`"a.txt/b"`:                           `"a.txt/b" cannot be read`,
		`"none/b"`:                            `"none/b" does not exist`,
		`"pipe"`:                              `is a named pipe`,
		`"special"`:                           `"special/pipe" is a named pipe`,
		`"many"`:                              `and 2 more like these`,
	} {
		dirWithPipes := func() { // made after the files, in the same directory
			for _, p := range []string{"pipe", "special/pipe"} {
				_ = os.MkdirAll(filepath.Dir(p), 0o777)
				if err := syscall.Mkfifo(p, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		inDir(t, files)
		dirWithPipes()
		src := "stage \"s\" {\n  inputs = { x = " + expr + " }\n  command = [\"x\"]\n}\n"
		if err := os.WriteFile("pipeline.hcl", []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		plan, diags, _ := Load(Options{File: "pipeline.hcl"})
		if plan != nil || len(diags) == 0 {
			t.Errorf("%s is accepted", expr)
			continue
		}
		if text := diags.Error() + fmt.Sprint(diags.Errs()); !strings.Contains(text, want) {
			t.Errorf("%s: %s\nwant %s", expr, text, want)
		}
		if diags[0].Subject == nil || diags[0].Subject.Start.Line != 2 {
			t.Errorf("%s: reported at %v", expr, diags[0].Subject)
		}
	}
	// Files that the filter excludes may be of any kind.
	in, out := loadInput(t, `{ path = "tree", include = ["*.txt"] }`, files)
	if in == nil || len(in.Files) != 1 {
		t.Errorf("a link that is not included: %s", out)
	}
	in, out = loadInput(t, `{ path = "tree", exclude = ["leak", "sub"] }`, files)
	if in == nil || len(in.Files) != 1 {
		t.Errorf("a link that is excluded: %s", out)
	}
}

// A path that is written as outside of the tree may be outside, and does not affect
// the key.
func TestSourcesOutside(t *testing.T) {
	dir := inDir(t, map[string]string{
		"p/pipeline.hcl": `
stage "s" {
  inputs = {
    file = "../shared/x.json"
    dir  = "../shared"
    set  = ["../shared/x.json", "../shared/sub"]
    abs  = ["ABS/shared/x.json"]
  }
  command = ["x"]
}`,
		"shared/x.json": "{}", "shared/sub/y.json": "{}",
	})
	src, err := os.ReadFile("p/pipeline.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("p/pipeline.hcl", []byte(strings.ReplaceAll(string(src), "ABS", dir)), 0o666); err != nil {
		t.Fatal(err)
	}
	plan := mustLoad(t, Options{File: "p/pipeline.hcl"})
	got := map[string][]string{}
	for _, in := range plan.Instances[0].Inputs {
		for _, f := range in.Files {
			got[in.Name] = append(got[in.Name], strings.TrimSuffix(in.Path+"/"+f.Path, "/"))
		}
	}
	want := map[string][]string{
		"file": {"in/file.json"},
		"dir":  {"in/dir/sub/y.json", "in/dir/x.json"},
		"set":  {"in/set/shared/sub/y.json", "in/set/shared/x.json"},
		"abs":  {"in/abs/x.json"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Text is normalised, so that a pipeline cannot contain some file names. A fileset that
// silently omitted such files would lose data.
func TestFilesetOfNamesThatCannotBeText(t *testing.T) {
	for name, file := range map[string]string{"not UTF-8": "d/\xff.json", "decomposed": "d/e\u0301.json"} {
		inDir(t, map[string]string{"d/a.json": "{}", file: "{}"})
		src := "stage \"s\" {\n  inputs = { x = [for f in fileset(\"d\", \"*\") : \"d/${f}\"] }\n  command = [\"x\"]\n}\n"
		if err := os.WriteFile("pipeline.hcl", []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		plan, diags, _ := Load(Options{File: "pipeline.hcl"})
		if plan != nil || len(diags) != 1 || !strings.Contains(diags[0].Detail, "rename the file") || diags[0].Subject == nil {
			t.Errorf("%s: %v", name, diags)
		}
	}
	// A whole directory may contain them.
	if in, out := loadInput(t, `"d"`, map[string]string{"d/\xff.json": "{}", "d/e\u0301.json": "{}"}); in == nil || len(in.Files) != 2 {
		t.Error(out)
	}
}

func TestUnreadableSource(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	inDir(t, map[string]string{"a": "a", "d/b": "b", "pipeline.hcl": "stage \"s\" {\n  inputs = {\n    a = \"a\"\n    d = \"d\"\n  }\n  command = [\"x\"]\n}\n"})
	for _, name := range []string{"a", "d"} {
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod("d", 0o777)
	_, diags, _ := Load(Options{File: "pipeline.hcl"})
	if len(diags) != 2 || !strings.Contains(diags[0].Detail, "permission denied") || !strings.Contains(diags[1].Detail, "permission denied") {
		t.Error(diags)
	}
}

// A file that is there under a name in another Unicode normalization is named, so that it can be told apart.
func TestNamesInAnotherNormalization(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("macOS finds a file by its name in any normalization")
	}
	files := map[string]string{"cafe\u0301.txt": "x", "de\u0301/a.txt": "x", "ä.txt": "x"}
	const remedy = ` exists, which is the same name in another Unicode normalization, and a pipeline names files in the normal form NFC: rename it`
	for expr, want := range map[string]string{
		`"café.txt"`:                       `"café.txt" does not exist; "cafe\u0301.txt"` + remedy,
		"\"cafe\u0301.txt\"":               `"café.txt" does not exist; "cafe\u0301.txt"` + remedy,
		`"dé/a.txt"`:                       `"dé/a.txt" does not exist; "de\u0301"` + remedy,
		`{ path = "dé" }`:                  `"dé" does not exist; "de\u0301"` + remedy,
		`[for f in fileset("dé", "*"): f]`: `"de\u0301"` + remedy,
		`"cafè.txt"`:                       `"cafè.txt" does not exist; correct the path`,
		`"none/café.txt"`:                  `"none/café.txt" does not exist; correct the path`,
	} {
		if _, out := loadInput(t, expr, files); !strings.Contains(out, want) {
			t.Errorf("%s: says\n%s\nand not\n%s", expr, out, want)
		}
	}
	// Text is NFC, so a file in this form is found in whatever form the pipeline is written.
	if in, out := loadInput(t, "\"a\u0308.txt\"", files); in == nil {
		t.Error(out)
	}
}
