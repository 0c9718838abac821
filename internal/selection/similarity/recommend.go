package similarity

import (
	"fmt"
	"slices"
	"strings"
)

// Priority is how urgent a recommendation is.
type Priority string

const (
	High   Priority = "high"
	Medium Priority = "medium"
	Low    Priority = "low"
)

// nearlySame is the score at which a recommendation becomes urgent.
const nearlySame = 0.95

// Recommendation describes how to distinguish the two tools of a pair.
type Recommendation struct {
	Pair   [2]string `json:"tool_pair"`
	Score  float64   `json:"similarity_score"`
	Issues []Issue   `json:"issues"`
	Items  []Item    `json:"recommendations"`
}

// Item is one change.
type Item struct {
	Issue IssueType `json:"issue"`
	// ToolID is the tool to change; nil means both.
	ToolID         *string  `json:"tool_id"`
	Recommendation string   `json:"recommendation"`
	Rationale      string   `json:"rationale"`
	Priority       Priority `json:"priority"`
}

// recommender counts the descriptions that contain each word.
type recommender struct {
	features []features
	df       map[string]int
}

func newRecommender(tools []Tool) *recommender {
	r := &recommender{df: map[string]int{}}
	for i := range tools {
		f := newFeatures(&tools[i])
		r.features = append(r.features, f)
		for _, w := range f.terms {
			r.df[w]++
		}
	}
	return r
}

// Recommend says how to tell the tools of pairs apart. The pairs are those of an
// Analysis of the same tools.
func Recommend(tools []Tool, pairs []Pair) []Recommendation {
	r := newRecommender(tools)
	list := make([]Recommendation, len(pairs))
	for i, p := range pairs {
		list[i] = r.recommend(p.a, p.b, p.Score)
	}
	return list
}

func (r *recommender) recommend(i, j int, score float64) Recommendation {
	a, b := &r.features[i], &r.features[j]
	result := Recommendation{Pair: [2]string{a.tool.ID, b.tool.ID}, Score: score, Issues: r.issues(a, b),
		Items: []Item{}}
	for _, issue := range result.Issues {
		result.Items = append(result.Items, r.items(issue, a, b, score)...)
	}
	return result
}

// items returns the changes for one issue.
func (r *recommender) items(issue Issue, a, b *features, score float64) []Item {
	urgent := Medium
	if score >= nearlySame {
		urgent = High
	}

	shared := strings.Join(issue.Evidence, ", ")
	switch issue.Type {
	case ScopeClarity:
		return r.scope(a, b, urgent)
	case ExampleDistinctiveness:
		return []Item{{issue.Type, nil,
			"Add to each description an example request that only this tool answers.",
			"A model matches a request to the closest example.", Low}}
	case ParameterUniqueness:
		return []Item{{issue.Type, nil,
			fmt.Sprintf("Describe the shared parameters (%s) by their meaning in each tool, and mention in the "+
				"descriptions the parameters that only one tool has.", shared),
			"Parameters with the same names do not help a model to choose.", Low}}
	case NamingClarity:
		if a.tool.Name == b.tool.Name {
			urgent = High
		}

		return []Item{{issue.Type, nil,
			"Rename one tool so that its name shows the difference.",
			"The name is the strongest signal when a model chooses a tool.", urgent}}
	default: // TerminologyOverlap
		return []Item{{issue.Type, nil,
			fmt.Sprintf("State in each description what only this tool does; these words are in both: %s.", shared),
			"Descriptions with the same words get similar ranks for every request.", Medium}}
	}
}

// scope says which tools need a sentence on what sets them apart. Tools without
// any difference should be one tool.
func (r *recommender) scope(a, b *features, urgent Priority) []Item {
	if !r.differ(a, b) {
		return []Item{{ScopeClarity, nil, "Remove one of the two tools: nothing in their names, servers, " +
			"descriptions or parameters distinguishes them.",
			"A model can only guess between them.", High}}
	}

	var items []Item
	for _, side := range [][2]*features{{a, b}, {b, a}} {
		items = append(items, Item{ScopeClarity, &side[0].tool.ID,
			fmt.Sprintf("State in the description what %q covers, and refer to %q for the rest.", side[0].tool.ID,
				side[1].tool.ID),
			"A model can rule out the other tool if the description refers to it.", urgent})
	}

	return items
}

// differ reports whether anything distinguishes two tools: words of their
// descriptions or names, parameters, or servers.
func (r *recommender) differ(a, b *features) bool {
	return a.tool.Server != b.tool.Server || !slices.Equal(a.terms, b.terms) ||
		!slices.Equal(a.nameWords, b.nameWords) || !slices.Equal(a.parameters, b.parameters)
}
