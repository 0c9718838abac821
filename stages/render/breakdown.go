package render

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/ranking"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// breakdownView shows retrieval by parts of the queries: by their kind, and by
// the server of the right tools.
type breakdownView struct {
	Metrics        []string
	Kinds, Servers []partView
	Curve          template.HTML
	CurveNote      string
	Live           string
}

// partView is a part of the queries. Changed counts queries that moved against the
// baseline: "−3 +1".
type partView struct {
	Name    string
	Queries int
	Cells   []partCell
	Changed string
}

// partCell is one metric of a part. Only the first one has a plot.
type partCell struct {
	Value, Range string
	Plot         template.HTML
}

// brokenDown are the metrics of the tables.
var brokenDown = slices.DeleteFunc(metrics.Ranking(), func(m metrics.RankingMetric) bool { return !m.Gated })

// part is a set of queries by index.
type part struct {
	name    string
	queries []int
}

// viewBreakdown returns nil if there are no queries.
func viewBreakdown(r *contracts.Report) *breakdownView {
	queries := r.Aggregate.Retrieval.PerQuery
	if len(queries) == 0 {
		return nil
	}

	v := &breakdownView{}
	for _, m := range brokenDown {
		v.Metrics = append(v.Metrics, m.Label)
	}

	moved := make(map[string]string)
	for _, m := range r.Gate.Changes {
		if m.Subject == summary.Retrieval {
			moved[m.ID] = m.State
		}
	}

	groups := significance.Groups(queries)
	for _, p := range queryKinds(queries, r.Aggregate.Retrieval.TestShare) {
		v.Kinds = append(v.Kinds, viewPart(p, queries, groups, moved))
	}

	servers := serversOf(queries)
	slices.SortStableFunc(servers, func(a, b part) int {
		return cmp.Compare(meanOf(a, queries, brokenDown[0].Name), meanOf(b, queries, brokenDown[0].Name))
	})
	for _, p := range servers {
		v.Servers = append(v.Servers, viewPart(p, queries, groups, moved))
	}

	v.Curve, v.CurveNote = recallCurve(r)
	v.Live = liveQueries(queries)
	return v
}

// queryKinds divides the queries by the number of words that they share with
// their best tool, by the number of their right tools and by whether a
// look-alike of the right tool is labelled. It adds those of each split, those
// with a tag and those of each language. It leaves out kinds without a query.
func queryKinds(queries []contracts.QuerySummary, testShare float64) []part {
	kinds := []part{{name: "look-alike labelled"}, {name: "no look-alike labelled"}, {name: "one right tool"},
		{name: "several right tools"}}
	for i := range queries {
		kind, tools := 1, 2
		if hasLookAlike(&queries[i]) {
			kind = 0
		}

		relevant := 0
		for _, l := range queries[i].Labels {
			if l.Relevance > 0 {
				relevant++
			}
		}

		if relevant > 1 {
			tools = 3
		}

		kinds[kind].queries = append(kinds[kind].queries, i)
		kinds[tools].queries = append(kinds[tools].queries, i)
	}

	kinds = slices.Concat(sharingWords(queries), kinds, splits(queries, testShare), taggedQueries(queries))
	return slices.DeleteFunc(kinds, func(p part) bool { return len(p.queries) == 0 })
}

// sharingWords divides the queries by the number of content words that they share
// with their best tool.
func sharingWords(queries []contracts.QuerySummary) []part {
	parts := []part{{name: "no word shared with the tool"}, {name: "1 word shared"}, {name: "2 or more words shared"}}
	for i := range queries {
		if n := queries[i].SharedWords; n != nil {
			at := min(*n, len(parts)-1)
			parts[at].queries = append(parts[at].queries, i)
		}
	}
	return parts
}

// liveQueries says how many queries have a right tool in their list. The others
// cannot get worse.
func liveQueries(queries []contracts.QuerySummary) string {
	live := 0
	for i := range queries {
		if slices.ContainsFunc(queries[i].Ranked, contracts.RankedTool.Relevant) {
			live++
		}
	}

	return fmt.Sprintf("%d of %d queries (%s) have a right tool in the top 10. The others score 0 and cannot "+
		"get worse.",
		live, len(queries), wording.Percent(float64(live)/float64(len(queries))))
}

// splits divides the queries into those for development, which rules and
// descriptions may be made on, and those held out.
func splits(queries []contracts.QuerySummary, testShare float64) []part {
	parts := []part{{name: "split " + contracts.SplitDev}, {name: "split " + contracts.SplitTest}}
	for i := range queries {
		switch contracts.Split(testShare, queries[i].ID) {
		case contracts.SplitDev:
			parts[0].queries = append(parts[0].queries, i)
		case contracts.SplitTest:
			parts[1].queries = append(parts[1].queries, i)
		}
	}
	return parts
}

// taggedQueries returns the queries with a tag that no other kind covers, and
// those of each language, by name. English is the language of all others.
func taggedQueries(queries []contracts.QuerySummary) []part {
	tags := []part{{name: contracts.TagIndirect}, {name: contracts.TagMisspelt}}
	at := make(map[string]int)
	var languages []part
	for i := range queries {
		for t := range tags {
			if slices.Contains(queries[i].Tags, tags[t].name) {
				tags[t].queries = append(tags[t].queries, i)
			}
		}

		tag := queries[i].Language
		if tag == "" {
			continue
		}

		n, known := at[tag]
		if !known {
			n = len(languages)
			at[tag] = n
			languages = append(languages, part{name: "language " + tag})
		}

		languages[n].queries = append(languages[n].queries, i)
	}

	slices.SortFunc(languages, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return append(tags, languages...)
}

// hasLookAlike reports whether a tool that looks right is labelled as irrelevant.
func hasLookAlike(q *contracts.QuerySummary) bool {
	return strings.HasPrefix(q.Notes, "hard-negative") || slices.Contains(q.Tags, contracts.TagHardNegative)
}

// serversOf assigns each query to the servers of its right tools, by name. A
// query with right tools of several servers is in each.
func serversOf(queries []contracts.QuerySummary) []part {
	at := make(map[string]int)
	var parts []part
	for i := range queries {
		for _, l := range queries[i].Labels {
			server, _, ok := strings.Cut(l.ToolID, ":")
			if l.Relevance <= 0 || !ok {
				continue
			}

			n, known := at[server]
			if !known {
				n = len(parts)
				at[server] = n
				parts = append(parts, part{name: server})
			}

			if in := parts[n].queries; len(in) == 0 || in[len(in)-1] != i {
				parts[n].queries = append(in, i)
			}
		}
	}

	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts
}

func meanOf(p part, queries []contracts.QuerySummary, metric string) float64 {
	values := make([]float64, len(p.queries))
	for i, q := range p.queries {
		values[i] = queries[q].Metrics[metric]
	}
	return metrics.Mean(values)
}

func viewPart(p part, queries []contracts.QuerySummary, groups []string, moved map[string]string) partView {
	v := partView{Name: p.name, Queries: len(p.queries)}
	own := make([]string, len(p.queries))
	counts := make(map[string]int)
	for i, q := range p.queries {
		own[i] = groups[q]
		counts[moved[queries[q].ID]]++
	}

	for k, m := range brokenDown {
		values := make([]float64, len(p.queries))
		for i, q := range p.queries {
			values[i] = queries[q].Metrics[m.Name]
		}

		mean, i := metrics.Mean(values), metrics.ScoreMean(values, own)
		interval := contracts.Interval{Low: i.Low, High: i.High}
		cell := partCell{Value: wording.Figure(mean), Range: wording.Range(interval)}
		if k == 0 {
			cell.Plot = plot{Low: 0, High: 1, Value: &mean, Interval: &interval,
				Label: fmt.Sprintf("%s of %s: %s", m.Label, p.name, wording.Figure(mean))}.svg()
		}

		v.Cells = append(v.Cells, cell)
	}

	if worse := counts[contracts.ChangeRegressed] + counts[contracts.ChangeErrored]; worse > 0 {
		v.Changed = fmt.Sprintf("−%d", worse)
	}

	if better := counts[contracts.ChangeFixed]; better > 0 {
		v.Changed = strings.TrimSpace(fmt.Sprintf("%s +%d", v.Changed, better))
	}

	return v
}

// The curve's size, in pixels.
const (
	curveWidth  = 360.0
	curveHeight = 150.0
	curveLeft   = 34.0
	curveFoot   = 20.0
	curveMost   = 10 // places of a ranked list
)

// recallCurve draws recall at 1 to 10, with the baseline's values where it has
// them, and says the same in a sentence.
func recallCurve(r *contracts.Report) (template.HTML, string) {
	queries := r.Aggregate.Retrieval.PerQuery
	recall := make([]float64, curveMost)
	for i := range queries {
		topic := ranking.Topic(queries[i].Labels, queries[i].Ranked)
		for k := range recall {
			recall[k] += topic.Recall(k+1) / float64(len(queries))
		}
	}

	x := func(k int) float64 { return curveLeft + float64(k-1)*(curveWidth-curveLeft-10)/(curveMost-1) }
	var points, said []string
	for k, v := range recall {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x(k+1), recallHeight(v)))
		said = append(said, fmt.Sprintf("%d: %s", k+1, wording.Figure(v)))
	}

	note := "Recall at " + strings.Join(said, ", ") + "."
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="curve" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="%s">`,
		curveWidth, curveHeight, curveWidth, curveHeight, html.EscapeString(note))
	recallAxis(&b)
	for k := 1; k <= curveMost; k++ {
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle">%d</text>`, x(k), curveHeight-4, k)
	}

	for _, m := range r.Aggregate.Retrieval.Metrics {
		k := 0
		if _, err := fmt.Sscanf(m.Metric, "recall_at_%d", &k); err != nil || k < 1 || k > curveMost ||
			m.Comparison == nil {
			continue
		}

		fmt.Fprintf(&b, `<line class="baseline" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, x(k)-6,
			recallHeight(m.Comparison.Baseline), x(k)+6, recallHeight(m.Comparison.Baseline))
	}

	fmt.Fprintf(&b, `<polyline class="line" points="%s"/></svg>`, strings.Join(points, " "))
	return template.HTML(b.String()), note
}

// recallHeight is the vertical place of a recall in a curve.
func recallHeight(v float64) float64 { return 8 + (1-v)*(curveHeight-curveFoot-8) }

// recallAxis draws the lines of a curve for a recall of 0, .5 and 1.
func recallAxis(b *strings.Builder) {
	for _, v := range []float64{0, 0.5, 1} {
		y := recallHeight(v)
		fmt.Fprintf(b, `<line class="axis" x1="%g" y1="%.1f" x2="%g" y2="%.1f"/>`, curveLeft, y, curveWidth-10, y)
		fmt.Fprintf(b, `<text x="%g" y="%.1f" text-anchor="end">%g</text>`, curveLeft-6, y+4, v)
	}
}
