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

// SelectionCase is one request and the calls that are right. Without expected
// calls the model should call no tool. Servers limits the tools on offer to
// those of the named servers; without it all tools of the corpus are on offer.
// Ordered says that several calls have to come in this order.
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
// nil where the case does not say which parameters are right.
type ExpectedCall struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}
