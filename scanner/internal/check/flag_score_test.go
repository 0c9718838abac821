package check

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// TestFlagScore checks that the threshold rises with the number of sentences.
func TestFlagScore(t *testing.T) {
	last := token.Score(0)
	for _, n := range []int{1, 8, 16, 64} {
		v := reading.Read(&tool.Definition{Name: "helper", Description: strings.Repeat("Lists the open orders of a day. ", n)})
		if n == 1 && flagScoreOf(v) != flagScore || flagScoreOf(v) <= last {
			t.Errorf("%d sentences: %d, after %d for fewer", n, flagScoreOf(v), last)
		}
		last = flagScoreOf(v)
	}
}
