package trec

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/touchstone-eval/touchstone/metrics"
)

func readQrels(t *testing.T, text string) Qrels {
	t.Helper()
	qrels, err := ReadQrels("qrels.txt", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return qrels
}

func evaluateText(t *testing.T, qrels Qrels, run string, opts Options) *Evaluation {
	t.Helper()
	e, err := Evaluate(qrels, "run.txt", strings.NewReader(run), opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestReference reproduces the output of trec_eval itself, byte for byte.
func TestReference(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "reference", "trec")
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("the reference figures are not beside this checkout: %v", err)
		}
		return string(data)
	}
	qrels, run := readQrels(t, read("qrels.txt")), read("run.txt")
	for _, tt := range []struct {
		file string
		opts Options
	}{
		{"expected.txt", Options{Level: 1}},
		{"expected_complete.txt", Options{Level: 1, Complete: true}},
		{"expected_level2.txt", Options{Level: 2}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			e := evaluateText(t, qrels, run, tt.opts)
			var got strings.Builder
			if err := e.Print(&got, true); err != nil {
				t.Fatal(err)
			}
			want := read(tt.file)
			if got.String() == want {
				return
			}
			w := strings.Split(want, "\n")
			for i, line := range strings.Split(got.String(), "\n") {
				if i >= len(w) || line != w[i] {
					t.Fatalf("line %d:\n got %q\nwant %q", i+1, line, w[min(i, len(w)-1)])
				}
			}
			t.Fatal("lines are missing at the end")
		})
	}
}

func TestReadersNameLineAndRemedy(t *testing.T) {
	qrels := func(text string) error { _, err := ReadQrels("labels", strings.NewReader(text)); return err }
	run := func(text string) error { return checkRun("results", strings.NewReader(text)) }
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"three fields", qrels("q1 0 d1 1\n\nq1 0 d2\n"), `labels:3: 3 fields instead of 4; write "topic 0 document relevance"`},
		{"five fields", qrels("q1 0 d 1 x"), `labels:1: 5 fields`},
		{"relevance", qrels("q1 0 d 1.5"), `labels:1: relevance "1.5" is not a whole number`},
		{"twice", qrels("q1 0 d 1\nq2 0 d 1\nq1 0 d 0"), `labels:3: document "d" is judged twice for topic "q1"; keep one`},
		{"NUL", qrels("q1 0 d\x00 1"), `labels:1: the line holds a NUL byte`},
		{"long line", qrels("q1 0 d 1\n" + strings.Repeat("x", maxLine+100)), `labels:2: the line is longer than 1 MiB`},
		{"no tag", run("q1 Q0 d 1 2.5"), `results:1: 5 fields instead of 6; write "topic Q0 document rank score tag"`},
		{"score", run("q1 Q0 d 1 2,5 x"), `results:1: score "2,5" is not a number`},
		{"NaN", run("q1 Q0 d 1 nan x"), `results:1: score "nan" is not a number`},
		{"twice in a topic", run("q1 Q0 d 1 3 x\nq2 Q0 d 1 3 x\nq1 Q0 e 2 2 x\nq1 Q0 d 3 1 x\nq2 Q0 d 1 1 x"), `results:4: document "d" occurs twice in topic "q1", first in line 1`},
	}
	for _, tt := range tests {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, tt.err, tt.want)
		}
	}
}

func TestReadersTakeWhatTrecEvalTakes(t *testing.T) {
	qrels := readQrels(t, "\tq1  0\td1   2\r\n\n  \nq1 0 d2 -1\nq1 0 d3 0")
	want := []Judgement{{"d1", 2}, {"d2", -1}, {"d3", 0}}
	if fmt.Sprint(qrels["q1"]) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", qrels, want)
	}
	e := evaluateText(t, Qrels{"q1": {{"d2", 1}}, "q2": {{"d1", 1}}},
		"q2 Q0 d1 1 1e400 a\nq1 Q0 d1 9 -inf a more words after it\nq2 Q0 d0 1 3.5e38 a\n q1 Q0 d2 9 3 b", Options{Level: 1})
	for _, topic := range e.Topics {
		if topic.Figures[1] != 1 {
			t.Errorf("topic %s: reciprocal rank %v", topic.ID, topic.Figures[1])
		}
	}
	if len(e.Topics) != 2 {
		t.Errorf("topics %v", e.Topics)
	}
}

func TestEvaluateTopics(t *testing.T) {
	qrels := readQrels(t, "q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 0\n")
	run := "q1 Q0 d1 1 1 x\nq3 Q0 d1 1 1 x\nq9 Q0 d1 1 1 x\n"
	recall, err := ParseMeasures([]string{"recall.1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		complete bool
		want     float64
	}{{false, 1. / 2}, {true, 1. / 3}} {
		e := evaluateText(t, qrels, run, Options{Level: 1, Complete: tt.complete, Measures: recall})
		if e.All[0] != tt.want || len(e.Topics) != 2 {
			t.Errorf("complete %v: mean %v over %d topics, want %v over 2", tt.complete, e.All[0], len(e.Topics), tt.want)
		}
	}
	if _, err := Evaluate(qrels, "run.txt", strings.NewReader("q9 Q0 d1 1 1 x"), Options{Level: 1}); err != ErrNoTopics {
		t.Errorf("got %v, want %v", err, ErrNoTopics)
	}
}

func TestParseMeasures(t *testing.T) {
	got, err := ParseMeasures([]string{"success", "recall.10,1", "map"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "[{map []} {recall [1 10]} {success [1 5 10]}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for text, want := range map[string]string{
		"recal.5":    `unknown measure "recal"`,
		"recall.0":   `"0" is not a cut-off`,
		"recall.":    `"" is not a cut-off`,
		"recall.5,5": "the cut-off 5 is given twice",
		"map.5":      `takes no cut-offs; write "map"`,
	} {
		if _, err := ParseMeasures([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	if _, err := ParseMeasures([]string{"P.1", "P.5"}); err == nil {
		t.Error("two lists for one measure were taken")
	}
}

func TestRunWriterKeepsTheOrder(t *testing.T) {
	for name, ranked := range map[string][]metrics.Scored{
		"scores say it":       {{ID: "b", Score: 3.25}, {ID: "a", Score: 3.125}, {ID: "c", Score: -1}},
		"ties":                {{ID: "a", Score: 3}, {ID: "b", Score: 3}, {ID: "c", Score: 3}},
		"tied as floats":      {{ID: "a", Score: 16777216.4}, {ID: "b", Score: 16777216.1}},
		"scores mislead":      {{ID: "a", Score: 1}, {ID: "b", Score: 2}},
		"no scores":           {{ID: "a"}, {ID: "b"}},
		"not a number at all": {{ID: "a", Score: math.NaN()}},
		"empty":               nil,
	} {
		t.Run(name, func(t *testing.T) {
			var file bytes.Buffer
			w, err := NewRunWriter(&file, "test")
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Topic("q1", ranked); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			got := rankSimply(file.String())["q1"]
			if !slices.Equal(idsOf(got), idsOf(ranked)) {
				t.Errorf("got %v, want %v\n%s", got, ranked, file.String())
			}
			if name == "scores say it" && got[0].Score != 3.25 {
				t.Errorf("the score became %v", got[0].Score)
			}
		})
	}
}

func TestWritersRefuseWhiteSpace(t *testing.T) {
	if err := WriteQrels(&bytes.Buffer{}, Qrels{"q 1": {{"d", 1}}}); err == nil {
		t.Error("a topic with white space was written")
	}
	w, err := NewRunWriter(&bytes.Buffer{}, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Topic("q1", []metrics.Scored{{ID: "a\tb"}}); err == nil {
		t.Error("a document with white space was written")
	}
	if _, err := NewRunWriter(&bytes.Buffer{}, ""); err == nil {
		t.Error("an empty tag was taken")
	}
}

func FuzzReadQrels(f *testing.F) {
	f.Add("q1 0 d1 1\nq1 0 d2 0\n")
	f.Add("q1\t0 d1 -1 \r\n\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		qrels, err := ReadQrels("f", strings.NewReader(text))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteQrels(&first, qrels); err != nil {
			t.Fatal(err)
		}
		again, err := ReadQrels("f", bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteQrels(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%v\n%q became\n%q", err, first.String(), second.String())
		}
	})
}

func FuzzEvaluate(f *testing.F) {
	f.Add("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 2.5 tag\n")
	f.Add("q1 Q0 d1 1 1e999 tag more\nq2 Q0 d1 1 0x1p-3 t")
	f.Add("q1\tQ0\td1\t1\t-2.5\ttag\r\nq1 Q0 d2  2 12.5 tag\nq2 Q0 d2 2 2.5 tag\nq1 Q0 d3 2 .5 tag\n")
	f.Fuzz(func(t *testing.T, text string) {
		if checkRun("f", strings.NewReader(text)) != nil {
			return
		}
		ranked := rankSimply(text)
		qrels := Qrels{}
		for topic, results := range ranked {
			for i := 0; i < len(results); i += 2 {
				qrels[topic] = append(qrels[topic], Judgement{results[i].ID, i % 3})
			}
		}
		if len(qrels) == 0 {
			return
		}
		for _, reader := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			e, err := Evaluate(qrels, "f", reader, Options{Level: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := evaluateSimply(ranked, qrels, 1, StandardMeasures())
			if len(want) != len(e.Topics) {
				t.Fatalf("%d topics instead of %d", len(e.Topics), len(want))
			}
			for _, topic := range e.Topics {
				if !slices.Equal(topic.Figures, want[topic.ID]) {
					t.Fatalf("topic %s: %v instead of %v", topic.ID, topic.Figures, want[topic.ID])
				}
			}
		}
	})
}

func BenchmarkEvaluateMillionLines(b *testing.B) {
	var qrels, run bytes.Buffer
	for topic := range 1000 {
		for i := range 1000 {
			document := fmt.Sprintf("server%02d:tool_%05d", i%37, (topic*31+i*7919)%20000)
			fmt.Fprintf(&run, "t%04d Q0 %s %d %.4f tag\n", topic, document, i, float64(i*i%1777)/7)
			if i%50 == 0 {
				fmt.Fprintf(&qrels, "t%04d 0 %s %d\n", topic, document, i%3)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		q, err := ReadQrels("q", bytes.NewReader(qrels.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Evaluate(q, "r", bytes.NewReader(run.Bytes()), Options{Level: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOrderOfARun derives the rank of each result from the reciprocal rank when
// it alone is relevant.
func TestOrderOfARun(t *testing.T) {
	// x1 and x2 are equal as 32-bit floats, so the higher id comes first
	// although its score is lower. Both big scores are infinite.
	const run = "q 0 a 1 1 t\nq 0 b 1 2 t\nq 0 c 1 2 t\nq 0 B 1 2 t\nq 0 neg 1 -1 t\nq 0 x1 1 16777216.4 t\nq 0 x2 1 16777216.1 t\nq 0 big 1 1e300 t\nq 0 bigger 1 1e301 t\n"
	for i, id := range []string{"bigger", "big", "x2", "x1", "c", "b", "B", "a", "neg"} {
		e, err := Evaluate(Qrels{"q": {{id, 1}}}, "run", strings.NewReader(run), Options{Level: 1, Measures: []Measure{{Name: "recip_rank"}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.All[0]; got != 1/float64(i+1) {
			t.Errorf("%s stands at rank %v, want %d", id, 1/got, i+1)
		}
	}
}
