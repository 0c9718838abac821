package judging

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goldenFile = `{"corpus_version": "v1", "queries": [
 {"id": "q1", "query": "one", "labels": [{"tool_id": "s:a", "relevance": 2}, {"tool_id": "s:b", "relevance": 0}, {"tool_id": "s:c", "relevance": 1}]},
 {"id": "q2", "query": "two", "labels": [{"tool_id": "s:a", "relevance": 1}, {"tool_id": "s:b", "relevance": 0}]},
 {"id": "q3", "query": "three", "expects": "none", "labels": []}]}`

const judgedFile = `{"corpus_version": "v1", "judge": "a person", "judged": [
 {"id": "q1", "labels": [{"tool_id": "s:a", "relevance": 2}, {"tool_id": "s:b", "relevance": 0}, {"tool_id": "s:d", "relevance": 0}]},
 {"id": "q2", "labels": [{"tool_id": "s:a", "relevance": 0}, {"tool_id": "s:b", "relevance": 0}]}]}`

func read(t *testing.T, file, text string) Judge {
	t.Helper()
	j, err := Read(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestCompare(t *testing.T) {
	a, err := Compare(read(t, "golden.json", goldenFile), read(t, "judged.json", judgedFile))
	if err != nil {
		t.Fatal(err)
	}
	if a.Queries != 2 || a.Pairs != 4 || a.OnlyFirst != 1 || a.OnlySecond != 1 {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff([]Disagreement{{"q2", "s:a", 1, 0}}, a.Disagreements); diff != "" {
		t.Error(diff)
	}
	// 3 of 4 agree. Chance: (2*3 + 1*0 + 1*1) / 16.
	want := map[string]float64{"agreement": 0.75, "kappa": (0.75 - 7./16) / (9. / 16), "kappa_grade_2": 1, "kappa_grade_1": 0}
	for _, f := range a.Figures {
		if w, ok := want[f.Name]; ok {
			delete(want, f.Name)
			if f.Value == nil || math.Abs(*f.Value-w) > 1e-12 {
				t.Errorf("%s is %v, want %v", f.Name, f.Value, w)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	for _, f := range a.Figures {
		if f.Interval != nil && (f.Interval.Low < -1 || f.Interval.High > 1 || f.Interval.Low > *f.Value || f.Interval.High < *f.Value) {
			t.Errorf("%s: %v in %v", f.Name, *f.Value, *f.Interval)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	golden := read(t, "golden.json", goldenFile)
	other := read(t, "other.json", strings.Replace(goldenFile, `"v1"`, `"v2"`, 1))
	if _, err := Compare(golden, other); err == nil || !strings.Contains(err.Error(), `golden.json judged tools of corpus "v1", and other.json those of corpus "v2"`) {
		t.Errorf("%v", err)
	}
	apart := read(t, "apart.json", strings.ReplaceAll(goldenFile, `"id": "q`, `"id": "r`))
	if _, err := Compare(golden, apart); err == nil || !strings.Contains(err.Error(), "no pair of a query and a tool in common") {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		strings.Replace(judgedFile, "s:b", "s:a", 1): "query q1 has two labels for s:a",
		strings.Replace(judgedFile, "q2", "q1", 1):   "query q1 is judged twice",
		`{"tools": []}`: "must be a golden set or a file of judgements",
		`{"judged": 1}`: "judged is a number",
		`]`:             "must be a golden set or a file of judgements",
	} {
		if _, err := Read("file.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
