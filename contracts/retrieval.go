package contracts

// RetrievalReport is one run of score-retrieval: it sends every query of the
// golden set to the proxy's search and scores the answers as trec_eval does.
type RetrievalReport struct {
	CorpusVersion string `json:"corpus_version"`
	GoldenVersion string `json:"golden_version"`
	CorpusSHA256  string `json:"corpus_sha256"`
	GoldenSHA256  string `json:"golden_sha256"`
	Proxy         string `json:"proxy"`
	ProxyIdentity string `json:"proxy_identity"`
	SearchPath    string `json:"search_path"`
	// Degraded names the way in which the index was degraded on purpose.
	// Figures of such a run never become a baseline.
	Degraded string `json:"degraded,omitempty"`
	Run      int    `json:"run"`
	// TestShare is that of the golden set, from which Split tells the split of a
	// query.
	TestShare float64          `json:"test_share,omitempty"`
	Metrics   RetrievalMetrics `json:"metrics"`
	// Cost is absent from files of earlier versions and of other programs.
	Cost *RunCost `json:"cost,omitempty"`
	// Quarantine is copied from the index snapshot.
	Quarantine []Quarantined `json:"quarantine,omitempty"`
	// Unverified says what of the index could not be compared with the corpus. It is
	// empty if everything was compared.
	Unverified string        `json:"unverified,omitempty"`
	PerQuery   []QueryResult `json:"per_query"`
	// Unanswerable holds the unanswerable queries. They enter no ranking
	// metric. It is absent if there are none.
	Unanswerable []UnanswerableResult `json:"unanswerable,omitempty"`
}

// Search paths of a proxy.
const (
	SearchMCP  = "mcp"
	SearchREST = "rest"
)

// QueryResult is one query of one run. Ranked holds as many tools as were
// asked for, usually ten, or fewer, best first. Error is set if the proxy did not answer. The metrics then have their
// worst values (0 if higher is better), and the query counts as errored, not as
// answered. Anomalies lists faults of an answer that could still be scored:
// duplicates and unknown tools, which were dropped, or more results than the
// limit.
type QueryResult struct {
	ID       string   `json:"id"`
	Query    string   `json:"query"`
	Language string   `json:"language,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Labels   []Label  `json:"labels"`
	Notes    string   `json:"notes,omitempty"`
	// SharedWords is the largest number of distinct content words that the query
	// has in common with the name and description of one of its best tools. It is
	// absent in files of other programs.
	SharedWords *int             `json:"shared_words,omitempty"`
	Metrics     RetrievalMetrics `json:"metrics"`
	Ranked      []RankedTool     `json:"ranked"`
	// Cost is absent without an answer, for one of more than 4 MiB, and from files of
	// earlier versions.
	Cost  *QueryCost `json:"cost,omitempty"`
	Error string     `json:"error,omitempty"`

	Anomalies []string `json:"anomalies,omitempty"`
}

// RankedTool is one place of a ranked list. Rank starts at 1. Relevance is
// absent if the golden set does not judge the tool for this query.
type RankedTool struct {
	Rank      int     `json:"rank"`
	ToolID    ToolID  `json:"tool_id"`
	Score     float64 `json:"score"`
	Relevance *int    `json:"relevance,omitempty"`
}

// Relevant reports whether the golden set judges the tool right or acceptable.
func (t RankedTool) Relevant() bool { return t.Relevance != nil && *t.Relevance > 0 }

// UnanswerableResult is one query of one run that no tool serves. The fields are
// those of QueryResult.
type UnanswerableResult struct {
	ID        string       `json:"id"`
	Query     string       `json:"query"`
	Language  string       `json:"language,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
	Labels    []Label      `json:"labels"`
	Notes     string       `json:"notes,omitempty"`
	Ranked    []RankedTool `json:"ranked"`
	Error     string       `json:"error,omitempty"`
	Anomalies []string     `json:"anomalies,omitempty"`
}
