package metrics

import "slices"

// SelectionRate declares one rate of tool selection: the share of runs with
// some property. As with the other tables of this package, summaries,
// intervals, reports, the gate and the table in docs/reference/metrics.md
// follow from the table below.
type SelectionRate struct {
	// Name is the name in files and thresholds. Label is the name in reports.
	Name, Label string
	// Counts reports whether the run is in the denominator, and whether it is
	// in the numerator.
	Counts func(SelectionRun) (of, counts bool)
	// LowerIsBetter is set if a smaller value is better.
	LowerIsBetter bool
	// Threshold is the field of a threshold in the baseline that bounds the
	// rate: a floor, or a ceiling if lower is better. It is empty if there is
	// none.
	Threshold string
	// Shown is where reports print the rate. report.json has every rate.
	Shown Place
	// Formula is printed in docs/reference/metrics.md.
	Formula string
}

// SelectionRun holds the properties of one answered run that the rates need.
type SelectionRun struct {
	Expected bool // a call is expected
	Called   bool // the model called a tool
	Right    bool // the model did what was expected
	// ParametersRight and Invented are set for right calls only: every expected
	// parameter is right; some parameter was invented.
	ParametersRight, Invented bool
	// Rated is set if the run has a confidence, and Confident if it is high.
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
		Name: "wrong_tool_rate", Label: "Wrong tool", Threshold: "wrong_tool_ceiling", LowerIsBetter: true,
		Shown:   InTables | OnPage | InSummary,
		Counts:  func(r SelectionRun) (of, counts bool) { return r.Expected, !r.Right && r.Called },
		Formula: "runs in which another tool was called / runs that expect a tool",
	},
	{
		Name: "parameter_accuracy", Label: "Parameters right", Threshold: "parameter_accuracy_floor", Shown: InTables |
			OnPage | InSummary,
		Counts: func(r SelectionRun) (of, counts bool) {
			return r.Expected && r.Right, r.ParametersRight &&
				!r.Invented
		},
		Formula: "right calls with every expected parameter right and none invented / TP",
	},
	{
		Name: "misleading", Label: "Confidently wrong", Threshold: "misleading_ceiling", LowerIsBetter: true,
		Shown:   InTables | OnPage,
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

// SelectionRateByName returns the rate of that name. ok is false if there is
// none.
func SelectionRateByName(name string) (r SelectionRate, ok bool) {
	i := slices.IndexFunc(selectionRates, func(r SelectionRate) bool { return r.Name == name })
	if i < 0 {
		return SelectionRate{}, false
	}
	return selectionRates[i], true
}
