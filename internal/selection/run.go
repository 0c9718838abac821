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
)

// Usage counts the tokens of a request. CostUSD is nil if no price is known.
type Usage struct {
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd,omitempty"`
}

// Answer is a model's answer to a query.
type Answer struct {
	Calls            []MadeCall       `json:"calls"`
	Text             string           `json:"text,omitempty"`
	Confidence       *float64         `json:"confidence,omitempty"` // 0 to 1
	ConfidenceSource ConfidenceSource `json:"confidence_source,omitempty"`
	Usage            Usage            `json:"usage"`
	Attempts         int              `json:"attempts"` // requests that were sent
	// Raw is the provider's answer, as JSON.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// Run is one case sent to one model.
type Run struct {
	ID     string `json:"id"`
	CaseID string `json:"test_case_id"`
	// CaseName is the name of the case at present.
	CaseName string `json:"test_case_name"`
	BatchID  string `json:"batch_id"`
	Repeat   int    `json:"repeat"`
	RetryOf  string `json:"retry_of,omitempty"`

	Settings Settings  `json:"model_settings"`
	Status   RunStatus `json:"status"`

	// The following fields are set when the run ends.
	Selected         *MadeCall        `json:"selected,omitempty"`
	Confidence       *float64         `json:"confidence_score,omitempty"`
	ConfidenceSource ConfidenceSource `json:"confidence_source,omitempty"`
	Classification   Classification   `json:"classification,omitempty"`
	ExecutionTimeMS  int64            `json:"execution_time_ms,omitempty"`
	Usage            *Usage           `json:"usage,omitempty"`
	Attempts         int              `json:"attempts,omitempty"`
	Error            string           `json:"error_message,omitempty"`

	CreatedAt   time.Time  `json:"created_at"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
}

// Ended reports whether the run is over.
func (r Run) Ended() bool { return r.Status == Completed || r.Status == Failed }

// Evaluation is the judgement of a completed run. Parameter scores are 0 to 1:
// 0 if the wrong tool was selected, and nil if none was expected and none
// selected.
type Evaluation struct {
	Classification         Classification     `json:"classification"`
	ToolSelectionCorrect   bool               `json:"tool_selection_correct"`
	ParameterCompleteness  *float64           `json:"parameter_completeness"`
	ParameterCorrectness   *float64           `json:"parameter_correctness"`
	ParameterConformance   *float64           `json:"parameter_type_conformance"`
	HallucinatedParameters []string           `json:"hallucinated_parameters"`
	ConfidenceCategory     ConfidenceCategory `json:"confidence_category,omitempty"`
	Reasoning              string             `json:"reasoning"`
	Recommendations        []Recommendation   `json:"recommendations"`
	// Calls is set if more than one call was expected or made.
	Calls []JudgedCall `json:"calls,omitempty"`
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
