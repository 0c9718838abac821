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
	family, shared := "", ""
	for _, op := range Development() {
		if op.Family != family {
			family, shared = op.Family, sharedEnd(op.Family)
			fmt.Fprintf(&b, "\n## %s\n\n", family)
			if shared != "" {
				fmt.Fprintf(&b, "Of all operators of this family: %s\n\n", shared)
			}
		}
		only := ""
		if op.Disguise {
			only = " (disguise)"
		}
		fmt.Fprintf(&b, "- `%s`%s: %s\n", op.Name, only, strings.TrimSpace(strings.TrimSuffix(op.Reads, shared)))
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

// sharedEnd returns the last sentences that the descriptions of all operators of a family have in
// common. The page says them once.
func sharedEnd(family string) string {
	var shared []string
	first := true
	for _, op := range Development() {
		if op.Family != family {
			continue
		}
		sentences := strings.SplitAfter(op.Reads, ". ")
		if first {
			shared, first = sentences[1:], false
			continue
		}
		n := 0
		for n < min(len(shared), len(sentences)-1) && shared[len(shared)-1-n] == sentences[len(sentences)-1-n] {
			n++
		}
		shared = shared[len(shared)-n:]
	}
	return strings.Join(shared, "")
}
