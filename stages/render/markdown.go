package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// CommentMarker is the first line of report.md. A workflow finds its own
// comment by it and replaces the comment instead of adding another.
const CommentMarker = "<!-- touchstone-report -->"

// maxComment is GitHub's limit for a comment, in characters. The code counts
// bytes, which are never fewer.
const maxComment = 65536

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
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(md(verdict(&r.Gate))+" "+md(moved(&r.Gate))))
	if d := degraded(&r.Aggregate); d != "" {
		fmt.Fprintf(&b, "> ⚠️ **%s** These are not the figures of the normal proxy.\n\n", md(d))
	}
	if s := answers(&r.Aggregate); s != "" {
		fmt.Fprintf(&b, "> ⚠️ %s\n\n", md(shorten(s, maxRemark)))
	}
	if s := r.Aggregate.Baseline; !s.Comparable && s.Reason != "" {
		fmt.Fprintf(&b, "**No comparison:** %s\n\n", md(s.Reason))
	}
	for _, line := range r.Gate.Warnings {
		fmt.Fprintf(&b, "> ⚠️ %s\n\n", md(shorten(line, maxRemark)))
	}
	for _, a := range editedFrozen(&r.Gate) {
		fmt.Fprintf(&b, "> ⚠️ %s\n\n", md(a.message))
	}
	for _, line := range slices.Concat(changedData(&r.Gate), unjudged(&r.Gate)) {
		fmt.Fprintf(&b, "> %s\n\n", md(line))
	}
	foot := markdownFoot(&r)
	room := maxComment - 1 - maxOrigins - len(foot)
	sections := [][]string{markdownChecks(&r), markdownRetrieval(&r), markdownNoAnswer(&r), markdownDetectors(&r), markdownMutations(&r), markdownSelection(&r), markdownSimilarity(&r), markdownMoves(&r)}
	for _, section := range append(sections, markdownAttacks(&r)...) {
		room = appendSection(&b, section, room)
	}
	b.WriteString(foot)
	return b.Bytes()
}

// reserve is the room kept for the line about omitted rows.
const reserve = 120

// appendSection writes a section, head first, as far as room bytes allow. The
// last element closes the section and is always written.
func appendSection(b *bytes.Buffer, section []string, room int) int {
	if len(section) == 0 {
		return room
	}
	head, rows, end := section[0], section[1:len(section)-1], section[len(section)-1]
	if b.Len()+len(head)+len(end)+reserve > room {
		return room
	}
	b.WriteString(head)
	for i, row := range rows {
		if b.Len()+len(row)+len(end)+reserve > room {
			fmt.Fprintf(b, "\n_%d more rows are left out here; report.html and report.json have them._\n", len(rows)-i)
			break
		}
		b.WriteString(row)
	}
	b.WriteString(end)
	return room
}

func markdownChecks(r *contracts.Report) []string {
	if len(r.Gate.Checks) == 0 {
		return nil
	}
	checks := slices.Clone(r.Gate.Checks)
	slices.SortStableFunc(checks, func(a, b contracts.GateCheck) int { return boolOrder(a.Passed) - boolOrder(b.Passed) })
	rows := []string{"| | check | value | bound | change |\n|---|---|---|---|---|\n"}
	for _, c := range checks {
		mark := "✅"
		if !c.Passed {
			mark = "❌"
		}
		moved := ""
		if c.Verdict != "" {
			moved = verdictSign(c.Verdict)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s %s | %s |\n", mark, mdCheck(c), figure(c.Value), md(sign(c.Comparison)), figure(c.Bound), moved))
	}
	return append(rows, "\n")
}

// mdCheck is checkName for Markdown.
func mdCheck(c contracts.GateCheck) string {
	name := mdMetric(c.Metric)
	if c.Subject != retrieval {
		name = md(c.Subject) + " " + name
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
	rows := []string{fmt.Sprintf("<details><summary>Retrieval: %d queries, %s</summary>\n\n| metric | mean | 95%% interval | baseline | change | detectable |\n|---|---|---|---|---|---|\n",
		a.Queries, countOf(a.Runs, "1 run", "%d runs"))}
	for _, m := range a.Metrics {
		if !shown(m.Metric, metrics.InTables) {
			continue
		}
		base, detectable := "", ""
		if r.Aggregate.Baseline.Comparable {
			base = "new"
		}
		if m.Comparison != nil {
			base, detectable = figure(m.Comparison.Baseline)+over(m.Comparison, a.Queries), figure(m.Comparison.MinDetectable)
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s to %s | %s | %s | %s |\n", mdMetric(m.Metric), figure(m.Mean), figure(m.Interval.Low), figure(m.Interval.High), base, change(m.Comparison), detectable))
	}
	rows = append(rows, "\n~ within noise; detectable: the smallest true change that gets another verdict with a chance of .8.\n")
	if s := judged(a); s != "" {
		rows = append(rows, s+"\n")
	}
	return append(rows, "</details>\n\n")
}

func markdownDetectors(r *contracts.Report) []string {
	if len(r.Aggregate.Detectors) == 0 {
		return nil
	}
	rates := slices.DeleteFunc(metrics.DetectionRates(), func(r metrics.DetectionRate) bool { return r.Shown&metrics.InTables == 0 })
	names := []string{"detector"}
	for _, r := range rates {
		names = append(names, r.Label)
	}
	rows := []string{"<details><summary>Detectors</summary>\n\n" + tableHead(append(names, "Precision at base rates", "Runs", "Errored"))}
	for _, d := range r.Aggregate.Detectors {
		cells := []string{md(d.Score.Detector)}
		for _, r := range rates {
			cell := rate(d.Score.Rate(r.Name), d.RateInterval(r.Name))
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

func rate(value *float64, interval *contracts.Interval) string {
	if value == nil {
		return "–"
	}
	if interval == nil {
		return figure(*value)
	}
	return fmt.Sprintf("%s (%s to %s)", figure(*value), figure(interval.Low), figure(interval.High))
}

func markdownMoves(r *contracts.Report) []string {
	if len(r.Gate.Moves) == 0 {
		return nil
	}
	open := ""
	if !r.Gate.Passed {
		open = " open"
	}
	rows := []string{fmt.Sprintf("<details%s><summary>What moved: %d</summary>\n\n| | what | how |\n|---|---|---|\n", open, len(r.Gate.Moves))}
	for _, m := range sortedMoves(r.Gate.Moves) {
		rows = append(rows, fmt.Sprintf("| %s | %s %s | %s |\n", md(m.State), md(m.ID), md(shorten(cmp.Or(m.Title, m.Category), 120)), md(shorten(why(m), 400))))
	}
	return append(rows, "</details>\n\n")
}

func markdownFoot(r *contracts.Report) string {
	a := &r.Aggregate
	return fmt.Sprintf("<sub>%s over corpus %s, golden %s, security %s; %s.</sub>\n",
		md(shorten(a.Proxy, 100)), md(a.Data.CorpusVersion), md(shorten(a.Data.GoldenVersion, 20)), md(a.Data.SecurityVersion), md(named("baseline", cmp.Or(r.Gate.Baseline, "none"))))
}

// mdMetric is metricName for Markdown. The labels of this program need no
// escaping, which would split "nDCG@10". Any other name may be any text.
func mdMetric(metric string) string {
	name, known := metricLabel(metric)
	if !known {
		name = md(name)
	}
	return name
}

// md escapes untrusted text for Markdown: no markup, no end of a table cell, no
// mention of a person, no reference to an issue, no link, no formula.
//
// GitHub looks for mentions and references after it has resolved entities, so
// only a separator between the sign and the name prevents them
// (github/cmark-gfm#181). For a dollar its documentation requires a span.
func md(s string) string {
	const nothing = "<!-- -->"
	var b strings.Builder
	for i, c := range s {
		switch c {
		case '@', '#':
			b.WriteRune(c)
			b.WriteString(nothing)
		case '-':
			if i >= 2 && strings.EqualFold(s[i-2:i], "GH") { // GH-1 is issue 1
				b.WriteString(nothing)
			}
			b.WriteRune(c)
		case '.':
			if strings.HasSuffix(s[:i], "www") {
				b.WriteString("&#46;")
			} else {
				b.WriteRune(c)
			}
		case '$':
			b.WriteString("<span>$</span>")
		case '\n', '\r', '\t':
			b.WriteByte(' ')
		case '\\', '`', '*', '_', '{', '}', '[', ']', '(', ')', '~', '|', '!', '<', '>', '&', ':', '"', '\'':
			fmt.Fprintf(&b, "&#%d;", c)
		default:
			if (c < 0x20 || c >= 0x7f) && plain(string(c)) != string(c) {
				c = '�'
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}
