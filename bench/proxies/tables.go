package main

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// table returns rows as a table in Markdown. The first row is its head.
func table(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return b.String()
}

// withSection returns the page with the text between the marks of the section.
func withSection(page, section, text string) (string, error) {
	begin, end := "<!-- generated: "+section+" -->\n", "<!-- end: "+section+" -->"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("there is no place for the section: write %s%s", begin, end)
	}
	return head + begin + text + end + tail, nil
}

// shown are the ranking metrics of the tables.
var shown = []string{"recall_at_5", "mrr", "ndcg_at_10"}

// rankingText returns the tables of ranking figures, of tokens, of recall against tokens, of
// the commands, and of what failed.
func rankingText(all []ranked, on dataset) string {
	figures := [][]string{{"system", "version"}}
	for _, m := range shown {
		figures[0] = append(figures[0], wording.MetricName(m)+" (95%)")
	}

	figures[0] = append(figures[0], "against the reference", "failed queries")
	tokens := [][]string{{"system", "tokens per answer (95%)", "tokens to find a right tool", "tokens of its own tools",
		"break-even queries", "calls per query"}}
	steps := []int{1, 2, 3, 5, 10, curveDepth}
	curve := [][]string{{"system"}}
	for _, k := range steps {
		curve[0] = append(curve[0], fmt.Sprintf("k = %d", k))
	}

	commands := [][]string{{"system", "setting", "command"}}
	var failed []failure
	for _, r := range all {
		commands = append(commands, []string{r.name, r.what, "`" + r.command(on) + "`"})
		if r.problem != nil {
			failed = append(failed, failure{r.name, r.problem})
			continue
		}

		row := []string{r.name, r.version}
		for _, m := range shown {
			row = append(row, metricCell(r.figures.Metrics, m))
		}

		figures = append(figures, append(row, againstCell(r), fmt.Sprint(r.figures.Errored)))
		tokens = append(tokens, []string{
			r.name, costCell(r.figures.Cost, metrics.CostAnswerTokens, true),
			costCell(r.figures.Cost, metrics.CostRightToolTokens, false),
			costCell(r.figures.Cost, metrics.CostOwnToolsTokens, false),
			costCell(r.figures.Cost, metrics.CostBreakEven, false), costCell(r.figures.Cost, metrics.CostCalls, false),
		})
		curve = append(curve, append([]string{r.name}, curveCells(r.curve, steps)...))
	}

	return table(figures) + "\n" + table(tokens) +
		"\nRecall and tokens after the first k results, of lists of twenty:\n\n" + table(curve) +
		"\n" + table(commands) + failedText(failed)
}

// metricCell is a mean with its interval.
func metricCell(all []contracts.MetricSummary, name string) string {
	for _, m := range all {
		if m.Metric == name {
			return fmt.Sprintf("%s (%s)", wording.Figure(m.Mean), wording.Range(m.Interval))
		}
	}
	return ""
}

// verdicts are the words for the verdicts of a comparison with the reference proxy.
var verdicts = map[string]string{
	contracts.Improved: "better", contracts.Regressed: "worse", contracts.WithinNoise: "noise",
}

// againstCell is the difference of each shown metric from the reference proxy, by the paired
// test over all metrics.
func againstCell(r ranked) string {
	if r.against == nil {
		return ""
	}

	var parts []string
	for _, name := range shown {
		for _, m := range r.against.Metrics {
			if m.Metric == name {
				parts = append(parts, wording.Signed(m.Delta)+" "+verdicts[m.Verdict])
			}
		}
	}

	return strings.Join(parts, ", ")
}

// costCell is a figure of the cost, with its interval if asked for.
func costCell(c *contracts.CostSummary, name string, interval bool) string {
	f, ok := c.FigureByName(name)
	if !ok {
		return "-"
	}

	declared, _ := metrics.CostFigureByName(name)
	text := number(f.Mean, declared.Decimals)
	if interval && f.Interval != nil {
		text += fmt.Sprintf(" (%s to %s)", number(f.Interval.Low, declared.Decimals),
			number(f.Interval.High, declared.Decimals))
	}

	return text
}

// curveCells are the steps of recall against tokens with these k.
func curveCells(curve []contracts.CostCurveStep, steps []int) []string {
	cells := make([]string, len(steps))
	for i, k := range steps {
		cells[i] = "-"
		for _, s := range curve {
			if s.K == k {
				cells[i] = fmt.Sprintf("%s, %s", wording.Figure(s.Recall), number(s.Tokens, 0))
			}
		}
	}

	return cells
}

// number formats v with a comma between thousands.
func number(v float64, decimals int) string {
	text := fmt.Sprintf("%.*f", decimals, v)
	whole, rest, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}

	if found {
		whole += "." + rest
	}

	return whole
}

// failure is a system that was not measured, and why.
type failure struct {
	name string
	why  error
}

// failedText returns a table of the failures, or nothing.
func failedText(all []failure) string {
	if len(all) == 0 {
		return ""
	}

	rows := [][]string{{"not measured", "why"}}
	for _, f := range all {
		rows = append(rows, []string{f.name, reason(f.why)})
	}

	return "\n" + table(rows)
}

// reason is the first line of an error, as code, without the announcement of a log that
// follows it.
func reason(err error) string {
	line := strings.TrimSuffix(firstLine(err.Error()), "; the end of its log:")
	line = strings.NewReplacer("`", "'", "|", `\|`).Replace(wording.Plain(line))
	return "`" + wording.Shorten(line, 160) + "`"
}

// timesText returns a table for each number of tools.
func timesText(all []sized, clients int) string {
	var b strings.Builder
	var failed []failure
	for _, of := range all {
		fmt.Fprintf(&b, "%s tools of %d servers:\n\n", number(float64(of.tools), 0), of.tools/toolsPerServer)
		text, problems := sizeText(of, clients)
		b.WriteString(text + "\n")
		failed = append(failed, problems...)
	}

	return strings.TrimSuffix(b.String(), "\n") + failedText(failed)
}

func sizeText(of sized, clients int) (string, []failure) {
	rows := [][]string{{
		"system", "ready", "p50, p95, p99 of one client", "p50 beside a constant answer",
		fmt.Sprintf("p50, p95, p99 of %d clients", clients), fmt.Sprintf("answers per second, %d clients", clients),
		"memory", "timed queries",
	}}
	var failed []failure
	for _, r := range of.rows {
		if r.problem != nil {
			name := fmt.Sprintf("%s, %s tools", r.name, number(float64(of.tools), 0))
			failed = append(failed, failure{name, r.problem})
			continue
		}

		ratio := ""
		if base := r.beside.percentile(.5); base > 0 {
			ratio = fmt.Sprintf("%.1f times", r.alone.percentile(.5)/base)
		}

		rows = append(rows, []string{
			r.name, fmt.Sprintf("%.1f s", r.ready.Seconds()), percentiles(r.alone), ratio, percentiles(r.many),
			number(r.many.perSecond(), 0), memoryCell(r.memory), countCell(r.alone) + ", " + countCell(r.many),
		})
	}

	return table(rows), failed
}

// percentiles are p50, p95 and p99 in milliseconds.
func percentiles(l latencies) string {
	parts := make([]string, 3)
	for i, p := range []float64{.50, .95, .99} {
		parts[i] = milliseconds(l.percentile(p))
	}
	return strings.Join(parts, ", ") + " ms"
}

func milliseconds(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return number(v, 0)
}

// countCell is how many queries were answered, and how many were not.
func countCell(l latencies) string {
	if l.failed == 0 {
		return fmt.Sprint(len(l.times))
	}
	return fmt.Sprintf("%d (%d failed)", len(l.times), l.failed)
}

func memoryCell(bytes int64) string {
	if bytes == 0 {
		return "unknown"
	}
	return number(float64(bytes)/(1<<20), 0) + " MiB"
}
