package contracts

import "encoding/json"

// CaseSet is a set of tool-selection cases over one corpus: does a model choose
// the right tool for a request, and fill in its parameters? CorpusVersion must
// equal the version of the corpus whose tools the model is offered.
type CaseSet struct {
	Version       string          `json:"version"`
	CorpusVersion string          `json:"corpus_version"`
	GeneratedFrom GeneratedFrom   `json:"generated_from"`
	Cases         []SelectionCase `json:"cases"`
}

// SelectionCase is one request with the right calls. If there are no expected
// calls, the model should call no tool. Servers limits the offered tools to
// those of the named servers; without it all tools of the corpus are offered.
// Ordered requires that several calls come in this order.
type SelectionCase struct {
	ID       string         `json:"id"`
	Query    string         `json:"query"`
	Servers  []string       `json:"servers,omitempty"`
	Expected []ExpectedCall `json:"expected"`
	Ordered  bool           `json:"ordered,omitempty"`
	// Forbidden are tools whose call makes the answer wrong.
	Forbidden []ToolName `json:"forbidden,omitempty"`
	Tags      []string   `json:"tags,omitempty"`
	Notes     string     `json:"notes,omitempty"`
}

// ToolName names a tool of a server.
type ToolName struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// ExpectedCall is a call of a tool of a server. Parameters is a JSON object of
// right values, and Match is one of rules for further arguments, which
// docs/reference/tool-evaluation.md describes. If both are nil, the case does not
// specify the right parameters.
type ExpectedCall struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
	Match      json.RawMessage `json:"match,omitempty"`
	// OtherParameters is "allowed" (the default) or "forbidden": whether arguments
	// that are named in neither may be given.
	OtherParameters string `json:"other_parameters,omitempty"`
	// Optional is set if the answer is right without the call, too.
	Optional bool `json:"optional,omitempty"`
	// Alternatives are calls that are as right as this one.
	Alternatives []AlternativeCall `json:"alternatives,omitempty"`
}

// AlternativeCall is a call that is as right as another one. Its fields are those
// of ExpectedCall.
type AlternativeCall struct {
	Server          string          `json:"server"`
	Tool            string          `json:"tool"`
	Parameters      json.RawMessage `json:"parameters,omitempty"`
	Match           json.RawMessage `json:"match,omitempty"`
	OtherParameters string          `json:"other_parameters,omitempty"`
}

// Choices are the call without its alternatives, and these.
func (c ExpectedCall) Choices() []AlternativeCall {
	return append([]AlternativeCall{{c.Server, c.Tool, c.Parameters, c.Match, c.OtherParameters}}, c.Alternatives...)
}
