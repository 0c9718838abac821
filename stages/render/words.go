package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// named puts a noun before a name that does not begin with it.
func named(noun, name string) string {
	if strings.HasPrefix(name, noun) {
		return name
	}
	return noun + " " + name
}

// verdict is the summary of all checks as a sentence, and on which part of the
// data it rests, if not on all.
func verdict(g *contracts.Gate) string { return checksLine(g) + coverageText(g) }

func checksLine(g *contracts.Gate) string {
	failed := summary.FailedChecks(g)
	switch {
	case g.NoVerdict != nil:
		return fmt.Sprintf("%s. To get one, %s.", g.NoVerdict.Reason, g.NoVerdict.Remedy)
	case len(g.Checks) == 0:
		return "The gate judged nothing, because the baseline has no threshold for these figures."
	case !g.Passed && len(failed) == 0:
		return "The verdict is \"failed\", but all checks passed."
	case g.Passed:
		return fmt.Sprintf("%s.", wording.CountOf(len(g.Checks), "The only check passed", "All %d checks passed"))
	}

	var parts []string
	for i, c := range failed {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d more", len(failed)-3))
			break
		}

		parts = append(parts, summary.CheckText(c))
	}

	return failedCount(g) + ": " + strings.Join(parts, "; ") + "."
}

// failedCount counts the failed checks: "2 of 8 checks fail".
func failedCount(g *contracts.Gate) string {
	n := len(summary.FailedChecks(g))
	switch {
	case len(g.Checks) == 1:
		return "The only check fails"
	case n == 1:
		return fmt.Sprintf("1 of %d checks fails", len(g.Checks))
	}
	return fmt.Sprintf("%d of %d checks fail", n, len(g.Checks))
}

// degraded reports why these are not the figures that a baseline would have: the
// index was degraded on purpose, or it was a quick run. It is empty otherwise.
func degraded(a *contracts.Aggregate) string {
	var notes []string
	if a.Degraded != "" {
		notes = append(notes, fmt.Sprintf("The index was degraded on purpose: %s.", a.Degraded))
	}
	if split := a.Validation.Split; split != "" {
		notes = append(notes, fmt.Sprintf("Quick run: one run over the queries of the split %s, without rewritten entries.", split))
	}
	return strings.Join(notes, " ")
}

// unjudged lists the metrics that cannot be compared with the baseline, one
// line each, and the detectors without a threshold, one line for each reason.
func unjudged(g *contracts.Gate) []string {
	var lines, notes []string
	detectors := make(map[string][]string)
	for _, m := range g.Unjudged {
		if m.State == contracts.Unjudged {
			if detectors[m.Note] == nil {
				notes = append(notes, m.Note)
			}

			detectors[m.Note] = append(detectors[m.Note],
				fmt.Sprintf("%s (recall %s)", m.Subject, wording.Figure(m.Value)))
			continue
		}

		lines = append(lines, fmt.Sprintf("%s (%s) is %s: %s.", wording.MetricName(m.Metric), wording.Figure(m.Value),
			m.State, m.Note))
	}

	for _, note := range notes {
		lines = append(lines, fmt.Sprintf("Not judged: %s (%s).", strings.Join(detectors[note], ", "), note))
	}

	return lines
}

// answers describes failed and faulty answers of the proxy. It is empty if
// there are none.
func answers(a *contracts.Aggregate) string {
	r, text := &a.Retrieval, ""
	if r.Errored > 0 {
		text = fmt.Sprintf("%d of %d queries failed and count as missed. ", r.Errored, r.Queries)
	}
	if i := slices.IndexFunc(r.PerQuery, func(q contracts.QuerySummary) bool { return len(q.Anomalies) > 0 }); i >= 0 {
		text += fmt.Sprintf("%s contained results that cannot be scored. The first is the answer to %s: %s.",
			wording.CountOf(r.Anomalous, "1 answer", "%d answers"),
			r.PerQuery[i].ID, strings.Join(r.PerQuery[i].Anomalies, "; "))
	}
	if n := len(r.Quarantine); n > 0 {
		text += fmt.Sprintf(" The proxy's scanner would quarantine %s. The first is %s: %s. The evaluation switches "+
			"quarantine off.",
			wording.CountOf(n, "1 tool", "%d tools"), r.Quarantine[0].ToolID, r.Quarantine[0].Reason)
	}

	if r.Unverified != "" {
		text += fmt.Sprintf(" Not verified: %s.", r.Unverified)
	}

	return strings.TrimSpace(text)
}
