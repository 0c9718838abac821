package contracts

// Pool lists, for each query, the tools that somebody has to judge: those that
// at least one of several retrievers found among its first Depth results.
type Pool struct {
	CorpusVersion string     `json:"corpus_version"`
	Depth         int        `json:"depth"`
	Retrievers    []string   `json:"retrievers"`
	Items         []PoolItem `json:"items"`
}

// PoolItem is one query with its pooled tools. Tools is in an order that follows
// from the query's id alone and says nothing about ranks. By maps a retriever to
// the tools that it found, best first; a retriever that found none has an empty
// list.
type PoolItem struct {
	ID       string              `json:"id"`
	Query    string              `json:"query"`
	Language string              `json:"language,omitempty"`
	Tools    []ToolID            `json:"tools"`
	By       map[string][]ToolID `json:"by"`
}
