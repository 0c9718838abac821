package contracts

// SelectionAggregate combines the repeats of all models. NoComparison is the
// reason why nothing is compared with the baseline. It is empty if the baseline
// has figures for the same cases and offer.
type SelectionAggregate struct {
	CasesVersion string         `json:"cases_version"`
	CasesSHA256  string         `json:"cases_sha256"`
	Cases        int            `json:"cases"`
	Offer        SelectionOffer `json:"offer"`
	NoComparison string         `json:"no_comparison,omitempty"`
	Models       []ModelSummary `json:"models"`
}

// ModelSummary is one model over all repeats. A run is one case in one repeat.
// Errored runs have no answer and are in no other figure. PassAt and PassAll
// hold pass@k and pass^k for k from 1 to the smallest number of answers to a
// case. Consistency is absent if no case was answered twice.
type ModelSummary struct {
	Model       string        `json:"model"`
	AnsweredBy  string        `json:"answered_by"`
	Repeats     int           `json:"repeats"`
	Runs        int           `json:"runs"`
	Errored     int           `json:"errored"`
	TP          int           `json:"tp"`
	FP          int           `json:"fp"`
	TN          int           `json:"tn"`
	FN          int           `json:"fn"`
	Rates       []RateSummary `json:"rates"`
	Means       []MeanSummary `json:"means"`
	PassAt      []float64     `json:"pass_at"`
	PassAll     []float64     `json:"pass_all"`
	Consistency *float64      `json:"consistency,omitempty"`
	Tags        []TagSummary  `json:"tags"`
	// Limits are those of the reports. ExtraCalls and ForbiddenCalls are the most such
	// calls of a repeat.
	Limits         *CallLimits      `json:"limits,omitempty"`
	ExtraCalls     int              `json:"extra_calls,omitempty"`
	ForbiddenCalls int              `json:"forbidden_calls,omitempty"`
	Comparison     *CasesComparison `json:"comparison,omitempty"`
	PerCase        []CaseSummary    `json:"per_case"`
}

// Rate returns the rate of that name, one of metrics.SelectionRates.
func (m ModelSummary) Rate(name string) (r RateSummary, ok bool) {
	for _, r := range m.Rates {
		if r.Rate == name {
			return r, true
		}
	}
	return RateSummary{}, false
}

// RateSummary is Count of Of runs, which are runs of Cases cases. Repeats of a
// case are not independent, so Interval is Wilson's 95% interval of Value over
// Cases observations. Value and Interval are absent if Of is 0. Baseline is the
// value in the baseline, if it has one.
type RateSummary struct {
	Rate     string    `json:"rate"`
	Count    int       `json:"count"`
	Of       int       `json:"of"`
	Cases    int       `json:"cases"`
	Value    *float64  `json:"value,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
	Baseline *float64  `json:"baseline,omitempty"`
}

// MeanSummary is the mean score of the parameters of right calls, with its 95%
// interval over cases.
type MeanSummary struct {
	Mean     string    `json:"mean"`
	Of       int       `json:"of"`
	Value    *float64  `json:"value,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
}

// TagSummary is the accuracy over the cases with a tag.
type TagSummary struct {
	Tag      string      `json:"tag"`
	Accuracy RateSummary `json:"accuracy"`
}

// CasesComparison pairs the cases with those of the baseline. A case is right
// if more than half of its answers are. PValue is that of McNemar's exact test
// on the lost and gained cases. Verdict is improved, regressed or within_noise.
type CasesComparison struct {
	Lost    []string `json:"lost"`
	Gained  []string `json:"gained"`
	PValue  float64  `json:"p_value"`
	Verdict string   `json:"verdict"`
}

// CaseSummary is one case over all repeats: the number of right answers, and
// the calls of the first wrong answer or, if none is wrong, of the first
// answer. Error is that of the first repeat without an answer.
type CaseSummary struct {
	ID       string         `json:"id"`
	Query    string         `json:"query"`
	Tags     []string       `json:"tags,omitempty"`
	Expected []ExpectedCall `json:"expected"`
	Withheld []ToolID       `json:"withheld,omitempty"`
	Answers  int            `json:"answers"`
	Right    int            `json:"right"`
	Errored  int            `json:"errored"`
	// ExtraCalls and ForbiddenCalls are the most such calls of an answer.
	ExtraCalls     int        `json:"extra_calls,omitempty"`
	ForbiddenCalls int        `json:"forbidden_calls,omitempty"`
	Class          string     `json:"class,omitempty"`
	Calls          []MadeCall `json:"calls"`
	Reasoning      string     `json:"reasoning,omitempty"`
	Error          string     `json:"error,omitempty"`
}

// IsRight reports whether more than half of the answers are right.
func (c CaseSummary) IsRight() bool { return 2*c.Right > c.Answers }

// BaselineSelection holds the figures of tool selection that later ones are
// compared with. Offer has no fields about the proxy, because a comparison
// should show the effect of a changed proxy.
type BaselineSelection struct {
	CasesVersion string          `json:"cases_version"`
	CasesSHA256  string          `json:"cases_sha256"`
	Offer        SelectionOffer  `json:"offer"`
	Models       []BaselineModel `json:"models"`
}

// BaselineModel holds a model's rates by name, and the cases that it got right
// and wrong, by id.
type BaselineModel struct {
	Model   string             `json:"model"`
	Repeats int                `json:"repeats"`
	Rates   map[string]float64 `json:"rates"`
	Right   []string           `json:"right"`
	Wrong   []string           `json:"wrong"`
}

// SelectionThreshold bounds one model. A bound that is absent is not judged.
type SelectionThreshold struct {
	Model                  string   `json:"model"`
	AccuracyFloor          *float64 `json:"accuracy_floor,omitempty"`
	ParameterAccuracyFloor *float64 `json:"parameter_accuracy_floor,omitempty"`
	WrongToolCeiling       *float64 `json:"wrong_tool_ceiling,omitempty"`
	MisleadingCeiling      *float64 `json:"misleading_ceiling,omitempty"`
}

// Bound returns the bound in the named field, one of
// metrics.SelectionRate.Threshold, or nil if there is none.
func (t SelectionThreshold) Bound(field string) *float64 {
	if p := t.bound(field); p != nil {
		return *p
	}
	return nil
}

// SetBound sets the bound in the named field.
func (t *SelectionThreshold) SetBound(field string, value *float64) {
	if p := t.bound(field); p != nil {
		*p = value
	}
}

func (t *SelectionThreshold) bound(field string) **float64 {
	switch field {
	case "accuracy_floor":
		return &t.AccuracyFloor
	case "parameter_accuracy_floor":
		return &t.ParameterAccuracyFloor
	case "wrong_tool_ceiling":
		return &t.WrongToolCeiling
	case "misleading_ceiling":
		return &t.MisleadingCeiling
	}
	return nil
}
