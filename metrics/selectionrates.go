package metrics

import "slices"

// SelectionRate declares one rate of tool selection: of some runs, the share of
// which something holds. Like the other tables of this package, the table below
// is where summaries, intervals, reports, the gate and the table in
// docs/reference/metrics.md take a rate from.
type SelectionRate struct {
	// Name is the name in files and thresholds; Label the one in reports.
	Name, Label string
	// Counts reports whether the rate is over this run, and whether the run counts.
	Counts func(SelectionRun) (of, counts bool)
	// LowerIsBetter is set where a smaller value is the better one.
	LowerIsBetter bool
	// Threshold is the field of a threshold in the baseline that bounds the rate:
	// a floor, or a ceiling where lower is better. Empty where there is none.
	Threshold string
	// Shown is where reports print the rate. report.json has every rate.
	Shown Place
	// Formula stands in docs/reference/metrics.md.
	Formula string
}

// SelectionRun is what the rates need of one run that was answered.
type SelectionRun struct {
	Expected bool // a tool is right
	Called   bool // the model called a tool
	Right    bool // the model did what was expected
	// ParametersRight and Invented are set for right calls only: every expected
	// parameter is right; some parameter comes from nowhere.
	ParametersRight, Invented bool
	// Rated is set where the run has a confidence, Confident where it is high.
	Rated, Confident bool
}

// selectionRates is the table, in the order of reports.
var selectionRates = []SelectionRate{
	{
		Name: "accuracy", Label: "Accuracy", Threshold: "accuracy_floor", Shown: InTables | OnPage | InSummary,
		Counts:  func(r SelectionRun) (of, counts bool) { return true, r.Right },
		Formula: "(TP + TN) / all",
	},
	{
		Name: "wrong_tool_rate", Label: "Wrong tool", Threshold: "wrong_tool_ceiling", LowerIsBetter: true, Shown: InTables | OnPage | InSummary,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Expected, !r.Right && r.Called },
		Formula: "runs in which another tool was called / runs that expect a tool",
	},
	{
		Name: "parameter_accuracy", Label: "Parameters right", Threshold: "parameter_accuracy_floor", Shown: InTables | OnPage | InSummary,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Expected && r.Right, r.ParametersRight && !r.Invented },
		Formula: "right calls with every expected parameter right and none invented / TP",
	},
	{
		Name: "misleading", Label: "Misleading", Threshold: "misleading_ceiling", LowerIsBetter: true, Shown: InTables | OnPage,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Rated, !r.Right && r.Confident },
		Formula: "wrong runs with a confidence of 0.7 or more / runs with a confidence",
	},
	{
		Name: "false_call_rate", Label: "Needless call", LowerIsBetter: true, Shown: InTables | OnPage,
		Counts:  func(r SelectionRun) (of, counts bool) { return !r.Expected, r.Called },
		Formula: "FP / (FP + TN)",
	},
	{
		Name: "precision", Label: "Precision", Shown: OnPage,
		Counts: func(r SelectionRun) (of, counts bool) {
			return r.Expected && r.Right || !r.Expected && r.Called, r.Expected && r.Right
		},
		Formula: "TP / (TP + FP)",
	},
	{
		Name: "recall", Label: "Recall", Shown: OnPage,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Expected, r.Right },
		Formula: "TP / (TP + FN)",
	},
	{
		Name: "hallucinating", Label: "Invented parameters", LowerIsBetter: true, Shown: OnPage,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Expected && r.Right, r.Invented },
		Formula: "right calls with an invented parameter / TP",
	},
	{
		Name: "robust", Label: "Robust",
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Rated, r.Right && r.Confident },
		Formula: "right runs with a confidence of 0.7 or more / runs with a confidence",
	},
	{
		Name: "needs_clarity", Label: "Needs clarity", LowerIsBetter: true,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Rated, r.Right && !r.Confident },
		Formula: "right runs with a lower confidence / runs with a confidence",
	},
}

// SelectionRates returns the declared rates in the order of reports.
func SelectionRates() []SelectionRate { return slices.Clone(selectionRates) }

// SelectionRateByName returns the rate of that name. ok is false when no rate
// has it.
func SelectionRateByName(name string) (r SelectionRate, ok bool) {
	i := slices.IndexFunc(selectionRates, func(r SelectionRate) bool { return r.Name == name })
	if i < 0 {
		return SelectionRate{}, false
	}
	return selectionRates[i], true
}

// Of counts the runs that the rate is over, and those of them that count.
func (r SelectionRate) Of(runs []SelectionRun) (counts, of int) {
	for _, run := range runs {
		in, hit := r.Counts(run)
		if !in {
			continue
		}
		of++
		if hit {
			counts++
		}
	}
	return counts, of
}
