package contracts

import "encoding/json"

// SelectionReport is one repeat of one model over the cases: what it called, and
// how that was judged.
type SelectionReport struct {
	CorpusVersion string `json:"corpus_version"`
	CorpusSHA256  string `json:"corpus_sha256"`
	CasesVersion  string `json:"cases_version"`
	CasesSHA256   string `json:"cases_sha256"`
	// Model is provider/model, or replay/provider/model for recorded answers.
	Model string `json:"model"`
	// AnsweredBy says what answered: AnsweredByBaseline or AnsweredByRecording.
	AnsweredBy string         `json:"answered_by"`
	Repeat     int            `json:"repeat"`
	Offer      SelectionOffer `json:"offer"`
	PerCase    []CaseResult   `json:"per_case"`
}

// What answered the cases: a baseline that needs no model, or the recorded
// answers of a model.
const (
	AnsweredByBaseline  = "baseline"
	AnsweredByRecording = "recording"
)

// SelectionOffer says which tools the model was offered: OfferAll of the case's
// servers, or the first TopK that a proxy's search found for the query. The
// fields about the proxy are set for OfferSearch only.
type SelectionOffer struct {
	Tools         string `json:"tools"`
	TopK          int    `json:"top_k,omitempty"`
	Proxy         string `json:"proxy,omitempty"`
	ProxyIdentity string `json:"proxy_identity,omitempty"`
	SearchPath    string `json:"search_path,omitempty"`
	// Degraded names the harm that was done to the index on purpose.
	Degraded string `json:"degraded,omitempty"`
}

// Values of SelectionOffer.Tools.
const (
	OfferAll    = "all"
	OfferSearch = "search"
)

// CaseResult is what a model did with one case. Where Error is set there was no
// answer: the case is errored, has no class, and counts neither as right nor as
// wrong. Offered is the number of tools on offer, and Withheld the expected tools
// that were not among them. The scores of parameters are 0 where the wrong tool
// was called, and absent where none was right and none was called.
type CaseResult struct {
	ID       string         `json:"id"`
	Query    string         `json:"query"`
	Tags     []string       `json:"tags,omitempty"`
	Expected []ExpectedCall `json:"expected"`
	Offered  int            `json:"offered"`
	Withheld []ToolID       `json:"withheld,omitempty"`
	Calls    []MadeCall     `json:"calls"`
	// Class is TP, FP, TN or FN.
	Class            string   `json:"class,omitempty"`
	Completeness     *float64 `json:"parameter_completeness,omitempty"`
	Correctness      *float64 `json:"parameter_correctness,omitempty"`
	Conformance      *float64 `json:"parameter_type_conformance,omitempty"`
	Invented         []string `json:"invented_parameters,omitempty"`
	Confidence       *float64 `json:"confidence,omitempty"`
	ConfidenceSource string   `json:"confidence_source,omitempty"`
	Reasoning        string   `json:"reasoning,omitempty"`
	Error            string   `json:"error,omitempty"`
}

// MadeCall is a call that a model made: of a tool on offer, or of Unknown, which
// is none. Malformed holds parameters that are no JSON object.
type MadeCall struct {
	Server     string          `json:"server,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Unknown    string          `json:"unknown_tool,omitempty"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Malformed  string          `json:"malformed_parameters,omitempty"`
}
