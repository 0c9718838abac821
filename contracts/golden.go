package contracts

// GoldenSet is the labelled tool-retrieval set (D1) over one corpus.
// CorpusVersion must equal the version of the corpus it is scored with.
// Version may be absent; reports then use the digest of the file.
type GoldenSet struct {
	Version       string         `json:"version,omitempty"`
	CorpusVersion string         `json:"corpus_version"`
	GeneratedFrom *GeneratedFrom `json:"generated_from,omitempty"`
	Queries       []Query        `json:"queries"`
}

// Query is one user intent and the tools that serve it. The text of Query never
// names a relevant tool. Notes may mark a hard negative: "hard-negative:
// near-dup of <tool_id>".
type Query struct {
	ID     string  `json:"id"`
	Query  string  `json:"query"`
	Labels []Label `json:"labels"`
	Notes  string  `json:"notes,omitempty"`
}

// Label judges one tool for one query: 2 the right tool, 1 acceptable, 0 not
// relevant.
type Label struct {
	ToolID    ToolID `json:"tool_id"`
	Relevance int    `json:"relevance"`
}
