package contracts

import (
	"crypto/sha256"
	"encoding/binary"
)

// GoldenSet is the labelled tool-retrieval set (D1) over one corpus.
// CorpusVersion must equal the version of the corpus it is scored with.
// Version may be absent; reports then use the digest of the file.
type GoldenSet struct {
	Version       string         `json:"version,omitempty"`
	CorpusVersion string         `json:"corpus_version"`
	GeneratedFrom *GeneratedFrom `json:"generated_from,omitempty"`
	// TestShare is the share of the queries that are held out, 0..1; see Split.
	// It is absent from a set without splits.
	TestShare float64 `json:"test_share,omitempty"`
	Queries   []Query `json:"queries"`
}

// Splits of a golden set. Rules and descriptions are made on dev, and figures
// are reported on test.
const (
	SplitDev  = "dev"
	SplitTest = "test"
)

// Split returns the split of the query with that id, or "" for a set without
// splits. It follows from the id alone, so that a query stays in its split when
// others come and go.
func (g *GoldenSet) Split(id string) string { return Split(g.TestShare, id) }

// Split returns the split of a query in a set with this test share.
func Split(testShare float64, id string) string {
	if testShare == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte("split\x00" + id))
	if float64(binary.BigEndian.Uint64(sum[:8]))/(1<<64) < testShare {
		return SplitTest
	}
	return SplitDev
}

// Query is one user intent and the tools that serve it. The text of Query never
// names a relevant tool. Notes may mark a hard negative: "hard-negative:
// near-dup of <tool_id>".
//
// Language is a BCP 47 tag; a query without one is in English. Tags say how the
// query is asked. A query with Expects ExpectsNone has no right tool, and no
// label of relevance 1 or 2. It enters no ranking metric.
type Query struct {
	ID       string   `json:"id"`
	Query    string   `json:"query"`
	Language string   `json:"language,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Expects  string   `json:"expects,omitempty"`
	Labels   []Label  `json:"labels"`
	Notes    string   `json:"notes,omitempty"`
}

// ExpectsNone marks a unanswerable query.
const ExpectsNone = "none"

// Tags of a query. TagIndirect names a goal without the means. TagMisspelt has
// spelling mistakes or the words of a telegram. TagHardNegative has a tool among
// its irrelevant ones that looks right. TagSeveralAnswers has more than one right
// tool.
const (
	TagIndirect       = "indirect"
	TagMisspelt       = "misspelt"
	TagHardNegative   = "hard_negative"
	TagSeveralAnswers = "several_answers"
)

// Answerable reports whether some tool serves the query.
func (q *Query) Answerable() bool { return q.Expects != ExpectsNone }

// Label judges one tool for one query: 2 the right tool, 1 acceptable, 0 not
// relevant.
type Label struct {
	ToolID    ToolID `json:"tool_id"`
	Relevance int    `json:"relevance"`
}

// Relevances returns the labels by query and tool.
func (g *GoldenSet) Relevances() map[string]map[ToolID]int {
	all := make(map[string]map[ToolID]int, len(g.Queries))
	for _, q := range g.Queries {
		labels := make(map[ToolID]int, len(q.Labels))
		for _, l := range q.Labels {
			labels[l.ToolID] = l.Relevance
		}
		all[q.ID] = labels
	}
	return all
}
