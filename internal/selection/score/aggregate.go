package score

import (
	"cmp"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Observation is the part of a run that summaries need.
type Observation struct {
	RunID   string
	BatchID string
	CaseID  string
	Case    string   // its name
	Servers []string // of the expected calls, each once; none if no tool is expected
	Tools   []string // server:tool of the expected calls, each once
	Model   string   // provider/model
	Tags    []string
	Repeat  int
	// ImportedFrom names the program that executed the run, if it was another one.
	ImportedFrom string
	Failed       bool
	Error        string
	Selects      string // the selection as text; equal for equal selections
	Made         bool   // a tool was selected

	Classification selection.Classification
	Reasoning      string // why the run is right or wrong
	Completeness   *float64
	Correctness    *float64
	Conformance    *float64
	Hallucinated   int
	Extra          int  // calls beside expected ones
	Forbidden      int  // calls that the case forbids, or unexpected ones of destructive tools
	Missed         bool // several calls were made or expected, and an expected one was not made
	Confidence     *float64
	Source         selection.ConfidenceSource
	Category       selection.ConfidenceCategory

	DurationMS   int64
	InputTokens  int
	OutputTokens int
	CostUSD      *float64
}

// Rate is a share with its 95% Wilson interval. Runs of one case are repeats
// and not independent, so the interval is computed for as many observations as
// there are cases. Value, Low and High are nil if the denominator is 0.
type Rate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Count int      `json:"count"`
	Of    int      `json:"of"`
	// Cases is the number of cases among Of.
	Cases int `json:"-"`
}

// Mean is a mean with its 95% interval over cases, as metrics.MeanIntervals
// computes it.
type Mean struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Of    int      `json:"of"`
}

// Summary summarises runs. Failed runs count only in Runs and Failed. Parameter
// figures are over runs in which the right tool was called.
type Summary struct {
	Runs   int `json:"runs"`
	Failed int `json:"failed"`
	Cases  int `json:"cases"`
	// Imported counts the runs that another program executed.
	Imported int `json:"imported"`
	TP       int `json:"tp"`
	FP       int `json:"fp"`
	TN       int `json:"tn"`
	FN       int `json:"fn"`

	Precision Rate     `json:"precision"`
	Recall    Rate     `json:"recall"`
	F1        *float64 `json:"f1"`
	Accuracy  Rate     `json:"accuracy"`
	// WrongTool is the share of runs in which another tool was called, among
	// the runs that expected a tool. Precision does not include these.
	WrongTool Rate `json:"wrong_tool_rate"`

	// ExtraCalls counts the calls beside expected ones, and ForbiddenCalls those that
	// their case forbids, or that are unexpected and of destructive tools. Only
	// forbidden calls change the class of a run.
	ExtraCalls     int `json:"extra_calls"`
	ForbiddenCalls int `json:"forbidden_calls"`

	// ParameterAccuracy is the share of right calls in which every expected
	// parameter is right, none is invented, and none violates the input schema.
	ParameterAccuracy Rate `json:"parameter_accuracy"`
	Completeness      Mean `json:"parameter_completeness"`
	Correctness       Mean `json:"parameter_correctness"`
	Conformance       Mean `json:"parameter_type_conformance"`
	Hallucinating     Rate `json:"hallucinating"` // right calls with an invented parameter

	Robust       Rate `json:"robust"`        // of runs with a confidence
	NeedsClarity Rate `json:"needs_clarity"` // of runs with a confidence
	Misleading   Rate `json:"misleading"`    // of runs with a confidence

	// PassAt and PassAll are means over cases of the chance that one of k
	// repeats is right, or all k are, for k up to the smallest number of
	// repeats.
	PassAt      []float64 `json:"pass_at_k,omitempty"`
	PassAll     []float64 `json:"pass_all_k,omitempty"`
	Consistency *float64  `json:"consistency"`

	Calibration []Calibration `json:"calibration,omitempty"`

	MedianMS     int64    `json:"median_ms"`
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd"` // nil if no price is known
}

// Calibration compares the confidence from one source with correctness.
type Calibration struct {
	Source selection.ConfidenceSource `json:"source"`
	ECE    *float64                   `json:"ece"`
	Bins   []ReliabilityBin           `json:"bins"`
}

// ReliabilityBin is metrics.ReliabilityBin as JSON.
type ReliabilityBin struct {
	Low            float64  `json:"low"`
	High           float64  `json:"high"`
	Count          int      `json:"count"`
	MeanConfidence *float64 `json:"mean_confidence"`
	Accuracy       *float64 `json:"accuracy"`
}

const calibrationBins = 10

// Summarize summarises observations. Their order does not matter.
func Summarize(observations []Observation) Summary {
	sorted := slices.Clone(observations)
	slices.SortFunc(sorted, func(a, b Observation) int {
		return cmp.Or(cmp.Compare(a.CaseID, b.CaseID), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Repeat, b.Repeat),
			cmp.Compare(a.RunID, b.RunID))
	})
	s := Summary{Runs: len(sorted)}
	cases := map[string]bool{}
	var ended []Observation
	var confusion metrics.Confusion
	for _, o := range sorted {
		cases[o.CaseID] = true
		if o.ImportedFrom != "" {
			s.Imported++
		}

		s.InputTokens += o.InputTokens
		s.OutputTokens += o.OutputTokens
		if o.CostUSD != nil {
			if s.CostUSD == nil {
				s.CostUSD = new(float64)
			}

			*s.CostUSD += *o.CostUSD
		}

		if o.Failed {
			s.Failed++
			continue
		}

		ended = append(ended, o)
		s.ExtraCalls += o.Extra
		s.ForbiddenCalls += o.Forbidden
		switch o.Classification {
		case selection.TP:
			confusion.TP++
		case selection.FP:
			confusion.FP++
		case selection.TN:
			confusion.TN++
		case selection.FN:
			confusion.FN++
		}
	}

	f1, _ := metrics.DetectionRateByName("f1")
	s.Cases, s.TP, s.FP, s.TN, s.FN = len(cases), confusion.TP, confusion.FP, confusion.TN, confusion.FN
	s.F1 = f1.Of(metrics.DetectionCounts{All: confusion})
	s.rates(ended)
	s.parameters(ended)
	s.repeats(ended)
	s.calibrate(ended)
	s.MedianMS = median(ended)
	return s
}

func (s *Summary) rates(ended []Observation) {
	for name, into := range map[string]*Rate{
		"precision": &s.Precision, "recall": &s.Recall, "accuracy": &s.Accuracy, "wrong_tool_rate": &s.WrongTool,
		"parameter_accuracy": &s.ParameterAccuracy, "hallucinating": &s.Hallucinating,
		"robust": &s.Robust, "needs_clarity": &s.NeedsClarity, "misleading": &s.Misleading,
	} {
		*into = RateOf(name, ended)
	}
}

// RateOf computes the declared rate of that name, one of metrics.SelectionRates,
// over observations of which none failed.
func RateOf(name string, ended []Observation) Rate {
	declared, ok := metrics.SelectionRateByName(name)
	if !ok {
		panic("no rate of tool selection is called " + name)
	}

	var r Rate
	cases := map[string]bool{}
	for _, o := range ended {
		of, counts := declared.Counts(o.run())
		if !of {
			continue
		}

		r.Of++
		cases[o.CaseID] = true
		if counts {
			r.Count++
		}
	}

	r.Cases = len(cases)
	if r.Value = metrics.Rate(r.Count, r.Of); r.Value != nil {
		interval := metrics.WilsonOf(*r.Value, r.Cases)
		r.Low, r.High = &interval.Low, &interval.High
	}

	return r
}

// run is what the rates need of an observation.
func (o Observation) run() metrics.SelectionRun {
	right := o.Classification == selection.TP
	return metrics.SelectionRun{
		Expected: right || o.Classification == selection.FN,
		// A forbidden call beside all expected ones makes a run wrong, but is no wrong tool.
		Called: o.Made && (o.Missed || o.Extra == 0 || o.Forbidden == 0),
		Right:  o.Classification.Correct(),

		ParametersRight: right && o.Correctness != nil && *o.Correctness == 1 &&
			(o.Conformance == nil || *o.Conformance == 1),
		Invented:  right && o.Hallucinated > 0,
		Rated:     o.Confidence != nil,
		Confident: o.Category == selection.Robust || o.Category == selection.Misleading,
	}
}

func (s *Summary) parameters(ended []Observation) {
	for _, figure := range []struct {
		into *Mean
		of   func(Observation) *float64
	}{
		{&s.Completeness, func(o Observation) *float64 { return o.Completeness }},
		{&s.Correctness, func(o Observation) *float64 { return o.Correctness }},
		{&s.Conformance, func(o Observation) *float64 { return o.Conformance }},
	} {
		var values []float64
		var groups []string
		for _, o := range ended {
			if v := figure.of(o); o.Classification == selection.TP && v != nil {
				values, groups = append(values, *v), append(groups, o.CaseID)
			}
		}

		figure.into.Of = len(values)
		if len(values) > 0 {
			mean := metrics.Mean(values)
			interval := metrics.MeanIntervals([][]float64{values}, groups)[0]
			figure.into.Value, figure.into.Low, figure.into.High = &mean, &interval.Low, &interval.High
		}
	}
}

// series are the repeats of one case by one model.
type series struct {
	right   int
	n       int
	answers map[string]int
}

func (s *Summary) repeats(ended []Observation) {
	var all []*series
	places := map[[2]string]*series{}
	for _, o := range ended {
		key := [2]string{o.CaseID, o.Model}
		if places[key] == nil {
			places[key] = &series{answers: map[string]int{}}
			all = append(all, places[key])
		}

		places[key].n++
		places[key].answers[o.Selects]++
		if o.Classification.Correct() {
			places[key].right++
		}
	}

	if len(all) == 0 {
		return
	}

	least := all[0].n
	var agreements []float64
	for _, x := range all {
		least = min(least, x.n)
		var counts []int
		for _, n := range x.answers {
			counts = append(counts, n)
		}

		if a := metrics.Agreement(counts); a != nil {
			agreements = append(agreements, *a)
		}
	}

	if len(agreements) > 0 {
		mean := metrics.Mean(agreements)
		s.Consistency = &mean
	}

	for k := 1; k <= least; k++ {
		var some, every []float64
		for _, x := range all {
			some = append(some, *metrics.PassAtK(x.n, x.right, k))
			every = append(every, *metrics.PassAllK(x.n, x.right, k))
		}

		s.PassAt, s.PassAll = append(s.PassAt, metrics.Mean(some)), append(s.PassAll, metrics.Mean(every))
	}
}

func (s *Summary) calibrate(ended []Observation) {
	forecasts := map[selection.ConfidenceSource][]metrics.Forecast{}
	for _, o := range ended {
		if o.Confidence != nil {
			forecasts[o.Source] = append(forecasts[o.Source],
				metrics.Forecast{Confidence: *o.Confidence, Correct: o.Classification.Correct()})
		}
	}

	for _, source := range []selection.ConfidenceSource{selection.FromAnswer, selection.FromLogprobs,
		selection.FromScore, selection.FromRepeats} {
		if len(forecasts[source]) == 0 {
			continue
		}

		bins := metrics.Reliability(forecasts[source], calibrationBins)
		c := Calibration{Source: source, ECE: metrics.ECE(bins)}
		for _, b := range bins {
			c.Bins = append(c.Bins, ReliabilityBin(b))
		}

		s.Calibration = append(s.Calibration, c)
	}
}

// RateByRepeats sets the confidence of observations of a model whose answers to a
// case have none: the share of the case's repeats in the batch that made the same
// choice. It needs two answers or more.
func RateByRepeats(all []Observation) {
	groups := map[[3]string][]int{}
	for i, o := range all {
		if key := [3]string{o.BatchID, o.CaseID, o.Model}; !o.Failed {
			groups[key] = append(groups[key], i)
		}
	}

	for _, members := range groups {
		chosen, rated := map[string]int{}, false
		for _, i := range members {
			chosen[all[i].Selects]++
			rated = rated || all[i].Confidence != nil
		}

		if rated || len(members) < 2 {
			continue
		}

		for _, i := range members {
			share := float64(chosen[all[i].Selects]) / float64(len(members))
			all[i].Confidence, all[i].Source = &share, selection.FromRepeats
			all[i].Category = selection.Categorize(all[i].Classification.Correct(), &share)
		}
	}
}

// median is the lower median of the runs' durations.
func median(ended []Observation) int64 {
	var times []int64
	for _, o := range ended {
		times = append(times, o.DurationMS)
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)/2]
}

// Group is the summary of the runs that share a server, a model or a tag.
type Group struct {
	Name    string  `json:"name"`
	Summary Summary `json:"summary"`
}

// By summarises observations by the names that keys returns for each, sorted by
// name. An observation may have several names, or none.
func By(observations []Observation, keys func(Observation) []string) []Group {
	groups := map[string][]Observation{}
	for _, o := range observations {
		for _, name := range keys(o) {
			groups[name] = append(groups[name], o)
		}
	}

	result := []Group{}
	for name, members := range groups {
		result = append(result, Group{name, Summarize(members)})
	}

	slices.SortFunc(result, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	return result
}

// ByServer is a key for By. So are ByTool, ByModel and ByTag.
func ByServer(o Observation) []string { return o.Servers }

func ByTool(o Observation) []string { return o.Tools }

func ByModel(o Observation) []string { return []string{o.Model} }

func ByTag(o Observation) []string { return o.Tags }
