package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

const oneStage = "stage \"s\" {\n  command = [\"x\", var.v]\n}\n"

// The files of a directory are one pipeline, except those of another kind.
func TestFilesOfADirectory(t *testing.T) {
	inDir(t, map[string]string{
		"p/pipeline.hcl":      "pipeline {}\n" + oneStage,
		"p/variables.hcl":     "variable \"v\" { default = 1 }\n",
		"p/empty.hcl":         "# nothing yet\n",
		"p/link.hcl":          "-> ../elsewhere.hcl",
		"p/adapter.hcl":       "name = \"x\"\nstart { command = [\"x\"] }\n",
		"p/bake.hcl":          "variable \"v\" {}\ntarget \"t\" {}\n",
		"p/values.hcl":        "v = 2\n",
		"p/nightly.hcl":       "pipeline { name = \"nightly\" }\n" + oneStage,
		"p/.hidden.hcl":       "stage \"h\" {}\n",
		"p/dir.hcl/x.hcl":     "stage \"d\" {}\n",
		"p/broken-values.hcl": "v = [\n",
		"p/other.txt":         "stage",
		"elsewhere.hcl":       "locals { l = 1 }\n",
		"none/other.hcl":      oneStage,
	})
	want := []string{"p/pipeline.hcl", "p/empty.hcl", "p/link.hcl", "p/variables.hcl"}
	skipped := []string{"p/adapter.hcl", "p/bake.hcl", "p/broken-values.hcl", "p/nightly.hcl", "p/values.hcl"}
	for _, file := range []string{"p", "p/", "p/pipeline.hcl", "./p"} {
		plan, diags, _ := Load(Options{File: file})
		if plan == nil {
			t.Fatalf("%s: %s", file, diags)
		}
		if !slices.Equal(plan.Files, want) {
			t.Errorf("%s: files %q, want %q", file, plan.Files, want)
		}
		var names []string
		for _, s := range plan.Skipped {
			if names = append(names, s.Path); !strings.HasPrefix(s.Why, "it contains") && !strings.HasPrefix(s.Why, "it has") {
				t.Errorf("%s: %s", s.Path, s.Why)
			}
		}
		if !slices.Equal(names, skipped) {
			t.Errorf("%s: skipped %q, want %q", file, names, skipped)
		}
		if files, err := Files(file); err != nil || !slices.Equal(files, want) {
			t.Errorf("Files(%q): %q, %v", file, files, err)
		}
	}
	// A file with another name is read alone, and messages mention that.
	if _, diags, _ := Load(Options{File: "none/other.hcl"}); len(diags) != 1 || !strings.Contains(diags[0].Detail, "Only none/other.hcl was read") {
		t.Errorf("%s", diags)
	}
	for _, file := range []string{"none", "p/none.hcl"} {
		if plan, diags, _ := Load(Options{File: file}); plan != nil || !strings.Contains(diags.Error(), "does not exist") {
			t.Errorf("%s: %s", file, diags)
		}
		if _, err := Files(file); err == nil {
			t.Errorf("Files(%q) gives no error", file)
		}
	}
}

// If a file cannot be read, the pipeline does not run partially.
func TestUnreadableFileBeside(t *testing.T) {
	inDir(t, map[string]string{"pipeline.hcl": "stage \"s\" { command = [\"x\"] }\n", "gone.hcl": "-> nowhere"})
	plan, diags, _ := Load(Options{File: "."})
	if plan != nil || len(diags) != 1 || !strings.Contains(diags[0].Detail, `"gone.hcl" does not exist. All files in the directory of pipeline.hcl`) {
		t.Errorf("%v %s", plan, diags)
	}
}

// Keys do not depend on which file of the directory contains a block.
func TestKeysIgnoreFiles(t *testing.T) {
	for _, path := range []string{"../examples/matrix/pipeline.hcl", "../examples/shell/pipeline.hcl", "testdata/plans/evaluation.hcl"} {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(path)
		want := keysOf(t, path, src)
		file, diags := hclsyntax.ParseConfig(src, path, hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for seed := range uint64(10) {
			r := rand.New(rand.NewPCG(seed, 1))
			parts := map[string][]byte{MainFile: nil, "a.hcl": nil, "z.hcl": nil}
			names := sortedKeys(parts)
			for _, b := range file.Body.(*hclsyntax.Body).Blocks {
				name := names[r.IntN(len(names))]
				parts[name] = append(parts[name], append(b.Range().SliceBytes(src), src[b.Range().End.Byte:b.Body.EndRange.End.Byte]...)...)
				parts[name] = append(parts[name], '\n')
			}
			if got := keysOfParts(t, dir, parts); !slices.Equal(got, want) {
				t.Fatalf("%s, seed %d: the keys differ: %v", path, seed, parts)
			}
		}
	}
}

// keysOfParts is keysOf for a directory with other pipeline files.
func keysOfParts(t *testing.T, dir string, parts map[string][]byte) []string {
	t.Helper()
	d := disk(osDisk{})
	for _, name := range sortedKeys(parts) {
		d = &replacedFile{d, filepath.Join(dir, name), parts[name]}
	}
	return keysOn(t, &addedFiles{d, dir, sortedKeys(parts)}, filepath.Join(dir, MainFile))
}

// A stage that reads an output of a stage that is off has the same key as without
// that input.
func TestKeyOfAnInputThatIsOff(t *testing.T) {
	const head = "variable \"on\" {\n  type = bool\n  default = false\n}\nstage \"a\" {\n  when = var.on\n  outputs = { x = \"out/x\" }\n  command = [\"x\"]\n}\n"
	key := func(input, on string) string {
		src := head + "stage \"b\" {\n  inputs = { x = " + input + " }\n  command = [\"y\", input.x]\n}\n"
		plan, _, out := loadSource(t, src, Options{Vars: []string{"on=" + on}}, nil)
		if plan == nil {
			t.Fatal(out)
		}
		key, _ := plan.Instances[1].Key(nil, nil)
		return key.String()
	}
	if key("stage.a.x", "false") != key("null", "true") {
		t.Error("an output that is off is not null")
	}
	if key("stage.a.x", "false") == key("stage.a.x", "true") {
		t.Error("switching a stage on changes no key of what reads it")
	}
}

// A chain of files that each include the next one twice is an error.
func TestTooManyIncludes(t *testing.T) {
	files := map[string]string{"pipeline.hcl": "include \"a\" { source = \"m0.inc\" }\n"}
	for i := range 12 {
		files[fmt.Sprintf("m%d.inc", i)] = fmt.Sprintf("include \"a\" { source = \"m%d.inc\" }\ninclude \"b\" { source = \"m%d.inc\" }\n", i+1, i+1)
	}
	files["m12.inc"] = "stage \"s\" { command = [\"x\"] }\n"
	inDir(t, files)
	plan, diags, sources := Load(Options{File: "."})
	var out bytes.Buffer
	if err := WriteDiagnostics(&out, diags, sources, false, 0); err != nil {
		t.Fatal(err)
	}
	if plan != nil || !strings.Contains(out.String(), "more than 1000 modules") || len(diags) > 30 {
		t.Errorf("%d diagnostics\n%.2000s", len(diags), &out)
	}
}

// A sensitive value is also sensitive in an included file.
func TestSensitiveInputOfAnInclude(t *testing.T) {
	inDir(t, map[string]string{
		"pipeline.hcl":   "variable \"token\" {\n  sensitive = true\n}\ninclude \"m\" {\n  source = \"m\"\n  inputs = { token = var.token }\n}\n",
		"m/pipeline.hcl": "variable \"token\" { type = string }\nstage \"s\" {\n  command = [\"x\", var.token]\n}\nstage \"t\" {\n  command = [\"x\"]\n  timeout = var.token\n}\n",
	})
	_, diags, _ := Load(Options{File: ".", Vars: []string{"token=hunter2"}})
	if len(diags) != 1 || diags[0].Summary != "Sensitive value" || strings.Contains(diags.Error(), "hunter2") {
		t.Errorf("%s", diags)
	}
}
