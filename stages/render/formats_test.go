package render

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/docstable"
)

func TestDocsListTheFormats(t *testing.T) {
	rows := [][]string{{"file", "for", "limit, and what happens at it"}}
	for _, f := range formats {
		rows = append(rows, []string{"`" + f.file + "`", f.reader, f.limit})
	}
	docstable.Check(t, "../../docs/reference/reports.md", "formats", rows)
}

// Every declared file is written, and no other.
func TestRunWritesEveryFormat(t *testing.T) {
	dir := t.TempDir()
	r := sampleReport(t, 30)
	o := Options{Aggregate: filepath.Join(dir, "a.json"), Gate: filepath.Join(dir, "g.json"), Out: filepath.Join(dir, "out")}
	for path, v := range map[string]any{o.Aggregate: r.Aggregate, o.Gate: r.Gate} {
		if err := contracts.Write(path, v); err != nil {
			t.Fatal(err)
		}
	}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	var written, declared []string
	for _, e := range entries {
		written = append(written, e.Name())
	}
	help := Command().Long
	for _, f := range formats {
		declared = append(declared, f.file)
		if !strings.Contains(help, f.file) {
			t.Errorf("the help does not name %s", f.file)
		}
	}
	slices.Sort(declared)
	if !slices.Equal(written, declared) {
		t.Errorf("wrote %v, declared %v", written, declared)
	}
}
