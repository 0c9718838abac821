package pipeline

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// memoryDisk is a disk in memory, so that no input of the fuzzer accesses files of
// the machine. Its root is the directory of the pipeline.
type memoryDisk struct {
	root  string
	files fstest.MapFS
}

func (d memoryDisk) name(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if !within(abs, d.root) {
		return "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	rel, err := filepath.Rel(d.root, abs)
	return filepath.ToSlash(rel), err
}

func (d memoryDisk) Open(path string) (io.ReadCloser, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	return d.files.Open(name)
}

func (d memoryDisk) Lstat(path string) (fs.FileInfo, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	return fs.Stat(d.files, name)
}

func (d memoryDisk) ReadDir(path string) ([]fs.DirEntry, error) {
	name, err := d.name(path)
	if err != nil {
		return nil, err
	}
	return d.files.ReadDir(name)
}

func (d memoryDisk) Resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	_, err = d.Lstat(abs)
	return abs, err
}

func fuzzDisk(t *testing.T, src []byte) memoryDisk {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return memoryDisk{root: root, files: fstest.MapFS{
		"pipeline.hcl":      {Data: src},
		"module/own.hcl":    {Data: src},
		"values/v.hcl":      {Data: src},
		"values/v.json":     {Data: src},
		"data/a.json":       {Data: []byte(`{"a": [1, 2]}`)},
		"data/tree/one.txt": {Data: []byte("one")},
		"texts/spring.txt":  {Data: []byte("spring")},
	}}
}

// checkLoaded checks what must be true for every source: there are either errors or
// a plan, every problem has a remedy, and the plan is consistent.
func checkLoaded(t *testing.T, o Options, d disk) {
	plan, diags, files := load(o, d)
	if (plan == nil) != diags.HasErrors() {
		t.Fatalf("plan: %v, errors: %v", plan != nil, diags)
	}
	for _, d := range diags {
		if d.Summary == "" || d.Detail == "" {
			t.Errorf("no summary or no detail: %v", d)
		}
	}
	if err := WriteDiagnostics(io.Discard, diags, files, true, 80); err != nil {
		t.Error(err)
	}
	if plan == nil {
		return
	}
	for i, in := range plan.Instances {
		if (len(in.Command) == 0) != (in.Off != "") {
			t.Errorf("%s: command %q, off %q", in, in.Command, in.Off)
		}
		for _, a := range in.After {
			if a >= i {
				t.Errorf("%s waits for what comes later", in)
			}
		}
		for _, out := range in.Outputs {
			if !filepath.IsLocal(out.Path) || !strings.HasPrefix(out.Path, "out/") {
				t.Errorf("%s: the output %s escapes", in, out.Path)
			}
		}
		for _, input := range in.Inputs {
			if !filepath.IsLocal(input.Path) || !strings.HasPrefix(input.Path, "in/") {
				t.Errorf("%s: the input %s escapes", in, input.Path)
			}
			for _, f := range input.Files {
				if f.Path != "" && !filepath.IsLocal(f.Path) {
					t.Errorf("%s: the member %s escapes", in, f.Path)
				}
			}
			for _, f := range input.From {
				if f.Path != "" && !filepath.IsLocal(f.Path) {
					t.Errorf("%s: the member %s escapes", in, f.Path)
				}
				if f.From.Instance >= i {
					t.Errorf("%s reads what comes later", in)
				}
			}
		}
		if key, _ := in.Key(nil, nil); key.IsZero() {
			t.Errorf("%s has no key", in)
		}
	}
	for _, p := range plan.Publish {
		if !filepath.IsLocal(p.Path) || p.Path == "." {
			t.Errorf("%s is published out of the tree", p.Path)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/errors/*.hcl", "testdata/plans/*.hcl", "testdata/*/*/pipeline.hcl", "../examples/*/pipeline.hcl"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Add([]byte("include \"a\" {\n  source = \"module/own.hcl\"\n  inputs = { x = stage.s.x }\n}\nvariable \"x\" { default = null }\nstage \"s\" {\n  outputs = { x = \"out/x\" }\n  command = [\"x\"]\n}\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		// A text of a few bytes may declare a hundred thousand instances, which
		// is correct but slow.
		if strings.Contains(string(src), "range") || len(src) > 1<<16 {
			t.Skip("too slow: the text may declare very many instances")
		}
		checkLoaded(t, Options{File: "pipeline.hcl"}, fuzzDisk(t, src))
		if laidOut, _, _ := Format(src, "pipeline.hcl"); laidOut != nil {
			if again, diags, _ := Format(laidOut, "pipeline.hcl"); again == nil {
				t.Fatalf("what was laid out is no longer well formed: %v", diags)
			}
		}
	})
}

func FuzzVars(f *testing.F) {
	for _, v := range []string{"", "x", "[1, 2]", `{a = "x"}`, `["a", true]`, "${x}", "\"", "[[[[", "1e99999", "\xff", `{"name": "x", "list": [1], "open": null}`, "name = \"x\"\nlist = [1]\n"} {
		f.Add("name", v)
		f.Add("list", v)
		f.Add("object", v)
		f.Add("number", v)
	}
	const src = `
variable "name" { type = string }
variable "number" { type = number }
variable "list" { type = list(number) }
variable "object" { type = object({ a = optional(string, "x"), b = optional(set(bool)) }) }
variable "open" { default = 1 }
stage "s" {
  command = ["x", var.name, var.number, jsonencode(var.list), jsonencode(var.object)]
}
`
	f.Fuzz(func(t *testing.T, name, value string) {
		d := fuzzDisk(t, []byte(value))
		d.files["pipeline.hcl"] = &fstest.MapFile{Data: []byte(src)}
		for _, o := range []Options{
			{Vars: []string{name + "=" + value}},
			{Vars: []string{value}},
			{Environ: []string{VarPrefix + name + "=" + value, value}},
			{VarFiles: []string{"values/v.hcl"}},
			{VarFiles: []string{"values/v.json"}},
		} {
			o.File = "pipeline.hcl"
			checkLoaded(t, o, d)
		}
	})
}

var errFull = errors.New("input/output error")

// failingDisk fails at the nth operation.
type failingDisk struct {
	disk
	left int
}

func (d *failingDisk) fails() bool { d.left--; return d.left < 0 }

func (d *failingDisk) Open(path string) (io.ReadCloser, error) {
	if d.fails() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errFull}
	}
	return d.disk.Open(path)
}

func (d *failingDisk) Lstat(path string) (fs.FileInfo, error) {
	if d.fails() {
		return nil, &fs.PathError{Op: "lstat", Path: path, Err: errFull}
	}
	return d.disk.Lstat(path)
}

func (d *failingDisk) ReadDir(path string) ([]fs.DirEntry, error) {
	if d.fails() {
		return nil, &fs.PathError{Op: "readdir", Path: path, Err: errFull}
	}
	return d.disk.ReadDir(path)
}

func (d *failingDisk) Resolve(path string) (string, error) {
	if d.fails() {
		return "", &fs.PathError{Op: "lstat", Path: path, Err: errFull}
	}
	return d.disk.Resolve(path)
}

// A disk that fails at any operation leads to an error, never to a plan.
func TestFailingDisk(t *testing.T) {
	for _, path := range planFixtures(t) {
		for n := 0; ; n++ {
			d := &failingDisk{osDisk{}, n}
			plan, diags, _ := load(Options{File: path}, d)
			if d.left >= 0 {
				if n < 5 || plan == nil {
					t.Errorf("%s: %d accesses, %v", path, n, diags)
				}
				break
			}
			if plan != nil || !strings.Contains(diags.Errs()[0].Error(), errFull.Error()) {
				t.Errorf("%s: failing at access %d: %v", path, n, diags)
			}
		}
	}
}
