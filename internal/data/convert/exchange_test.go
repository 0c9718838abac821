package convert

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

func TestEscape(t *testing.T) {
	for id, want := range map[string]string{"a:b": "a:b", "a:b c": "a:b%20c", "a:100%": "a:100%25", "a:é\u00a0": "a:é\u00a0", "a:\t": "a:%09"} {
		if got := escape(id); got != want {
			t.Errorf("escape(%q) = %q, want %q", id, got, want)
		}
		if got := unescape(want); got != id {
			t.Errorf("unescape(%q) = %q, want %q", want, got, id)
		}
	}
	// escape does not write these, so unescape keeps them.
	for _, id := range []string{"a:%41", "a:%zz", "a:50%"} {
		if got := unescape(id); got != id {
			t.Errorf("unescape(%q) = %q", id, got)
		}
	}
}

// TestRunScoresAsTheReport scores random reports from their exported files. Some have tied or
// misleading scores, or queries with errors.
func TestRunScoresAsTheReport(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 100 {
		var golden contracts.GoldenSet
		report := contracts.RetrievalReport{Proxy: "p"}
		answered := 0
		want := make([]float64, 4)
		for q := range 1 + r.IntN(8) {
			id := fmt.Sprintf("q%d", q)
			judged := map[string]int{}
			query := contracts.Query{ID: id, Query: "x"}
			for tool := range 12 {
				if r.IntN(3) == 0 {
					name := fmt.Sprintf("s:tool %d", tool)
					judged[name] = r.IntN(3)
					query.Labels = append(query.Labels, contracts.Label{ToolID: name, Relevance: judged[name]})
				}
			}
			if len(query.Labels) == 0 {
				continue
			}
			golden.Queries = append(golden.Queries, query)
			result := contracts.QueryResult{ID: id}
			if r.IntN(5) == 0 {
				result.Error = "no answer"
				report.PerQuery = append(report.PerQuery, result)
				continue
			}
			var ids []string
			for rank := range 1 + r.IntN(10) {
				name := fmt.Sprintf("s:tool %d", r.IntN(12))
				ids = append(ids, name)
				result.Ranked = append(result.Ranked, contracts.RankedTool{Rank: rank + 1, ToolID: name, Score: float64(r.IntN(4))})
			}
			answered++
			report.PerQuery = append(report.PerQuery, result)
			topic := metrics.EvaluateTopic(ids, judged, 1)
			for i, v := range []float64{topic.AveragePrecision(), topic.ReciprocalRank(), topic.Recall(5), topic.NDCG(10)} {
				want[i] += v
			}
		}
		if answered == 0 {
			continue
		}
		var qrelsFile, runFile bytes.Buffer
		if err := WriteQrels(&qrelsFile, golden); err != nil {
			t.Fatal(err)
		}
		if err := WriteRun(&runFile, report); err != nil {
			t.Fatal(err)
		}
		qrels, err := trec.ReadQrels("qrels", &qrelsFile)
		if err != nil {
			t.Fatal(err)
		}
		measures, err := trec.ParseMeasures([]string{"map", "recip_rank", "recall.5", "ndcg_cut.10"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := trec.Evaluate(qrels, "run", &runFile, trec.Options{Level: 1, Complete: true, Measures: measures})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range e.All {
			if math.Abs(got-want[i]/float64(len(golden.Queries))) > 1e-12 {
				t.Fatalf("round %d: %s is %v from the files and %v in the report", round, e.Names[i], got, want[i]/float64(len(golden.Queries)))
			}
		}
	}
}

func TestReadTopics(t *testing.T) {
	got, err := ReadTopics("topics", strings.NewReader("q1\tfind a file\r\n\nq2 \t with\ttabs\n"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "[{q1 find a file} {q2 with\ttabs}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
	for text, want := range map[string]string{
		"q1\ta\nq2":            "topics:2: the line is not a topic id and a text",
		"q 1\ta":               "topics:1: the topic id \"q 1\" contains white space",
		"q1\ta\n\nq1\tb":       "topics:3: topic \"q1\" is already in line 1",
		"\n" + big(2<<20, 'x'): "cannot read topics after line 1",
	} {
		if _, err := ReadTopics("topics", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func big(n int, c byte) string { return string(bytes.Repeat([]byte{c}, n)) }

func TestGoldenSetRefuses(t *testing.T) {
	corpus := contracts.Corpus{Version: "c", Tools: []contracts.Tool{{ToolID: "s:t"}}}
	topics := []Topic{{"q1", "text"}}
	for want, qrels := range map[string]trec.Qrels{
		"s:u is not a tool of corpus c":            {"q1": {{Document: "s:u", Relevance: 1}}},
		"s:t has relevance 3":                      {"q1": {{Document: "s:t", Relevance: 3}}},
		"topic q2 has judgements but no text":      {"q1": {{Document: "s:t", Relevance: 1}}, "q2": {{Document: "s:t", Relevance: 1}}},
		"no topic has both a judgement and a text": {"q1": {{Document: "s:t", Relevance: -1}}},
	} {
		if _, _, err := GoldenSet(corpus, qrels, topics); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzReadTopics(f *testing.F) {
	f.Add("q1\ttext\nq2\tmore\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		topics, err := ReadTopics("f", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, topic := range topics {
			if topic.ID == "" || topic.Text == "" || strings.ContainsAny(topic.ID, blanks) {
				t.Fatalf("took %q", topic)
			}
			if unescape(escape(topic.Text)) != topic.Text {
				t.Fatalf("%q is not read back", topic.Text)
			}
		}
	})
}
