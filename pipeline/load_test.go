package pipeline

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// inDir writes files to a new directory, makes it the working directory and returns
// its path. A name that ends in "/" is a directory. A content that starts with "-> "
// is a symbolic link.
func inDir(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sortedKeys(files) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(files[name], "-> "); ok {
			err = os.Symlink(target, path)
		} else if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o777)
		} else {
			err = os.WriteFile(path, []byte(files[name]), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if t, ok := t.(interface{ Chdir(string) }); ok {
		t.Chdir(dir)
	}
	return dir
}

// loadSource plans a pipeline that is given as text, in a directory with other files.
func loadSource(t testing.TB, src string, o Options, files map[string]string) (*Plan, hcl.Diagnostics, string) {
	t.Helper()
	all := map[string]string{"pipeline.hcl": src}
	for name, content := range files {
		all[name] = content
	}
	inDir(t, all)
	o.File = "pipeline.hcl"
	plan, diags, sources := Load(o)
	var out bytes.Buffer
	if err := WriteDiagnostics(&out, diags, sources, false, 0); err != nil {
		t.Fatal(err)
	}
	return plan, diags, out.String()
}

func TestBadSources(t *testing.T) {
	deep := strings.Repeat
	many := level.Rounds(100_000, 1_000_000)
	for name, tt := range map[string]struct{ src, want string }{
		"empty":               {"", "declares no stage"},
		"blank":               {"\n\n# nothing\n", "declares no stage"},
		"bom only":            {"\xef\xbb\xbf", "declares no stage"},
		"invalid UTF-8":       {"locals {\n  a = \"caf\xe9\"\n}\n", "line 2, column 11 is not UTF-8"},
		"NUL":                 {"locals {\x00}", "Invalid character"},
		"binary":              {"\x7fELF\x02\x01\x01", "Invalid character"},
		"cut in half":         {"stage \"s\" {\n  command = [\"x\"", "Unterminated"},
		"unclosed string":     {"stage \"s\" {\n  command = [\"x]\n}\n", "string"},
		"brackets":            {"locals {\n  a = " + deep("[", 10_000) + deep("]", 10_000) + "\n}\n", "Nested too deeply"},
		"open brackets":       {"locals {\n  a = " + deep("[", many), "Nested too deeply"},
		"parentheses":         {"locals {\n  a = " + deep("(", 10_000) + "1" + deep(")", 10_000) + "\n}\n", "Nested too deeply"},
		"objects":             {"locals {\n  a = " + deep("{a = ", 10_000) + "1" + deep("}", 10_000) + "\n}\n", "Nested too deeply"},
		"templates":           {"locals {\n  a = " + deep(`"${`, 10_000) + "1" + deep(`}"`, 10_000) + "\n}\n", "Nested too deeply"},
		"blocks":              {deep("a {\n", 10_000) + deep("}\n", 10_000), "Nested too deeply"},
		"not":                 {"locals {\n  a = " + deep("!", many) + "true\n}\n", "Nested too deeply"},
		"minus":               {"locals {\n  a = " + deep("- ", many) + "1\n}\n", "Nested too deeply"},
		"sums":                {"locals {\n  a = 1" + deep(" + 1", 100_000) + "\n}\n", "Nested too deeply"},
		"conditions":          {"locals {\n  a = " + deep("true ? 1 : ", 100_000) + "1\n}\n", "Nested too deeply"},
		"indexes":             {"locals {\n  a = x" + deep("[0]", 100_000) + "\n}\n", "Nested too deeply"},
		"directives":          {"locals {\n  a = \"" + deep("%{ if true }", 100_000) + "\"\n}\n", "Nested too deeply"},
		"wrong closers":       {"locals {\n  a = " + deep("([)", 10_000) + "\n}\n", "Nested too deeply"},
		"calls":               {"locals {\n  a = " + deep("upper(", 10_000) + deep(")", 10_000) + "\n}\n", "Nested too deeply"},
		"splats":              {"locals {\n  a = x" + deep("[*]", 10_000) + "\n}\n", "Nested too deeply"},
		"huge number":         {"locals {\n  a = 1e99999999\n}\n", "Number too large"},
		"tiny number":         {"locals {\n  a = \"${-1e-99999999}\"\n}\n", "Number too large"},
		"infinite number":     {"locals {\n  a = 1 / 0\n}\nstage \"s\" { command = [\"x\", local.a] }\n", "beyond 1e308"},
		"huge product":        {"locals {\n  a = 1e300 * 1e300\n}\nstage \"s\" { command = [\"x\", local.a] }\n", "beyond 1e308"},
		"too large":           {deep("# comment\n", MaxSource/10+1), "more than 16 MiB"},
		"deep JSON":           {"locals {\n  a = jsondecode(join(\"\", [for i in range(1500) : \"[\"]))\n}\n", "is nested more than"},
		"deep YAML":           {"locals {\n  a = yamldecode(join(\"\", [for i in range(1500) : \"[\"]))\n}\n", "is nested more than"},
		"deep YAML on a line": {"locals {\n  a = yamldecode(join(\"\", [for i in range(1500) : \"- \"]))\n}\n", "is nested more than"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, diags, out := loadSource(t, tt.src, Options{}, nil)
			if plan != nil || !diags.HasErrors() {
				t.Fatal("no error")
			}
			if len(diags) > 8 {
				t.Errorf("%d diagnostics for one problem", len(diags))
			}
			if len(out) > 4_000_000 || !strings.Contains(out, tt.want) {
				t.Errorf("%.500s\nwant %q", out, tt.want)
			}
		})
	}
}

// A file with many siblings is not nested too deeply.
func TestWideSourceIsAccepted(t *testing.T) {
	var b strings.Builder
	b.WriteString("locals {\n")
	for range 3 {
		b.WriteString("a" + strings.Repeat("b", b.Len()%7) + " = [\n")
		for range 2000 {
			b.WriteString("  upper(\"x-${1 + 2 * 3}\"), { a = [1], b = !true ? -1 : 2 },\n")
		}
		b.WriteString("]\n")
	}
	b.WriteString("}\nstage \"s\" { command = [\"x\"] }\n")
	if _, _, out := loadSource(t, b.String(), Options{}, nil); out != "" {
		t.Errorf("%.2000s", out)
	}
}

func TestUnreadablePipeline(t *testing.T) {
	dir := inDir(t, map[string]string{"sub/": "", "loop": "-> loop"})
	for path, want := range map[string]string{
		"none.hcl":             "does not exist",
		"none/none.hcl":        "does not exist",
		"sub":                  `"sub/pipeline.hcl" does not exist`,
		"loop":                 "cannot be read",
		filepath.Join(dir, ""): "pipeline.hcl\" does not exist",
	} {
		plan, diags, _ := Load(Options{File: path})
		if plan != nil || len(diags) != 1 || !strings.Contains(diags[0].Detail, want) {
			t.Errorf("%s: %v, want %q", path, diags, want)
		}
	}
}

func TestFormat(t *testing.T) {
	b, _, _ := Format([]byte("stage \"s\" {\ncommand=[\"x\"]\n   timeout   = \"5m\"\n}\n"), "pipeline.hcl")
	got := string(b)
	want := "stage \"s\" {\n  command = [\"x\"]\n  timeout = \"5m\"\n}\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRequiredVersion(t *testing.T) {
	const src = "pipeline { required_version = \">= 1.2.0, < 2.0.0\" }\nstage \"s\" { command = [\"x\"] }\n"
	for version, fits := range map[string]bool{
		"1.2.0": true, "v1.9.9": true, "1.1.9": false, "2.0.0": false, "(devel)": true, "": true,
	} {
		if plan, _, out := loadSource(t, src, Options{Version: version}, nil); (plan != nil) != fits {
			t.Errorf("%q: fits is %v, want %v\n%s", version, plan != nil, fits, out)
		}
	}
}

// A pipeline that declares no name has the name of its directory. Its paths are
// relative to that directory, independent of the working directory.
func TestDefaultsAndRoot(t *testing.T) {
	dir := inDir(t, map[string]string{
		"here/pipeline.hcl": "stage \"s\" {\n  command = [\"x\"]\n  inputs = { a = \"a.txt\" }\n}\n",
		"here/a.txt":        "a",
	})
	plan := mustLoad(t, Options{File: "here/pipeline.hcl"})
	if plan.Name != "here" || plan.Root != filepath.Join(dir, "here") {
		t.Errorf("name %q, root %q", plan.Name, plan.Root)
	}
	if got := plan.Instances[0].Inputs[0].Files[0].Source; got != filepath.Join(dir, "here", "a.txt") {
		t.Errorf("the source is %s", got)
	}
	if in := plan.Instances[0]; in.Network != NetworkNone || in.Cache.Off || in.Timeout != 0 {
		t.Errorf("defaults: %+v", in)
	}
}
