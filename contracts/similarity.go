package contracts

// SimilarityReport lists the tools of the corpus that a model may confuse.
// Flagged holds the pairs with similar texts, and Overlap those with
// overlapping capabilities, both at or above Threshold, the highest score
// first. FlaggedTotal and OverlapTotal count all such pairs; the lists hold the
// first of them. Clusters are groups of tools whose average overlap reaches
// Threshold.
type SimilarityReport struct {
	CorpusVersion string             `json:"corpus_version"`
	CorpusSHA256  string             `json:"corpus_sha256"`
	Tools         int                `json:"tools"`
	Method        string             `json:"method"`
	Threshold     float64            `json:"threshold"`
	FlaggedTotal  int                `json:"flagged_total"`
	Flagged       []SimilarPair      `json:"flagged"`
	OverlapTotal  int                `json:"overlap_total"`
	Overlap       []SimilarPair      `json:"overlap"`
	Weights       map[string]float64 `json:"overlap_weights"`
	Clusters      [][]ToolID         `json:"clusters"`
}

// SimilarPair is two tools, A before B in the order of ids, with a score in 0..1
// and the reasons why a model may confuse them.
type SimilarPair struct {
	A      ToolID            `json:"a"`
	B      ToolID            `json:"b"`
	Score  float64           `json:"score"`
	Issues []SimilarityIssue `json:"issues,omitempty"`
}

// SimilarityIssue is one reason, such as naming_clarity.
type SimilarityIssue struct {
	Type        string `json:"type"`
	Description string `json:"description"`
}
