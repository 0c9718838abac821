package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		"include \"x\" {\n source = \".\"\n for_each = [1]\n}\n": `Write one include "NAME" block for each value.`,
	} {
		file := filepath.Join(t.TempDir(), "pipeline.hcl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, diags, _ := pipeline.Load(pipeline.Options{File: file})
		var all []string
		for _, d := range diags {
			all = append(all, d.Detail)
		}
		if !strings.Contains(strings.Join(all, "\n"), want) {
			t.Errorf("%s\nsays\n%s\nand not\n%s", text, strings.Join(all, "\n"), want)
		}
	}
}
