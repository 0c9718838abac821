package detectors

import (
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/docstable"
)

func TestDocsListTheDetectors(t *testing.T) {
	rows := [][]string{{"name", "what it is"}}
	for _, d := range table {
		rows = append(rows, []string{"`" + d.name + "`", d.about})
		if _, err := build(d.name); err != nil {
			t.Errorf("%s cannot be made: %v", d.name, err)
		}
	}
	docstable.Check(t, "../../../docs/reference/detectors.md", "detectors", rows)
	names := Names()
	slices.Sort(names)
	if len(slices.Compact(names)) != len(table) {
		t.Errorf("a detector is declared twice: %v", names)
	}
}
