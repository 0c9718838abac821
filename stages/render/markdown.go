package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
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
		fmt.Fprintf(&b, "> ⚠️ **%s** The figures of a normal run are different.\n\n", wording.Markdown(d))
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
	sections := [][]string{markdownFailed(&r), markdownRetrieval(&r), markdownCost(&r), markdownChecks(&r),
		markdownNoAnswer(&r),
		markdownDetectors(&r), markdownMutations(&r), markdownSelection(&r), markdownSimilarity(&r), markdownMoves(&r)}
	for _, section := range append(sections, markdownAttacks(&r)...) {
		room = wording.AppendSection(&b, section, room)
	}

	b.WriteString(foot)
	return b.Bytes()
}

// markdownFailed is the table of the checks that fail.
func markdownFailed(r *contracts.Report) []string {
	return checkRows(summary.FailedChecks(&r.Gate), "", "\n")
}

// markdownChecks is the table of the checks that hold, folded.
func markdownChecks(r *contracts.Report) []string {
	hold := slices.DeleteFunc(slices.Clone(r.Gate.Checks), func(c contracts.GateCheck) bool { return !c.Passed })
	return checkRows(hold, fmt.Sprintf("<details><summary>Checks that hold: %d</summary>\n\n", len(hold)),
		"</details>\n\n")
}

func checkRows(checks []contracts.GateCheck, head, foot string) []string {
	if len(checks) == 0 {
		return nil
	}

	rows := []string{head + wording.TableHead([]string{"check", "value", "bound", "result"})}
	for _, c := range checks {
		result := "holds"
		if !c.Passed {
			result = "❌ fails"
		}

		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |\n", mdCheck(c), summary.CheckValue(c),
			wording.Markdown(summary.Bound(c)), result))
	}

	return append(rows, foot)
}

// mdCheck is summary.CheckName for Markdown. The labels of this program need no
// escaping, which would split "nDCG@10". Any other name may be any text.
func mdCheck(c contracts.GateCheck) string {
	name := summary.CheckName(c)
	if _, known := wording.MetricLabel(c.Metric); known && c.Subject == summary.Retrieval {
		return name
	}
	return wording.Markdown(name)
}

func markdownRetrieval(r *contracts.Report) []string {
	a := &r.Aggregate.Retrieval
	if len(a.Metrics) == 0 {
		return nil
	}

	rows := []string{fmt.Sprintf("**Retrieval: %d queries, %s**\n\n", a.Queries,
		wording.CountOf(a.Runs, "1 run", "%d runs")) + wording.TableHead(summary.MetricHead)}
	for _, m := range summary.Metrics(&r.Aggregate, metrics.InTables) {
		cells := m.Cells()
		cells[0] = mdMetric(m.Name)
		rows = append(rows, "| "+strings.Join(cells, " | ")+" |\n")
	}

	rows = append(rows, "\n"+summary.MetricNote+"\n")
	if s := judged(a); s != "" {
		rows = append(rows, s+"\n")
	}

	return append(rows, "\n")
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
		wording.TableHead(append(names, "Precision at base rates", "Runs", wording.Failed))}
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
	if len(r.Gate.Changes) == 0 {
		return nil
	}

	open := ""
	if !r.Gate.Passed {
		open = " open"
	}

	rows := []string{fmt.Sprintf("<details%s><summary>Changed queries and entries: %d</summary>\n\n"+
		"| state | what | how |\n|---|---|---|\n",
		open, len(r.Gate.Changes))}
	for _, m := range r.Gate.Changes {
		rows = append(rows, fmt.Sprintf("| %s | %s %s | %s |\n",
			wording.Markdown(summary.StateName(m.State)), wording.Markdown(m.ID),
			wording.Markdown(wording.Shorten(cmp.Or(m.Title, m.Category), 120)),
			wording.Markdown(wording.Shorten(summary.Explanation(m), 400))))
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
