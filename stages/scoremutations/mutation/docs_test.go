package mutation

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page lists every development operator with the text of the source, and no held-out one.
func TestOperatorsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scanner/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	family := ""
	for _, op := range Development() {
		if op.Family != family {
			family = op.Family
			fmt.Fprintf(&b, "\n## %s\n\n", family)
		}
		only := ""
		if op.Disguise {
			only = " (disguise)"
		}
		fmt.Fprintf(&b, "- `%s`%s: %s\n", op.Name, only, op.Reads)
	}
	if !strings.Contains(string(page), b.String()) {
		t.Errorf("docs/scanner/operators.md lacks this list:\n%s", b.String())
	}
	for _, op := range HeldOut() {
		if strings.Contains(string(page), "`"+op.Name+"`") {
			t.Errorf("docs/scanner/operators.md names the held-out operator %s", op.Name)
		}
	}
}
