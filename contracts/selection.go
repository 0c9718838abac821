package contracts

import "encoding/json"

// SelectionReport is one repeat of one model over the cases: its calls, and how
// they were judged.
type SelectionReport struct {
	CorpusVersion string `json:"corpus_version"`
	CorpusSHA256  string `json:"corpus_sha256"`
	CasesVersion  string `json:"cases_version"`
	CasesSHA256   string `json:"cases_sha256"`
	// Model is provider/model, or replay/provider/model for recorded answers.
	Model string `json:"model"`
	// AnsweredBy is the source of the answers: AnsweredByBaseline or
	// AnsweredByRecording.
	AnsweredBy string `json:"answered_by"`
	Repeat     int    `json:"repeat"`
	// SystemPromptSHA256, ToolChoice and ParallelToolCalls are the settings of all
	// requests, and absent for the defaults.
	SystemPromptSHA256 string         `json:"system_prompt_sha256,omitempty"`
	ToolChoice         string         `json:"tool_choice,omitempty"`
	ParallelToolCalls  *bool          `json:"parallel_tool_calls,omitempty"`
	Offer              SelectionOffer `json:"offer"`
	// Limits is absent if the numbers of calls are not limited.
	Limits  *CallLimits  `json:"limits,omitempty"`
	PerCase []CaseResult `json:"per_case"`
}

// CallLimits are the most calls that a model may make in a repeat: beside expected
// ones, and forbidden ones. An absent number is no limit. The gate checks them.
type CallLimits struct {
	ExtraCalls     *int `json:"extra_calls,omitempty"`
	ForbiddenCalls *int `json:"forbidden_calls,omitempty"`
}

// Sources of answers: a baseline that needs no model, or the recorded answers
// of a model.
const (
	AnsweredByBaseline  = "baseline"
	AnsweredByRecording = "recording"
)

// SelectionOffer describes the tools that the model was offered: OfferAll of
// the case's servers, or the first TopK that a proxy's search found for the
// query. The fields about the proxy are set for OfferSearch only.
type SelectionOffer struct {
	Tools         string `json:"tools"`
	TopK          int    `json:"top_k,omitempty"`
	Proxy         string `json:"proxy,omitempty"`
	ProxyIdentity string `json:"proxy_identity,omitempty"`
	SearchPath    string `json:"search_path,omitempty"`
	// Degraded names the way in which the index was degraded on purpose.
	Degraded string `json:"degraded,omitempty"`
}

// Values of SelectionOffer.Tools.
const (
	OfferAll    = "all"
	OfferSearch = "search"
)

// CaseResult is a model's result for one case. If Error is set there was no
// answer: the case is errored, has no class, and counts neither as right nor as
// wrong. Offered is the number of offered tools, and Withheld lists the
// expected tools that were not among them. The scores of parameters are 0 if
// the wrong tool was called, and absent if no call was expected and none was
// made.
type CaseResult struct {
	ID       string         `json:"id"`
	Query    string         `json:"query"`
	Tags     []string       `json:"tags,omitempty"`
	Expected []ExpectedCall `json:"expected"`
	Offered  int            `json:"offered"`
	Withheld []ToolID       `json:"withheld,omitempty"`
	Calls    []MadeCall     `json:"calls"`
	// Class is TP, FP, TN or FN.
	Class string `json:"class,omitempty"`
	// ExtraCalls counts the calls beside expected ones, and ForbiddenCalls those
	// that the case forbids, or of destructive tools that it does not expect.
	ExtraCalls       int      `json:"extra_calls,omitempty"`
	ForbiddenCalls   int      `json:"forbidden_calls,omitempty"`
	Completeness     *float64 `json:"parameter_completeness,omitempty"`
	Correctness      *float64 `json:"parameter_correctness,omitempty"`
	Conformance      *float64 `json:"parameter_type_conformance,omitempty"`
	Invented         []string `json:"invented_parameters,omitempty"`
	Unexpected       []string `json:"unexpected_parameters,omitempty"`
	Confidence       *float64 `json:"confidence,omitempty"`
	ConfidenceSource string   `json:"confidence_source,omitempty"`
	Reasoning        string   `json:"reasoning,omitempty"`
	Error            string   `json:"error,omitempty"`
}

// MadeCall is a call that a model made: of an offered tool, or of Unknown, a
// name that was not offered. Malformed holds parameters that are not a JSON
// object.
type MadeCall struct {
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Unknown    string          `json:"unknown_tool,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Malformed  string          `json:"malformed_parameters,omitempty"`
}
