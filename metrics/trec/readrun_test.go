package trec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/metrics"
)

func TestReadRun(t *testing.T) {
	// The ranks and the order of the lines say nothing, and the lines of q1 are
	// not adjacent.
	got, err := ReadRun("run.txt", strings.NewReader(`q1 Q0 a:low 1 0.5 tag
q2 Q0 a:x 1 -3 tag
q1 Q0 a:high 3 2e0 tag
q1 Q0 a:zow 2 0.5 tag
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]metrics.Scored{
		"q1": {{ID: "a:high", Score: 2}, {ID: "a:zow", Score: 0.5}, {ID: "a:low", Score: 0.5}},
		"q2": {{ID: "a:x", Score: -3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for text, message := range map[string]string{
		"q1 Q0 a 1 0.5\n": "run.txt:1: ",
		"q1 Q0 a 1 0.5 t\nq2 Q0 b 1 1 t\nq1 Q0 a 2 0.1 t\n": `run.txt:3: document "a" occurs twice in topic "q1", first in line 1`,
		"q1 Q0 a 1 much t\n": "run.txt:1: ",
	} {
		if _, err := ReadRun("run.txt", strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), message) {
			t.Errorf("%q: %v, want %s", text, err, message)
		}
	}
	if run, err := ReadRun("empty", strings.NewReader("")); err != nil || len(run) != 0 {
		t.Errorf("an empty file: %v, %v", run, err)
	}
}
