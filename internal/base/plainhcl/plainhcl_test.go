package plainhcl

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"a = \"x\"\nb {\n  c = true # yes\n}\n": "",
		"a = [1, { b = \"$${c}\", d: 2 }]":      "",
		"a = <<T\nx\nT\n":                       "",
		"a = 1 + 1":                             "write lists",
		"a = -1":                                "write lists",
		"a = \"${b}\"":                          "write lists",
		"a = b.c":                               "write lists",
		"a = f(1)":                              "write lists",
		"a = 1e99999999":                        "write the number without an exponent",
		"a = " + strings.Repeat("[", 30):        "this is nested too deeply",
	} {
		diags := Check([]byte(text), "f.hcl", "write lists", Lists...)
		if diags.HasErrors() != (want != "") || want != "" && !strings.Contains(diags.Error(), "this is not a plain value; "+want) {
			t.Errorf("%s: %v, want %q", text, diags, want)
		}
	}
	if diags := Check([]byte("a = []"), "f.hcl", "write a text"); !strings.Contains(diags.Error(), "write a text") {
		t.Errorf("without lists: %v", diags)
	}
}
