package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// CommentMarker is the first line of report.md. A workflow finds its own
// comment by it and replaces the comment instead of adding another.
const CommentMarker = "<!-- touchstone-report -->"

// maxRemark bounds a remark about a proxy's answers, which may contain any
// text.
const maxRemark = 1000

// Markdown writes report.md: the verdict, the checks, the figures and as many
// moves as fit into a comment.
func Markdown(r contracts.Report) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, CommentMarker)
	sign := map[string]string{"passed": "✅", "failed": "❌", "no verdict": "⚠️"}
	fmt.Fprintf(&b, "## %s Touchstone: %s\n\n", sign[outcome(&r.Gate)], outcome(&r.Gate))
	fmt.Fprintf(&b, "%s\n\n",
		strings.TrimSpace(wording.Markdown(verdict(&r.Gate))+" "+wording.Markdown(moved(&r.Gate))))
	if d := degraded(&r.Aggregate); d != "" {
		fmt.Fprintf(&b, "> ⚠️ **%s** These are not the figures of the normal proxy.\n\n", wording.Markdown(d))
	}

	if s := answers(&r.Aggregate); s != "" {
		fmt.Fprintf(&b, "> ⚠️ %s\n\n", wording.Markdown(wording.Shorten(s, maxRemark)))
	}

	if s := r.Aggregate.Baseline; !s.Comparable && s.Reason != "" {
		fmt.Fprintf(&b, "**No comparison:** %s\n\n", wording.Markdown(s.Reason))
	}

	for _, line := range r.Gate.Warnings {
		fmt.Fprintf(&b, "> ⚠️ %s\n\n", wording.Markdown(wording.Shorten(line, maxRemark)))
	}

	for _, a := range editedFrozen(&r.Gate) {
		fmt.Fprintf(&b, "> ⚠️ %s\n\n", wording.Markdown(a.message))
	}

	for _, line := range slices.Concat(changedData(&r.Gate), unjudged(&r.Gate)) {
		fmt.Fprintf(&b, "> %s\n\n", wording.Markdown(line))
	}

	foot := markdownFoot(&r)
	room := wording.MaxComment - 1 - maxOrigins - len(foot)
	sections := [][]string{markdownChecks(&r), markdownRetrieval(&r), markdownNoAnswer(&r), markdownDetectors(&r),
		markdownMutations(&r), markdownSelection(&r), markdownSimilarity(&r), markdownMoves(&r)}
	for _, section := range append(sections, markdownAttacks(&r)...) {
		room = wording.AppendSection(&b, section, room)
	}

	b.WriteString(foot)
	return b.Bytes()
}

func markdownChecks(r *contracts.Report) []string {
	if len(r.Gate.Checks) == 0 {
		return nil
	}

	checks := slices.Clone(r.Gate.Checks)
	slices.SortStableFunc(checks,
		func(a, b contracts.GateCheck) int { return boolOrder(a.Passed) - boolOrder(b.Passed) })
	rows := []string{"| | check | value | bound | change |\n|---|---|---|---|---|\n"}
	for _, c := range checks {
		mark := "✅"
		if !c.Passed {
			mark = "❌"
		}

		moved := ""
		if c.Verdict != "" {
			moved = wording.VerdictSign(c.Verdict)
		}

		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s %s | %s |\n", mark, mdCheck(c), wording.Figure(c.Value),
			wording.Markdown(sign(c.Comparison)), wording.Figure(c.Bound), moved))
	}

	return append(rows, "\n")
}

// mdCheck is checkName for Markdown.
func mdCheck(c contracts.GateCheck) string {
	name := mdMetric(c.Metric)
	if c.Subject != retrieval {
		name = wording.Markdown(c.Subject) + " " + name
	}
	return name
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

func markdownRetrieval(r *contracts.Report) []string {
	a := &r.Aggregate.Retrieval
	if len(a.Metrics) == 0 {
		return nil
	}

	rows := []string{fmt.Sprintf("<details><summary>Retrieval: %d queries, %s</summary>\n\n| metric | mean | 95%% "+
		"interval | baseline | change | detectable |\n|---|---|---|---|---|---|\n",
		a.Queries, wording.CountOf(a.Runs, "1 run", "%d runs"))}
	for _, m := range a.Metrics {
		if !shown(m.Metric, metrics.InTables) {
			continue
		}

		base, detectable := "", ""
		if r.Aggregate.Baseline.Comparable {
			base = "new"
		}

		if m.Comparison != nil {
			base = wording.Figure(m.Comparison.Baseline) + over(m.Comparison, a.Queries)
			if d := detectableOf(m.Comparison); d > 0 {
				detectable = wording.Figure(d)
			}
		}

		rows = append(rows, fmt.Sprintf("| %s | %s | %s to %s | %s | %s | %s |\n", mdMetric(m.Metric),
			wording.Figure(m.Mean), wording.Figure(m.Interval.Low), wording.Figure(m.Interval.High), base,
			change(m.Comparison), detectable))
	}

	rows = append(rows, "\n~ within noise; detectable: the smallest true change that gets another verdict with a "+
		"chance of .8.\n")
	if s := judged(a); s != "" {
		rows = append(rows, s+"\n")
	}

	return append(rows, "</details>\n\n")
}

func markdownDetectors(r *contracts.Report) []string {
	if len(r.Aggregate.Detectors) == 0 {
		return nil
	}

	rates := slices.DeleteFunc(metrics.DetectionRates(),
		func(r metrics.DetectionRate) bool { return r.Shown&metrics.InTables == 0 })
	names := []string{"detector"}
	for _, r := range rates {
		names = append(names, r.Label)
	}

	rows := []string{"<details><summary>Detectors</summary>\n\n" +
		wording.TableHead(append(names, "Precision at base rates", "Runs", "Errored"))}
	for _, d := range r.Aggregate.Detectors {
		cells := []string{wording.Markdown(d.Score.Detector)}
		for _, r := range rates {
			cell := wording.Rate(d.Score.Rate(r.Name), d.RateInterval(r.Name))
			if s := spread(d, r.Name); s != "" {
				cell += "; " + s
			}

			cells = append(cells, cell)
		}

		cells = append(cells, strings.Join(expected(d.Score), "; "), cmp.Or(stability(d), "1 run"))
		rows = append(rows, fmt.Sprintf("| %s | %d |\n", strings.Join(cells, " | "), detection.Failed(d)))
	}

	return append(rows, "</details>\n\n")
}

func markdownMoves(r *contracts.Report) []string {
	if len(r.Gate.Moves) == 0 {
		return nil
	}

	open := ""
	if !r.Gate.Passed {
		open = " open"
	}

	rows := []string{fmt.Sprintf("<details%s><summary>What moved: %d</summary>\n\n| | what | how |\n|---|---|---|\n",
		open, len(r.Gate.Moves))}
	for _, m := range sortedMoves(r.Gate.Moves) {
		rows = append(rows, fmt.Sprintf("| %s | %s %s | %s |\n", wording.Markdown(m.State), wording.Markdown(m.ID),
			wording.Markdown(wording.Shorten(cmp.Or(m.Title, m.Category), 120)),
			wording.Markdown(wording.Shorten(why(m), 400))))
	}

	return append(rows, "</details>\n\n")
}

func markdownFoot(r *contracts.Report) string {
	a := &r.Aggregate
	return fmt.Sprintf("<sub>%s over corpus %s, golden %s, security %s; %s.</sub>\n",
		wording.Markdown(wording.Shorten(a.Proxy, 100)), wording.Markdown(a.Data.CorpusVersion),
		wording.Markdown(wording.Shorten(a.Data.GoldenVersion, 20)), wording.Markdown(a.Data.SecurityVersion),
		wording.Markdown(named("baseline", cmp.Or(r.Gate.Baseline, "none"))))
}

// mdMetric is metricName for Markdown. The labels of this program need no
// escaping, which would split "nDCG@10". Any other name may be any text.
func mdMetric(metric string) string {
	name, known := wording.MetricLabel(metric)
	if !known {
		name = wording.Markdown(name)
	}
	return name
}
