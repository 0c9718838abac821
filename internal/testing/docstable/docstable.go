// Package docstable keeps tables in the documentation equal to declarations in
// the code. A page marks the place of a table:
//
//	<!-- generated: NAME -->
//	<!-- end: NAME -->
//
// It is for tests only and imports no package of Touchstone.
package docstable

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update-docs", false, "write the generated tables of the documentation anew")

// Check compares the named table of a page with rows, which come from
// declarations. The first row is the head. With -update-docs it writes the
// table.
func Check(t *testing.T, page, name string, rows [][]string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}

	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	head, rest, ok := strings.Cut(string(data), begin)
	old, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table %s: write %s%s", page, name, begin, end)
	}

	table := Markdown(rows)
	switch {
	case old == table:
	case !*update:
		t.Errorf("%s: the table %s does not match the code; run the test %s with -update-docs\ngot:\n%swant:\n%s", page,
			name, t.Name(), old, table)
	default:
		if err := os.WriteFile(page, []byte(head+begin+table+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Markdown formats rows as a table. The first row is its head.
func Markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return b.String()
}
