package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// comparedSummary counts the queries that got better or worse in B by the main
// metric, and the lists that differ: "By Recall@5, B loses 3 and wins 1 of 160
// queries. 9 ranked lists differ. 5 of these changed no metric."
func comparedSummary(c *Comparison) string {
	for _, m := range c.Metrics {
		if m.Metric == c.By {
			return fmt.Sprintf("By %s, B loses %d and wins %d of %s.", wording.MetricName(c.By), m.Losses, m.Wins,
				wording.CountOf(c.Paired, "1 query", "%d queries")) + reordered(c)
		}
	}
	return ""
}

func reordered(c *Comparison) string {
	if c.Reordered == 0 {
		return " No ranked list differs."
	}
	text := " " + wording.CountOf(c.Reordered, "1 ranked list differs", "%d ranked lists differ")
	if c.Unmoved == 0 {
		return text + "."
	}
	return fmt.Sprintf("%s. %d of these changed no metric.", text, c.Unmoved)
}

// comparedVerdict is the main result as a sentence.
func comparedVerdict(c *Comparison) string {
	var better, worse []string
	for _, m := range c.Metrics {
		switch m.Verdict {
		case contracts.Improved:
			better = append(better, wording.MetricName(m.Metric))
		case contracts.Regressed:
			worse = append(worse, wording.MetricName(m.Metric))
		}
	}

	switch {
	case len(better)+len(worse) == 0:
		return "No ranking metric differs by more than noise."
	case len(worse) == 0:
		return "B is better in " + strings.Join(better, ", ") + "."
	case len(better) == 0:
		return "B is worse in " + strings.Join(worse, ", ") + "."
	}

	return "B is worse in " + strings.Join(worse, ", ") + " and better in " + strings.Join(better, ", ") + "."
}

// comparedRow formats a metric as a row of the tables.
func comparedRow(m Metric) []string {
	effect := "–"
	if m.EffectSize != nil {
		effect = strings.Replace(fmt.Sprintf("%.2f", *m.EffectSize), "-", "−", 1)
	}
	return []string{
		wording.MetricName(m.Metric), wording.Figure(m.A), wording.Figure(m.B), wording.VerdictSign(m.Verdict) + " " +
			wording.Signed(m.Delta),
		wording.Range(m.DeltaInterval),
		wording.Probability(m.PValue), effect,
		fmt.Sprint(m.Wins), fmt.Sprint(m.Losses),
	}
}

var comparedHead = []string{"metric", "A", "B", "B − A", "95% interval", "p", "d_z", "won", "lost"}

func costRows(c *Cost) [][]string {
	ms := func(f float64) string {
		if f >= 1000 {
			return fmt.Sprintf("%.2f s", f/1000)
		}

		return fmt.Sprintf("%.2f ms", f)
	}
	mib := func(n int64) string {
		if n == 0 {
			return "not known"
		}

		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return [][]string{
		{"latency, p50", ms(c.A.P50MS), ms(c.B.P50MS)},
		{"latency, p95", ms(c.A.P95MS), ms(c.B.P95MS)},
		{"latency, p99", ms(c.A.P99MS), ms(c.B.P99MS)},
		{"peak memory", mib(c.A.PeakMemory), mib(c.B.PeakMemory)},
		{"ready after (one start)", ms(c.A.ReadyMS), ms(c.B.ReadyMS)},
		{"answers that failed", fmt.Sprint(c.A.Failed), fmt.Sprint(c.B.Failed)},
	}
}

// costNote explains how reliable the figures are.
func costNote(c *Cost) string {
	return fmt.Sprintf("Each query was sent in %s after one warm-up round, to A and B in turn. A gave %d answers, "+
		"and B gave %d. The figures vary between measurements.",
		wording.CountOf(c.Rounds, "1 round", "%d rounds"), c.A.Answered, c.B.Answered)
}

const notMeasured = "Cost was not measured."

// listed formats a ranked list as one line in which relevant tools are marked.
func listed(a Answer, most int) string {
	if a.Error != "" {
		return "error: " + wording.Shorten(a.Error, 200)
	}

	if len(a.Ranked) == 0 {
		return "nothing"
	}

	var parts []string
	for i, t := range a.Ranked {
		if i == most {
			parts = append(parts, "…")
			break
		}

		mark := ""
		if t.Relevant() {
			mark = "★"
		}

		parts = append(parts, fmt.Sprintf("%d %s%s", t.Rank, mark, wording.Shorten(t.ToolID, 80)))
	}

	return strings.Join(parts, ", ")
}

// Write writes a comparison for a terminal, with at most the given
// number of queries.
func Write(w io.Writer, c *Comparison, most int) error {
	fmt.Fprintf(w, "A %s: %s\nB %s: %s\n", wording.Plain(c.A.Name), wording.Plain(c.A.Proxy), wording.Plain(c.B.Name),
		wording.Plain(c.B.Proxy))
	for _, n := range c.Notes {
		fmt.Fprintln(w, "note:", wording.Plain(n))
	}

	fmt.Fprintf(w, "%s %s\n\n", comparedVerdict(c), comparedSummary(c))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(comparedHead, "\t"))
	for _, m := range c.Metrics {
		fmt.Fprintln(t, strings.Join(comparedRow(m), "\t"))
	}

	if len(c.Detectors) > 0 {
		fmt.Fprintln(t, "\ndetector\trecall A\tB\tp\tFPR A\tB\tp\tchanged")
		for _, d := range c.Detectors {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\n", wording.Plain(d.Detector),
				wording.Rate(d.Recall.A, d.Recall.AInterval), wording.Rate(d.Recall.B, d.Recall.BInterval),
				wording.Probability(d.RecallP),
				wording.Rate(d.FPR.A, d.FPR.AInterval), wording.Rate(d.FPR.B, d.FPR.BInterval),
				wording.Probability(d.FPRP), len(d.Changed))
		}
	}

	if len(c.Models) > 0 {
		fmt.Fprintln(t, "\n"+strings.Join(comparedModelHead(), "\t"))
		for _, m := range c.Models {
			row := comparedModelRow(m)
			row[0] = wording.Plain(row[0])
			fmt.Fprintln(t, strings.Join(row, "\t"))
		}
	}

	if c.NoAnswer != nil {
		fmt.Fprintln(t, "\n"+strings.Join(noAnswerHead, "\t"))
		for _, r := range c.NoAnswer.Rates {
			fmt.Fprintln(t, strings.Join(comparedNoAnswerRow(r), "\t"))
		}
	}

	if c.Cost != nil {
		fmt.Fprintln(t, "\ncost\tA\tB")
		for _, r := range costRows(c.Cost) {
			fmt.Fprintln(t, strings.Join(r, "\t"))
		}
	}

	if err := t.Flush(); err != nil {
		return err
	}

	if c.NoAnswer != nil {
		fmt.Fprintln(w, "\n"+comparedNoAnswerNote(c.NoAnswer))
	}

	if c.Cost == nil {
		fmt.Fprintln(w, "\n"+notMeasured)
	} else {
		fmt.Fprintln(w, costNote(c.Cost))
	}

	if len(c.Queries) > 0 {
		fmt.Fprintln(w)
	}

	WriteQueries(w, c.Queries, most)
	return nil
}

// WriteQueries writes at most the given number of queries for a
// terminal, each with both ranked lists.
func WriteQueries(w io.Writer, queries []Query, most int) {
	for i, q := range queries {
		if i == most {
			fmt.Fprintf(w, "and %d more queries that differ; the JSON output has all of them\n", len(queries)-most)
			return
		}
		fmt.Fprintln(w, wording.Plain(fmt.Sprintf("%s %s (%s) %s", q.Outcome, q.ID, wording.Signed(q.Delta),
			wording.Shorten(q.Query, 100))))
		fmt.Fprintln(w, wording.Plain("  A "+listed(q.A, 10)))
		fmt.Fprintln(w, wording.Plain("  B "+listed(q.B, 10)))
	}
}

// Marker is the first line of a comparison in Markdown. A workflow
// finds its own comment by it.
const Marker = "<!-- touchstone-comparison -->"

// Markdown writes a comparison that fits into a comment on a pull
// request: it is shorter than 65,536 characters.
func Markdown(c *Comparison) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n## Touchstone: %s → %s\n\n%s %s\n\n", Marker, wording.Markdown(wording.Shorten(c.A.Name, 200)),
		wording.Markdown(wording.Shorten(c.B.Name, 200)), wording.Markdown(comparedVerdict(c)),
		wording.Markdown(comparedSummary(c)))
	for i, n := range c.Notes {
		if i == 10 {
			break
		}

		fmt.Fprintf(&b, "> %s\n", wording.Markdown(wording.Shorten(n, 300)))
	}

	b.WriteString("\n")
	foot := fmt.Sprintf("<sub>A is %s, B is %s; ▲ ▼: more than noise (paired randomization test over all metrics); "+
		"~: within noise; d_z is Cohen's effect size over queries.</sub>\n",
		wording.Markdown(wording.Shorten(c.A.Proxy, 100)), wording.Markdown(wording.Shorten(c.B.Proxy, 100)))
	room := wording.MaxComment - 1 - len(foot)
	for _, section := range [][]string{
		comparedMetrics(c), comparedCost(c), comparedDetectors(c), comparedModels(c), comparedNoAnswer(c),
		comparedQueries(c, Loss, "Lost", " open"), comparedQueries(c, Win, "Won", ""),
		comparedQueries(c, Tie, "Differ in other metrics only", ""),
	} {
		room = wording.AppendSection(&b, section, room)
	}

	b.WriteString(foot)
	return b.Bytes()
}

func comparedMetrics(c *Comparison) []string {
	rows := []string{wording.TableHead(comparedHead)}
	for _, m := range c.Metrics {
		rows = append(rows, "| "+strings.Join(comparedRow(m), " | ")+" |\n")
	}
	return append(rows, "\n")
}

func comparedCost(c *Comparison) []string {
	if c.Cost == nil {
		return []string{notMeasured + "\n", "\n"}
	}
	rows := []string{wording.TableHead([]string{"cost", "A", "B"})}
	for _, r := range costRows(c.Cost) {
		rows = append(rows, "| "+strings.Join(r, " | ")+" |\n")
	}
	return append(rows, "\n"+costNote(c.Cost)+"\n\n")
}

func comparedDetectors(c *Comparison) []string {
	if len(c.Detectors) == 0 {
		return nil
	}

	rows := []string{"<details><summary>Detectors</summary>\n\n" +
		wording.TableHead([]string{"detector", "recall A", "B", "p", "FPR A", "B", "p", "changed verdicts"})}
	for _, d := range c.Detectors {
		changed := []string{}
		for _, e := range d.Changed[:min(len(d.Changed), 10)] {
			changed = append(changed, fmt.Sprintf("%s %s", e.Outcome, wording.Shorten(e.ID, 60)))
		}

		if n := len(d.Changed) - len(changed); n > 0 {
			changed = append(changed, fmt.Sprintf("and %d more", n))
		}

		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", wording.Markdown(d.Detector),
			wording.Rate(d.Recall.A, d.Recall.AInterval), wording.Rate(d.Recall.B, d.Recall.BInterval),
			wording.Probability(d.RecallP),
			wording.Rate(d.FPR.A, d.FPR.AInterval), wording.Rate(d.FPR.B, d.FPR.BInterval), wording.Probability(d.FPRP),
			wording.Markdown(strings.Join(changed, ", "))))
	}

	return append(rows, "</details>\n\n")
}

func comparedQueries(c *Comparison, outcome, title, open string) []string {
	rows := []string{""}
	for _, q := range c.Queries {
		if q.Outcome == outcome {
			rows = append(rows, fmt.Sprintf("| %s<br>%s | %s | %s | %s |\n",
				wording.Markdown(wording.Shorten(q.ID, 80)), wording.Markdown(wording.Shorten(q.Query, 200)),
				wording.Signed(q.Delta), wording.Markdown(listed(q.A, 5)), wording.Markdown(listed(q.B, 5))))
		}
	}

	if len(rows) == 1 {
		return nil
	}

	rows[0] = fmt.Sprintf("<details%s><summary>%s: %d</summary>\n\n%s", open, title, len(rows)-1,
		wording.TableHead([]string{"query", wording.MetricName(c.By), "A", "B"}))
	return append(rows, "</details>\n\n")
}
