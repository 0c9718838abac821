package similarity

import (
	"encoding/json"
	"fmt"
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
	// Revised is a description with the change. It is empty if the change needs
	// the author's knowledge.
	Revised string `json:"revised_description,omitempty"`
	// Apply holds JSON Patches (RFC 6902) for the document that the tool was
	// read from. Each first tests that the description is unchanged.
	Apply []string `json:"apply_commands,omitempty"`
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
			"A model matches a request to the closest example.", Low, "", nil}}
	case ParameterUniqueness:
		return []Item{{issue.Type, nil,
			fmt.Sprintf("Describe the shared parameters (%s) by their meaning in each tool, and mention in the "+
				"descriptions the parameters that only one tool has.", shared),
			"Parameters with the same names do not help a model to choose.", Low, "", nil}}
	case NamingClarity:
		if a.tool.Name == b.tool.Name {
			urgent = High
		}

		return []Item{{issue.Type, nil,
			fmt.Sprintf("Rename one tool so that its name shows the difference, such as %q and %q.",
				distinctName(a.tool), distinctName(b.tool)),
			"The name is the strongest signal when a model chooses a tool.", urgent, "", nil}}
	default: // TerminologyOverlap
		return []Item{{issue.Type, nil,
			fmt.Sprintf("Keep the shared words (%s) in the description of the tool that they fit best, and use more "+
				"specific words in the other.", shared),
			"Descriptions with the same words get similar ranks for every request.", Medium, "", nil}}
	}
}

// scope recommends for each tool a sentence that distinguishes it. Tools
// without any difference should be one tool.
func (r *recommender) scope(a, b *features, urgent Priority) []Item {
	if r.distinction(a, b) == "" && r.distinction(b, a) == "" {
		return []Item{{ScopeClarity, nil, "Remove one of the two tools: nothing in their names, servers, " +
			"descriptions or parameters distinguishes them.",
			"A model can only guess between them.", High, "", nil}}
	}

	var items []Item
	for _, side := range [][2]*features{{a, b}, {b, a}} {
		f, other := side[0], side[1]
		revised := r.revise(f, other)
		items = append(items, Item{
			ScopeClarity, &f.tool.ID,
			fmt.Sprintf("State in the description what %q covers, and refer to %q for the rest.", f.tool.ID,
				other.tool.ID),
			"A model can rule out the other tool if the description refers to it.", urgent, revised,
			patch(f.tool, revised),
		})
	}

	return items
}

// distinction returns words that distinguish f from other: those of its
// description, then its parameters, then its server. It is empty if there are
// none.
func (r *recommender) distinction(f, other *features) string {
	words := r.rarest(without(f.terms, other.terms))
	if len(words) == 0 {
		words = without(f.nameWords, other.nameWords)
	}
	if len(words) == 0 {
		words = without(f.parameters, other.parameters)
	}
	if len(words) == 0 && f.tool.Server != other.tool.Server {
		words = []string{f.tool.Server}
	}
	return strings.Join(words[:min(len(words), distinctTerms)], ", ")
}

// revise returns the description of f with one sentence on what it covers and
// one that refers to the other tool.
func (r *recommender) revise(f, other *features) string {
	text := strings.TrimSpace(f.tool.Description)
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}

	if own := r.distinction(f, other); own != "" {
		text += " Covers: " + own + "."
	}

	theirs := r.distinction(other, f)
	name := other.tool.Name
	if name == f.tool.Name {
		name = other.tool.ID
	}

	if theirs == "" {
		return strings.TrimSpace(text + " Not the same as " + name + ".")
	}

	return strings.TrimSpace(text + " For " + theirs + ", use " + name + " instead.")
}

func distinctName(t *Tool) string {
	if t.Server == "" || strings.HasPrefix(t.Name, t.Server) {
		return t.Name
	}
	return t.Server + "_" + t.Name
}

// patch returns the JSON Patch that replaces the description of t.
func patch(t *Tool, revised string) []string {
	if t.Pointer == "" {
		return nil
	}

	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value"`
	}
	path := t.Pointer + "/description"
	list := []operation{{"add", path, revised}} // replaces a description that exists
	if t.Description != "" {
		list = []operation{{"test", path, t.Description}, {"replace", path, revised}}
	}

	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always marshal
	}

	return []string{string(text)}
}
