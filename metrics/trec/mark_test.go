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

	// Joined files have a mark in the middle, where it would be part of a topic.
	for text, place := range map[string]string{qrelsText + mark + "q1 0 d1 1\n": "qrels.txt:4", mark + mark + qrelsText: "qrels.txt:1"} {
		if _, err := ReadQrels("qrels.txt", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), place+": the line begins with a byte order mark; remove the mark") {
			t.Errorf("got %v", err)
		}
	}

	if _, err := ReadRun("run.txt", strings.NewReader(runText+mark+"q1 Q0 d2 2 2 x\n")); err == nil ||
		!strings.Contains(err.Error(), "run.txt:4: the line begins") {
		t.Errorf("got %v", err)
	}
}

// TestLinesEndWithALineFeed refuses a file whose lines end with carriage returns alone: it would be one line, of which
// only the first result would count.
func TestLinesEndWithALineFeed(t *testing.T) {
	for _, text := range []string{"q1 Q0 d1 1 3 x\rq2 Q0 d1 1 3 x\r", "q1 Q0 d1 1 3 x\r\nq2 Q0 d1 1 3 x\rq3 Q0 d1 1 3 x"} {
		if _, err := ReadRun("run.txt", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), "the line holds a carriage return; end each line with a line feed") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestAScoreIsOneForBoth refuses what trec_eval reads otherwise.
func TestAScoreIsOneForBoth(t *testing.T) {
	for _, score := range []string{"1_000", "0x_1p4", "1_0.5", "0x10", "0x1p4", "-0X1P+2"} {
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
