package render

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// mutationView holds one detector's results on rewritten entries.
type mutationView struct {
	Name, Note string
	HeldOut    bool
	Rows       []mutationRow
	Operators  []operatorRow
	Sources    []sourceRow
}

type mutationRow struct {
	Name, Class           string
	Kept, HeldOut, Recall shareView
	FPR, HeldOutFPR       shareView
	Disguised             shareView
	Difference            string
	Plot                  template.HTML
}

// shareView is a share: its rate, its interval, and both counts.
type shareView struct{ Rate, Range, Counts string }

func viewShare(s *contracts.Share) shareView {
	if s == nil || s.Rate == nil {
		return shareView{Rate: "–"}
	}
	return shareView{wording.Figure(*s.Rate), wording.Range(*s.Interval),
		counted(*s)}
}

// String formats the share for a cell of Markdown.
func (v shareView) String() string {
	if v.Range == "" {
		return v.Rate
	}
	return v.Rate + " (" + v.Range + ")"
}

type operatorRow struct{ Family, Name, Kept, FPR, Lost, Alarms string }

type sourceRow struct {
	Name                                       string
	Recall, Mutated, OtherRecall, OtherMutated shareView
}

// totalNames are the rows that combine families.
var totalNames = map[string]string{"mechanical": "all mechanical", "wording": "language and paraphrase"}

func viewMutations(r *contracts.MutationReport) []mutationView {
	if r == nil {
		return nil
	}

	var views []mutationView
	for _, d := range r.Detectors {
		u, bare := d.Unmutated, d.Removed
		v := mutationView{Name: d.Detector, HeldOut: r.HeldOut,
			Note: fmt.Sprintf("Without rewriting, %s attacks and %s benign entries are flagged. With the rewritten "+
				"passage removed, %s flagged attacks are still flagged: another passage is the reason.",
				counted(u.Recall), counted(u.FPR), counted(bare.Retention))}
		for i, f := range append(append([]contracts.MutationFamily{}, d.Totals...), d.Families...) {
			dev := &f.Development
			row := mutationRow{Name: cmp.Or(totalNames[f.Family], f.Family), Kept: viewShare(&dev.Retention),
				Recall: viewShare(&dev.Recall),
				FPR:    viewShare(&dev.FPR), Disguised: viewShare(&dev.FPRDisguise), HeldOut: viewShare(nil),
				HeldOutFPR: viewShare(nil)}
			if i < len(d.Totals) {
				row.Class = "total"
			}

			pl := plot{Low: 0, High: 1, Value: dev.Retention.Rate, Interval: dev.Retention.Interval,
				Label: fmt.Sprintf("%s: %s still caught", row.Name, row.Kept)}
			if h := f.HeldOut; h != nil {
				row.HeldOut, row.HeldOutFPR = viewShare(&h.Retention), viewShare(&h.FPR)
				pl.Baseline = h.Retention.Rate
			}

			if f.Difference != nil {
				row.Difference = wording.Signed(*f.Difference)
			}

			row.Plot = pl.svg()
			v.Rows = append(v.Rows, row)
			for _, o := range f.Operators {
				alarms := o.Score.FPR
				if o.Disguise {
					alarms, o.Alarms = o.Score.FPRDisguise, nil // correct, so not false alarms
				}

				v.Operators = append(v.Operators,
					operatorRow{f.Family, o.Operator, counted(o.Score.Retention), counted(alarms), firstOf(o.Lost),
						firstOf(o.Alarms)})
			}
		}

		for _, s := range d.Sources {
			v.Sources = append(v.Sources,
				sourceRow{wording.Shorten(s.Source, 80), viewShare(&s.Unmutated), viewShare(&s.Mutated),
					viewShare(&s.OtherUnmutated), viewShare(&s.OtherMutated)})
		}

		views = append(views, v)
	}

	return views
}

func counted(s contracts.Share) string { return fmt.Sprintf("%d of %d", s.Count, s.Of) }

// firstOf lists some ids and the number of the rest.
func firstOf(ids []string) string {
	const most = 12
	shown := make([]string, 0, most)
	for _, id := range ids[:min(len(ids), most)] {
		shown = append(shown, wording.Shorten(id, 24))
	}
	text := strings.Join(shown, " ")
	if len(ids) > most {
		text += fmt.Sprintf(" and %d more", len(ids)-most)
	}
	return text
}

func markdownMutations(r *contracts.Report) []string {
	m := r.Aggregate.Mutations
	if m == nil {
		return nil
	}

	rows := []string{"<details><summary>Rewritten entries: attacks still caught, benign entries " +
		"flagged</summary>\n\n| detector | family | still caught | held out | difference | FPR | FPR, held out " +
		"|\n|---|---|---|---|---|---|---|\n"}
	for _, v := range viewMutations(m) {
		for _, row := range v.Rows {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |\n", wording.Markdown(v.Name),
				wording.Markdown(row.Name),
				row.Kept, row.HeldOut, cmp.Or(row.Difference, "–"), row.FPR, row.HeldOutFPR))
		}
	}

	return append(rows, "\nStill caught: of the attacks that are flagged in their original form, the share that is "+
		"flagged after rewriting too. FPR leaves out operators that only hide text.\n</details>\n\n")
}
