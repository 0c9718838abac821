package contracts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsNameEverySchema keeps docs/reference/contracts.md complete.
func TestDocsNameEverySchema(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "reference", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range SchemaNames() {
		if !strings.Contains(string(page), "`"+name) {
			t.Errorf("docs/reference/contracts.md does not mention %s", name)
		}
	}
}
