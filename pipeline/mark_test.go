package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// A byte order mark before a text is no part of it, whatever reads the text.
func TestAByteOrderMarkIsNoPartOfAText(t *testing.T) {
	dir := t.TempDir()
	const mark = "\ufeff"
	for name, text := range map[string]string{
		"pipeline.hcl": mark + `variable "n" { type = number }
stage "s" {
  outputs = { o = "out/o" }
  command = ["echo", csvdecode(file("t.csv"))[0].name, jsondecode(file("t.json")).name, yamldecode(file("t.yaml")).name, tostring(var.n)]
}
`,
		"t.csv":  mark + "name\ncsv\n",
		"t.json": mark + `{"name": "json"}`,
		"t.yaml": mark + "name: yaml\n",
		"v.hcl":  mark + "n = 7\n",
		"v.json": mark + `{"n": 7}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, values := range []string{"v.hcl", "v.json"} {
		plan, diags, _ := pipeline.Load(pipeline.Options{File: dir, VarFiles: []string{filepath.Join(dir, values)}})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if got := strings.Join(plan.Instances[0].Command, " "); got != "echo csv json yaml 7" {
			t.Errorf("%s: the command is %q", values, got)
		}
	}
}
