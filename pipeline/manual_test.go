package pipeline

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestReferenceIsUpToDate(t *testing.T) {
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/reference/language.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/reference/language.md is out of date; run go generate ./pipeline\n%s", diff)
	}
}

// Every description in the tables is a sentence, and no name occurs twice.
func TestSchemaIsDocumented(t *testing.T) {
	sentence := func(where, doc string) {
		if doc == "" || !strings.HasSuffix(strings.TrimSuffix(doc, ")"), ".") || strings.Contains(doc, "|") || strings.Contains(doc, "\n") {
			t.Errorf("%s: %q is no sentence for a table", where, doc)
		}
	}
	var walk func(b *block)
	walk = func(b *block) {
		sentence(b.name, b.doc)
		seen := map[string]bool{}
		for _, name := range b.names() {
			if seen[name] {
				t.Errorf("%s.%s is there twice", b.name, name)
			}
			seen[name] = true
		}
		for _, a := range b.attrs {
			sentence(b.name+"."+a.name, a.doc)
		}
		for _, nested := range b.blocks {
			walk(nested)
		}
	}
	walk(fileSchema)
	seen := map[string]bool{}
	for _, f := range append(pureFunctions, (&loader{}).fileFunctions()...) {
		sentence(f.name, f.doc)
		if seen[f.name] || !strings.HasPrefix(f.signature, f.name+"(") || !hclsyntax.ValidIdentifier(f.name) {
			t.Errorf("%s: twice, or another name in %q", f.name, f.signature)
		}
		seen[f.name] = true
	}
}

// The example at the top of the reference is a valid pipeline.
func TestReferenceExample(t *testing.T) {
	_, rest, _ := strings.Cut(manualIntro, "```hcl\n")
	src, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	plan, _, out := loadSource(t, src, Options{}, map[string]string{"datasets/corpus.json": "{}"})
	if plan == nil || len(plan.Instances) != 4 {
		t.Error(out)
	}
}
