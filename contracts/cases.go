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
	Tags     []string       `json:"tags,omitempty"`
	Notes    string         `json:"notes,omitempty"`
}

// ToolName names a tool of a server.
type ToolName struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// ExpectedCall is a call of a tool of a server. Parameters is a JSON object of
// right values, and Match has a rule for each further argument. If both are nil,
// the case does not specify the right parameters.
type ExpectedCall struct {
	Server     string             `json:"server"`
	Tool       string             `json:"tool"`
	Parameters json.RawMessage    `json:"parameters,omitempty"`
	Match      map[string]Matcher `json:"match,omitempty"`
	// OtherParameters is "allowed" (the default) or "forbidden": whether arguments
	// that are named in neither may be given.
	OtherParameters string `json:"other_parameters,omitempty"`
	// Optional is set if the answer is right without the call, too.
	Optional bool `json:"optional,omitempty"`
	// Alternatives are calls that are as right as this one.
	Alternatives []ExpectedCall `json:"alternatives,omitempty"`
}

// Choices are the call and its alternatives.
func (c ExpectedCall) Choices() []ExpectedCall { return append([]ExpectedCall{c}, c.Alternatives...) }

// Matcher is a rule for the values of one argument. Exactly one of its rules is
// set; Tolerance belongs to Number.
type Matcher struct {
	Equal     json.RawMessage   `json:"equal,omitempty"`
	Any       bool              `json:"any,omitempty"`
	Absent    bool              `json:"absent,omitempty"`
	OneOf     []json.RawMessage `json:"one_of,omitempty"`
	Contains  string            `json:"contains,omitempty"`
	Regex     string            `json:"regex,omitempty"`
	Number    *float64          `json:"number,omitempty"`
	Tolerance float64           `json:"tolerance,omitempty"`
	Date      string            `json:"date,omitempty"`
	Set       json.RawMessage   `json:"set,omitempty"`
}
