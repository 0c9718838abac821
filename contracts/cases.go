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
	Tags     []string       `json:"tags,omitempty"`
	Notes    string         `json:"notes,omitempty"`
}

// ExpectedCall is a call of a tool of a server. Parameters is a JSON object, or
// nil if the case does not specify the right parameters.
type ExpectedCall struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}
