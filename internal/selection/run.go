package selection

import (
	"encoding/json"
	"time"
)

// RunStatus is the status of a run. It changes from pending to running to
// completed or failed, or from pending to failed, and never back.
type RunStatus string

const (
	Pending   RunStatus = "pending"
	Running   RunStatus = "running"
	Completed RunStatus = "completed"
	Failed    RunStatus = "failed"
)

// Cancelled is the error of a run that was cancelled.
const Cancelled = "cancelled"

// Interrupted is the error of a run whose process ended before the run did.
const Interrupted = "interrupted: the program that ran it ended before the run did"

// Tool is one tool of a run's snapshot.
type Tool struct {
	ID           string          `json:"id,omitempty"`
	Server       string          `json:"server"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	// Annotations are the server's hints about the tool.
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// Destructive reports whether the tool's annotations say that it may destroy
// something. Annotations that say nothing of it do not count, although the default
// of destructiveHint is true: most tools have none.
func (t Tool) Destructive() bool {
	var hints struct {
		ReadOnly    bool `json:"readOnlyHint"`
		Destructive bool `json:"destructiveHint"`
	}
	return json.Unmarshal(t.Annotations, &hints) == nil && hints.Destructive && !hints.ReadOnly
}

// MadeCall is a call that a model made. Server and Tool are set if the model
// named an offered tool; otherwise Unknown holds the name. Parameters is a JSON
// object. If the model's text was not a JSON object, Parameters is nil and
// Malformed holds the text.
type MadeCall struct {
	ToolID     string          `json:"tool_id,omitempty"`
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Unknown    string          `json:"unknown_tool,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Malformed  string          `json:"malformed_parameters,omitempty"`
}

// ConfidenceSource is the source of a confidence.
type ConfidenceSource string

const (
	FromAnswer   ConfidenceSource = "asked"
	FromLogprobs ConfidenceSource = "logprobs"
	FromScore    ConfidenceSource = "score" // from a baseline with scores
	// FromRepeats is the share of the repeats of a case that made the same choice.
	// It stands in where no run of the case has a confidence, and is not stored.
	FromRepeats ConfidenceSource = "repeats"
)

// Usage counts the tokens of a request. CostUSD is nil if no price is known.
type Usage struct {
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd,omitempty"`
}

// Said is what a model said beside its calls. Each text is bounded.
type Said struct {
	Text         string `json:"text,omitempty"`
	Refusal      string `json:"refusal,omitempty"`
	Reasoning    string `json:"reasoning,omitempty"`
	FinishReason string `json:"finish_reason,omitempty"`
	// CallAsText names the offered tools whose calls the model wrote as text.
	CallAsText []string `json:"call_as_text,omitempty"`
}

// SaidRaw is what a model said, and the beginning of its provider's answer.
type SaidRaw struct {
	Said
	Raw string
}

// MaxSaid bounds each text of Said, in characters, and MaxRaw a raw answer, in
// bytes.
const (
	MaxSaid = 20_000
	MaxRaw  = 1 << 20
)

// Bounded shortens the texts.
func (s Said) Bounded() Said {
	for _, text := range []*string{&s.Text, &s.Refusal, &s.Reasoning} {
		*text = Clip(*text, MaxSaid)
	}
	s.FinishReason = Clip(s.FinishReason, 100)
	return s
}

// Answer is a model's answer to a query.
type Answer struct {
	Calls []MadeCall `json:"calls"`
	Said
	Confidence       *float64         `json:"confidence,omitempty"` // 0 to 1
	ConfidenceSource ConfidenceSource `json:"confidence_source,omitempty"`
	Usage            Usage            `json:"usage"`
	Attempts         int              `json:"attempts"` // requests that were sent
	// Raw is the provider's answer, as JSON.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Imported says where a run comes from that another program executed, and how that
// program judged it. The run's own classification and scores are Touchstone's, from
// the calls that the other program recorded.
type Imported struct {
	// From names the program, and ID its run.
	From string `json:"from"`
	ID   string `json:"id"`
	OtherVerdict
}

// OtherVerdict is how another program judged a run. What it did not judge is empty.
type OtherVerdict struct {
	Classification Classification `json:"classification,omitempty"`
	// ParameterCorrectness is from 0 to 1.
	ParameterCorrectness *float64 `json:"parameter_correctness,omitempty"`
	// Confidence and Description are its words for them.
	Confidence  string `json:"confidence,omitempty"`
	Description string `json:"description,omitempty"`
}

// WrongBecause is why a run is wrong that called an expected tool.
type WrongBecause string

const (
	// ForbiddenCall is a call that is forbidden beside all expected ones.
	ForbiddenCall WrongBecause = "forbidden_call"
	// MissingCall is an expected call that was not made, or not in its order, beside
	// one that was.
	MissingCall WrongBecause = "missing_call"
)

// Run is one case sent to one model.
type Run struct {
	ID     string `json:"id"`
	CaseID string `json:"test_case_id"`
	// CaseName is the name of the case at present.
	CaseName string `json:"test_case_name"`
	BatchID  string `json:"batch_id"`
	Repeat   int    `json:"repeat"`
	RetryOf  string `json:"retry_of,omitempty"`
	// Imported is set if another program executed the run.
	Imported *Imported `json:"imported,omitempty"`

	Settings Settings  `json:"model_settings"`
	Status   RunStatus `json:"status"`

	// The following fields are set when the run ends.
	Selected         *MadeCall        `json:"selected,omitempty"`
	Confidence       *float64         `json:"confidence_score,omitempty"`
	ConfidenceSource ConfidenceSource `json:"confidence_source,omitempty"`
	Classification   Classification   `json:"classification,omitempty"`
	// WrongBecause is set for an FN run that called an expected tool.
	WrongBecause    WrongBecause `json:"wrong_because,omitempty"`
	ExecutionTimeMS int64        `json:"execution_time_ms,omitempty"`
	Usage           *Usage       `json:"usage,omitempty"`
	Attempts        int          `json:"attempts,omitempty"`
	// Said is set if one run is read, and not in lists.
	Said  *Said  `json:"answer,omitempty"`
	Error string `json:"error_message,omitempty"`

	CreatedAt   time.Time  `json:"created_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
}

// Ended reports whether the run is over.
func (r Run) Ended() bool { return r.Status == Completed || r.Status == Failed }

// Evaluation is the judgement of a completed run. Parameter scores are 0 to 1:
// 0 if the wrong tool was selected, and nil if none was expected and none
// selected.
type Evaluation struct {
	Classification         Classification `json:"classification"`
	ToolSelectionCorrect   bool           `json:"tool_selection_correct"`
	ParameterCompleteness  *float64       `json:"parameter_completeness"`
	ParameterCorrectness   *float64       `json:"parameter_correctness"`
	ParameterConformance   *float64       `json:"parameter_type_conformance"`
	HallucinatedParameters []string       `json:"hallucinated_parameters"`
	// UnexpectedParameters are the given parameters that the case does not name,
	// declared or not, if it says which are right.
	UnexpectedParameters []string           `json:"unexpected_parameters"`
	ConfidenceCategory   ConfidenceCategory `json:"confidence_category,omitempty"`
	Reasoning            string             `json:"reasoning"`
	Recommendations      []Recommendation   `json:"recommendations"`
	// Judged are the described rules and what a judge model says of them.
	Judged []Verdict `json:"judged"`
	// Calls is set if more than one call was expected or made, or one is forbidden.
	Calls []JudgedCall `json:"calls,omitempty"`
	// Selected is the index of the call that stands for the run: the first expected
	// one, or else the first one. It is -1 if none was made.
	Selected int `json:"-"`
}

// Verdict is what a judge model says of one value under a described rule.
type Verdict struct {
	Rule  string          `json:"rule"`
	Value json.RawMessage `json:"value"`
	Holds bool            `json:"holds"`
	// By is the judge, provider/model.
	By  string `json:"judged_by"`
	Why string `json:"why,omitempty"`
}

// Recommendation is a proposed change to a tool. Evidence quotes its basis.
// FromModel marks one written by a model.
type Recommendation struct {
	Kind      string   `json:"kind"`
	Server    string   `json:"server,omitempty"`
	Tool      string   `json:"tool,omitempty"`
	Priority  string   `json:"priority"` // high, medium or low
	Text      string   `json:"text"`
	Evidence  []string `json:"evidence,omitempty"`
	FromModel bool     `json:"from_model,omitempty"`
}
