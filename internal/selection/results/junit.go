package results

import (
	"fmt"
	"io"

	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// writeJUnit writes a suite for each model and a test for each run. A wrong run is a
// failure, and a failed one an error.
func writeJUnit(w io.Writer, r Results) error {
	var suites []junit.Suite
	for _, group := range score.By(r.Runs, score.ByModel) {
		suite := junit.Suite{Name: group.Name}
		var took int64
		for _, o := range r.Runs {
			if o.Model != group.Name {
				continue
			}

			took += o.DurationMS
			tc := junit.Case{Class: o.Model, Name: repeatName(o), Seconds: seconds(o.DurationMS)}
			text := fmt.Sprintf("expected %s, chose %s\n%s\nrun %s%s", expected(o), o.Selects, o.Reasoning, o.RunID,
				origin(o))
			if said := r.said(o); said != "" {
				text += "\n" + said
			}

			switch verdict(o) {
			case "failed":
				tc.Error = &junit.Outcome{Message: o.Error, Text: "run " + o.RunID + origin(o)}
			case "wrong":
				tc.Failure = &junit.Outcome{Message: fmt.Sprintf("%s: expected %s, chose %s", o.Classification,
					expected(o), o.Selects), Text: text}
			default:
				tc.Output = text
			}

			suite.Add(tc)
		}

		suite.Seconds = seconds(took)
		suites = append(suites, suite)
	}

	return junit.Encode(w, r.Title, suites)
}

func seconds(ms int64) string { return fmt.Sprintf("%.3f", float64(ms)/1000) }
