package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// What people write who know another language gets a message that says what to write here.
func TestMessagesForOtherLanguages(t *testing.T) {
	stage := func(more string) string {
		return "stage \"a\" {\n  outputs = { o = \"out/o\" }\n  command = [\"true\"]\n  " + more + "\n}\n"
	}
	shell := func(script string) string {
		return "stage \"a\" {\n  outputs = { o = \"out/o\" }\n  command = [\"sh\", \"-c\", \"" + script + "\"]\n}\n"
	}
	for text, want := range map[string]string{
		stage(`for_each = ["a"]`):                                `has no attribute "for_each". Write matrix { NAME = [...] }.`,
		stage(`foreach = ["a"]`):                                 `Write matrix { NAME = [...] }.`,
		stage(`count = 2`):                                       `Write matrix { NAME = range(COUNT) }.`,
		stage(`environment = { A = "b" }`):                       `Write env.`,
		stage(`needs = ["b"]`):                                   `Write depends_on.`,
		stage(`anything = 1`):                                    `"matrix"`,
		shell(`echo ${HOME}`):                                    `If a shell is to expand it, write $${HOME}.`,
		shell(`echo ${X%.*}`):                                    `For the text "${", which a shell expands, write "$${".`,
		shell(`date +%{x}`):                                      `For the text "%{", write "%%{".`,
		"include \"x\" {\n source = \".\"\n for_each = [1]\n}\n": `Write matrix { NAME = [...] }.`,
	} {
		_, out := loadText(t, text, pipeline.Options{})
		if !strings.Contains(out, want) {
			t.Errorf("%s\nsays\n%s\nand not\n%s", text, out, want)
		}
	}
}

// An input that is written as a pattern, or that has no file, gets a remedy for what is written.
func TestMessagesAboutInputsWithoutFiles(t *testing.T) {
	for expr, want := range map[string]string{
		`"*.txt"`:                           `write the input { path = ".", include = ["*.txt"] }`,
		`"src/**/*.c"`:                      `write the input { path = "src", include = ["**/*.c"] }`,
		`["src/[ab].c"]`:                    `write the input { path = "src", include = ["[ab].c"] }`,
		`"none.txt"`:                        `"none.txt" does not exist; correct the path`,
		`"empty"`:                           `contains no file for this input; add one, or set the input to null to omit it`,
		`{ path = "d", include = ["*.c"] }`: `; check include and exclude, or set the input to null`,
	} {
		dir := t.TempDir()
		for _, name := range []string{"empty", "d"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(dir, "pipeline.hcl")
		text := "stage \"a\" {\n  inputs = { x = " + expr + " }\n  outputs = { o = \"out/o\" }\n  command = [\"true\"]\n}\n"
		for name, text := range map[string]string{file: text, filepath.Join(dir, "d", "a.txt"): "a"} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, diags, _ := pipeline.Load(pipeline.Options{File: file})
		if !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: says\n%v\nand not\n%s", expr, diags, want)
		}
	}
}

// The parser's suggestion of "if" is not repeated: every short word is close to it.
func TestTemplatesThatAreText(t *testing.T) {
	_, out := loadText(t, "stage \"a\" {\n  command = [\"date\", \"+%{x}\"]\n}\n", pipeline.Options{})
	if strings.Contains(out, "Did you mean") {
		t.Errorf("a suggestion in\n%s", out)
	}
}

// A file of variables says what is wrong with it, and no variable that it may set is reported as missing.
func TestMessagesAboutFilesOfVariables(t *testing.T) {
	const declared = "variable \"v\" {\n  type = object({ a = string, b = optional(number) })\n}\n" +
		"variable \"w\" { type = string }\n" +
		"stage \"a\" {\n  outputs = { o = \"out/o\" }\n  command = [\"x\", var.v.a, var.w]\n}\n"
	for name, tt := range map[string]struct{ file, content, want string }{
		"a heredoc at the end":    {"v.tfvars", "v = { a = \"x\" }\nw = <<EOF\nabc\nEOF", ""},
		"JSON with another name":  {"v.vars", `{"v": {"a": "x"}, "w": "y"}`, ""},
		"a blank after a heredoc": {"v.tfvars", "v = { a = \"x\" }\nw = <<EOF \nabc\nEOF\n", "A blank follows <<EOF. Remove it: the line must end there."},
		"a tab after a heredoc":   {"v.tfvars", "v = { a = \"x\" }\nw = <<-E-1\t\nabc\nE-1\n", "A blank follows <<-E-1."},
		"an optional attribute":   {"v.json", `{"v": {"a": "x", "b": "y"}, "w": "y"}`, "must be an object({a = string, b = optional(number)}): "},
		"half of JSON":            {"v.vars", `{"v": {"a"`, "A JSON file of variables must contain one object"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(file, []byte(tt.content), 0o644); err != nil {
				t.Fatal(err)
			}
			plan, out := loadText(t, declared, pipeline.Options{VarFiles: []string{file}})
			if (plan != nil) != (tt.want == "") || !strings.Contains(out, tt.want) {
				t.Errorf("says\n%s\nand not\n%s", out, tt.want)
			}
			if strings.Contains(out, "no default and was not set") || strings.Contains(out, "block definition required") {
				t.Errorf("what only follows is reported:\n%s", out)
			}
		})
	}
}

// Paths in an included file are relative to the pipeline, which the message says with a way out.
func TestMessageAboutAPathInAModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"pipeline.hcl": "include \"m\" { source = \"mod\" }\n",
		"mod/pipeline.hcl": "stage \"a\" {\n  inputs = { f = [for x in fileset(\"data\", \"*\") : x] }\n" +
			"  command = [\"x\"]\n}\n",
		"mod/data/x": "x",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, diags, _ := pipeline.Load(pipeline.Options{File: filepath.Join(dir, "pipeline.hcl")})
	for _, want := range []string{dir, `"${path.module}/data"`} {
		if !strings.Contains(details(diags), want) {
			t.Errorf("says\n%s\nwithout\n%s", details(diags), want)
		}
	}
}

func loadText(t *testing.T, text string, o pipeline.Options) (*pipeline.Plan, string) {
	t.Helper()
	o.File = filepath.Join(t.TempDir(), "pipeline.hcl")
	if err := os.WriteFile(o.File, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	plan, diags, _ := pipeline.Load(o)
	return plan, details(diags)
}

func details(diags hcl.Diagnostics) string {
	var all []string
	for _, d := range diags {
		all = append(all, d.Detail)
	}
	return strings.Join(all, "\n")
}
