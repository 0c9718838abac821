package main

import (
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
)

// maxNamed limits the instances that a line of an explanation names.
const maxNamed = 20

// inSeries names instances in a sentence.
func inSeries(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed:maxNamed], fmt.Sprintf("%d more (--json lists them)", more))
	}
	return english.WordSeries(names, "and")
}

// printAwaited says which instances a waiting one waits for and why these have to run, those with the same reason
// together, and which inputs come from them.
func printAwaited(w io.Writer, x engine.Explanation) {
	type reason struct {
		status engine.State
		why    string
	}
	var reasons []reason
	names := map[reason][]string{}
	for _, a := range x.WaitsFor {
		r := reason{a.Status, whyNotHit(a.Reasons, a.Changes, a.Elsewhere)}
		if names[r] == nil {
			reasons = append(reasons, r)
		}

		names[r] = append(names[r], instanceName(a.Stage, a.Instance))
	}

	for _, r := range reasons {
		n := len(names[r])
		must := english.PluralWord(n, "has to run", "have to run")
		if r.status == engine.Waits {
			must = "may have to run"
		}

		// The reason may quote a record that another machine wrote.
		fmt.Fprintf(w, "  waits for %s, which %s: %s\n", inSeries(names[r]), must, safetext.Visible(r.why))
	}

	for _, u := range x.Unknown {
		what := "it"
		if u.Part {
			what = "a part of it"
		}

		fmt.Fprintf(w, "  %s is not known yet: %s comes from %s\n", u.Component, what, inSeries(u.Writers))
	}
}
