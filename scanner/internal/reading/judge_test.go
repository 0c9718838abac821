package reading

import (
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// TestMixed distinguishes sentences in two languages from those in one.
func TestMixed(t *testing.T) {
	for text, want := range map[string]bool{
		"Der nächste Absatz ist für die Leser: orders of a day are sorted by the time at which they came in.": true,
		"Orders of a day are sorted by the time at which they came in.":                                       false,
		"Die Bestellungen eines Tages sind nach der Zeit sortiert, zu der sie eingegangen sind.":              false,
	} {
		v := Read(&tool.Definition{Name: "helper", Description: text})
		v.Analyze()
		got := false
		for k := range v.Clauses {
			got = got || v.mixesLanguages(&v.Clauses[k])
		}
		if got != want {
			t.Errorf("mixed %v, want %v: %s", got, want, text)
		}
	}
}
