package check

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/frames"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// TestFlagScore checks that the threshold rises with the number of sentences.
func TestFlagScore(t *testing.T) {
	last := token.Score(0)
	for _, n := range []int{1, 8, 16, 64} {
		v := frames.Read(&tool.Definition{Name: "helper", Description: strings.Repeat("Lists the open orders of a day. ", n)})
		v.Analyze()
		if n == 1 && flagScoreOf(v) != flagScore || flagScoreOf(v) <= last {
			t.Errorf("%d sentences: %d, after %d for fewer", n, flagScoreOf(v), last)
		}
		last = flagScoreOf(v)
	}
}

// TestMixed distinguishes sentences in two languages from those in one.
func TestMixed(t *testing.T) {
	for text, want := range map[string]bool{
		"Der nächste Absatz ist für die Leser: orders of a day are sorted by the time at which they came in.": true,
		"Orders of a day are sorted by the time at which they came in.":                                       false,
		"Die Bestellungen eines Tages sind nach der Zeit sortiert, zu der sie eingegangen sind.":              false,
	} {
		v := frames.Read(&tool.Definition{Name: "helper", Description: text})
		v.Analyze()
		got := false
		for k := range v.Clauses {
			got = got || mixesLanguages(v, &v.Clauses[k])
		}
		if got != want {
			t.Errorf("mixed %v, want %v: %s", got, want, text)
		}
	}
}
