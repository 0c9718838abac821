package undertest

import (
	"fmt"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestSpread(t *testing.T) {
	var corpus contracts.Corpus
	for i := range 10 {
		corpus.Tools = append(corpus.Tools, contracts.Tool{ToolID: fmt.Sprint("s:", i)})
	}
	for most, want := range map[int]string{0: "s:0 to s:9 of 10", 3: "s:2 to s:9 of 3", 10: "s:0 to s:9 of 10", 11: "s:0 to s:9 of 10"} {
		got := spread(corpus, most).Tools
		if text := fmt.Sprintf("%s to %s of %d", got[0].ToolID, got[len(got)-1].ToolID, len(got)); text != want {
			t.Errorf("at most %d: got %s, want %s", most, text, want)
		}
	}
}
