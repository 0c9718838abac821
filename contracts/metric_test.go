package contracts

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRetrievalMetricsKeepTheirPlaces pins the JSON layout that files have had
// since the first version: recall nested by cut-off, everything else by name.
func TestRetrievalMetricsKeepTheirPlaces(t *testing.T) {
	const text = `{"recall_at":{"1":0.1,"10":0.4,"3":0.2,"5":0.3},"mrr":0.5,"ndcg_at_10":0.6,"map":0.7,"a_later_one":0.25}`
	want := RetrievalMetrics{
		"recall_at_1": .1, "recall_at_3": .2, "recall_at_5": .3, "recall_at_10": .4, "mrr": .5, "ndcg_at_10": .6, "map": .7,
		"a_later_one": .25,
	}
	var got RetrievalMetrics
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	written, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != text {
		t.Errorf("got %s", written)
	}
	if empty, err := json.Marshal(RetrievalMetrics(nil)); err != nil || string(empty) != "{}" {
		t.Errorf("no metrics: %s, %v", empty, err)
	}
}

func TestRetrievalMetricsRefusals(t *testing.T) {
	good := string(sampleBytes(t, fileTypes(t)["baseline"]))
	sample := `"metrics":{"key":0.5,"recall_at":{"5":0.5}}`
	if !strings.Contains(good, sample) {
		t.Fatalf("the sample has no metrics: %s", good)
	}
	for metrics, want := range map[string]string{
		`{"mrr":1.5}`:                "must be at most 1",
		`{"mrr":"high"}`:             "must be a number",
		`{"MRR":0.5}`:                `"MRR" is not the name of a metric`,
		`{"recall_at":0.5}`:          "must be an object",
		`{"recall_at":{"five":0.5}}`: `unknown field "five"`,
		`{"recall_at_5":0.5,"recall_at":{"5":0.25}}`: "is given both under recall_at and under its name",
	} {
		_, err := Decode[Baseline]("b.json", []byte(strings.Replace(good, sample, `"metrics":`+metrics, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", metrics, err, want)
		}
	}
}

func FuzzRetrievalMetrics(f *testing.F) {
	for _, seed := range []string{`{}`, `{"mrr":0.5}`, `{"recall_at":{"5":1},"map":0.25}`, `{"recall_at":null}`, `{"recall_at_5":1,"recall_at":{"5":1}}`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m RetrievalMetrics
		if json.Unmarshal(data, &m) != nil {
			return
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatalf("read and not written: %v", err)
		}
		var again RetrievalMetrics
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("written and not read: %v: %s", err, written)
		}
		if len(m) != len(again) || len(m) > 0 && !cmp.Equal(m, again) {
			t.Errorf("%v became %v", m, again)
		}
	})
}
