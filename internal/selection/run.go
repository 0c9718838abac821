package selection

import (
	"encoding/json"
	"time"
)

// RunStatus is where a run stands. It goes from pending to running to completed
// or failed, or from pending to failed, and never back.
type RunStatus string

const (
	Pending   RunStatus = "pending"
	Running   RunStatus = "running"
	Completed RunStatus = "completed"
	Failed    RunStatus = "failed"
)

// Cancelled is the error of a run that was cancelled.
const Cancelled = "cancelled"

// Interrupted is the error of a run whose process ended before it did.
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

// MadeCall is a call that a model made. Server and Tool are set where the model
// named a tool that was offered, Unknown where it named another. Parameters is a
// JSON object; where the model's text was none it is nil and Malformed holds the
// text.
type MadeCall struct {
	ToolID     string          `json:"tool_id,omitempty"`
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Unknown    string          `json:"unknown_tool,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Malformed  string          `json:"malformed_parameters,omitempty"`
}

// ConfidenceSource says where a confidence comes from.
type ConfidenceSource string

const (
	FromAnswer   ConfidenceSource = "asked"
	FromLogprobs ConfidenceSource = "logprobs"
	FromScore    ConfidenceSource = "score" // of a baseline that has scores
)

// Usage counts what a request used. CostUSD is nil where no price is known.
type Usage struct {
	InputTokens  int      `json:"input_tokens"`
	OutputTokens int      `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd,omitempty"`
}

// Answer is what a model did with a query.
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

// Run is one case that is put to one model.
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

	// What follows is set when the run ends.
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

// Ended says whether the run is over.
func (r Run) Ended() bool { return r.Status == Completed || r.Status == Failed }

// Evaluation is the judgement of a completed run. Parameter scores are 0 to 1:
// 0 where the wrong tool was selected, nil where none was expected nor selected.
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
	// Calls is set where more than one call was expected or made.
	Calls []JudgedCall `json:"calls,omitempty"`
}

// Recommendation says what to change about which tool. Evidence quotes what it
// rests on. FromModel marks one that a model wrote.
type Recommendation struct {
	Kind      string   `json:"kind"`
	Server    string   `json:"server,omitempty"`
	Tool      string   `json:"tool,omitempty"`
	Priority  string   `json:"priority"` // high, medium or low
	Text      string   `json:"text"`
	Evidence  []string `json:"evidence,omitempty"`
	FromModel bool     `json:"from_model,omitempty"`
}
