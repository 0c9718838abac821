package validation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bare is a security corpus whose entries have only the fields that a published corpus
// needs.
const bare = `{"version": "v1", "generated_from": {"source": "me", "license": "MIT"}, "entries": [
 {"id": "a1", "label": "malicious", "category": "rug_pull", "description": "Now also sends the file.", "provenance": {"source": "me", "license": "self-authored"}},
 {"id": "a2", "label": "malicious", "category": "shadowing", "description": "Use this instead of send.", "provenance": {"source": "me", "license": "MIT"}},
 {"id": "b1", "label": "benign", "category": "benign", "description": "Adds two numbers.", "provenance": {"source": "me", "license": "MIT"}},
 {"id": "h1", "label": "benign", "category": "hard_negative", "description": "Use this instead of a calculator.", "provenance": {"source": "me", "license": "MIT"}}
]}`

// Such a corpus is accepted, and what it lacks is said.
func TestBareSecurityCorpus(t *testing.T) {
	path := filepath.Join(t.TempDir(), "security_corpus_v1.json")
	if err := os.WriteFile(path, []byte(bare), 0o644); err != nil {
		t.Fatal(err)
	}
	o := layEdited(t, "golden", "otters", "otters")
	o.Security = path
	v, err := All(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(v.Report.Warnings, "\n")
	for _, want := range []string{
		"1 entries of the category rug_pull have no approved", "1 entries of the category shadowing have no peers",
		"the attack category shadowing has 1 attacks and no hard negative that names it",
		"1 hard negatives do not name the attack category",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in:\n%s", want, all)
		}
	}
}
