package trec

import (
	"strings"
	"testing"
)

const mark = "\xef\xbb\xbf"

// TestAByteOrderMarkIsNoPartOfTheFirstTopic reads both files with and without it.
func TestAByteOrderMarkIsNoPartOfTheFirstTopic(t *testing.T) {
	const (
		qrelsText = "q1 0 d1 1\nq2 0 d1 1\nq2 0 d2 1\n"
		runText   = "q1 Q0 d1 1 3 x\nq2 Q0 d1 1 3 x\nq2 Q0 d2 2 2 x\n"
	)
	for _, before := range [][2]string{{"", ""}, {mark, ""}, {"", mark}, {mark, mark}} {
		qrels, err := ReadQrels("qrels.txt", strings.NewReader(before[0]+qrelsText))
		if err != nil {
			t.Fatal(err)
		}
		e, err := Evaluate(qrels, "run.txt", strings.NewReader(before[1]+runText), Options{Level: 1, Complete: true,
			Measures: []Measure{{Name: "map"}}})
		if err != nil || e.All[0] != 1 {
			t.Errorf("with %q: map is %v, %v; want 1", before, e, err)
		}
	}

	// A mark elsewhere is an ordinary character.
	qrels, err := ReadQrels("qrels.txt", strings.NewReader(qrelsText+mark+"q1 0 d1 1\n"))
	if err != nil || len(qrels) != 3 {
		t.Errorf("%v, %v", qrels, err)
	}
}

// TestAScoreIsOneForBoth refuses what trec_eval reads otherwise.
func TestAScoreIsOneForBoth(t *testing.T) {
	for _, score := range []string{"1_000", "0x_1p4", "1_0.5"} {
		if _, err := ReadRun("run.txt", strings.NewReader("q1 Q0 d1 1 "+score+" x\n")); err == nil ||
			!strings.Contains(err.Error(), "run.txt:1: score \""+score+"\" is not a number") {
			t.Errorf("%s: %v", score, err)
		}
	}
}

// TestDisjointTopicsAreAnError also with Complete.
func TestDisjointTopicsAreAnError(t *testing.T) {
	qrels := readQrels(t, "q1 0 d1 1\n")
	for _, complete := range []bool{false, true} {
		if e, err := Evaluate(qrels, "run.txt", strings.NewReader("q9 Q0 d1 1 1 x\n"),
			Options{Level: 1, Complete: complete}); err != ErrNoTopics {
			t.Errorf("complete %v: %v, %v", complete, e, err)
		}
	}
}
