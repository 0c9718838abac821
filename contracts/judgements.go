package contracts

// Judgements are what one judge said about the tools of a pool. Unlike a golden
// set they may be incomplete, and a query may have no relevant tool.
type Judgements struct {
	CorpusVersion string `json:"corpus_version"`
	// Judge names the judge, and says what it is: a person, or which program.
	Judge  string        `json:"judge"`
	Judged []JudgedQuery `json:"judged"`
}

// JudgedQuery holds the judgements of one query.
type JudgedQuery struct {
	ID     string  `json:"id"`
	Query  string  `json:"query,omitempty"`
	Labels []Label `json:"labels"`
	Notes  string  `json:"notes,omitempty"`
}
