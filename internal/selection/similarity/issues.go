package similarity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// IssueType is a reason why a model may confuse two tools.
type IssueType string

const (
	ScopeClarity           IssueType = "scope_clarity"
	ExampleDistinctiveness IssueType = "example_distinctiveness"
	ParameterUniqueness    IssueType = "parameter_uniqueness"
	NamingClarity          IssueType = "naming_clarity"
	TerminologyOverlap     IssueType = "terminology_overlap"
)

// Issue is one reason with its evidence.
type Issue struct {
	Type        IssueType `json:"issue_type"`
	Description string    `json:"description"`
	A           string    `json:"tool_a_id"`
	B           string    `json:"tool_b_id"`
	// Evidence holds the words, names or parameters behind the issue.
	Evidence []string `json:"evidence"`
}

// Thresholds at which an issue is reported.
const (
	sharedTerms   = 6   // words in both descriptions
	sharedShare   = 0.5 // of the words of names, and of the smaller set of parameters
	distinctTerms = 3   // words that tell a tool from the other
	maxEvidence   = 10
)

// features are the parts of a tool that the issues compare. All lists are
// sorted and without duplicates.
type features struct {
	tool       *Tool
	terms      []string // content words of the description
	nameWords  []string
	parameters []string
	examples   []string
}

// example matches the start of an example: "e.g. x", "for example x",
// "example: x".
var example = lazyregexp.New(`(?i)\b(?:e\.g\.|for example|for instance|examples?:|such as)[,:]?\s*([^.;)\n]{1,60})`)

func newFeatures(t *Tool) features {
	f := features{tool: t, terms: set(tokenize.ContentWords(t.Description)), nameWords: set(tokenize.Words(t.Name))}
	for _, p := range parametersOf(t.InputSchema) {
		f.parameters = append(f.parameters, p.name)
	}
	for _, m := range example().FindAllStringSubmatch(t.Description, -1) {
		f.examples = append(f.examples, strings.TrimSpace(m[1]))
	}
	f.examples = set(f.examples)
	return f
}

func set(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// without returns what a has and b lacks; both are sorted.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool {
		_, found := slices.BinarySearch(b, w)
		return found
	})
}

// issues returns the reasons why a and b may be confused, in a fixed order.
func (r *recommender) issues(a, b *features) []Issue {
	var list []Issue
	add := func(t IssueType, evidence []string, format string, args ...any) {
		list = append(list, Issue{t, fmt.Sprintf(format, args...), a.tool.ID, b.tool.ID,
			append([]string{}, evidence[:min(len(evidence), maxEvidence)]...)})
	}
	onlyA, onlyB := without(a.terms, b.terms), without(b.terms, a.terms)
	if len(onlyA) < distinctTerms || len(onlyB) < distinctTerms {
		add(ScopeClarity, r.rarest(append(slices.Clone(onlyA), onlyB...)),
			"The descriptions do not state how the tools differ: only %d and %d words distinguish them.", len(onlyA),
			len(onlyB))
	}

	if len(a.examples) == 0 && len(b.examples) == 0 {
		add(ExampleDistinctiveness, nil, "Neither description gives an example.")
	} else if both := intersect(a.examples, b.examples); len(both) > 0 {
		add(ExampleDistinctiveness, both, "The descriptions give the same example.")
	}

	if both := intersect(a.parameters, b.parameters); len(both) > 0 &&
		float64(len(both)) >= sharedShare*float64(min(len(a.parameters), len(b.parameters))) {
		add(ParameterUniqueness, both, "The tools share %d of %d and %d parameters.", len(both), len(a.parameters),
			len(b.parameters))
	}

	if both := intersect(a.nameWords, b.nameWords); len(both) > 0 && jaccard(a.nameWords, b.nameWords) >= sharedShare {
		add(NamingClarity, both, "The names %q and %q share %d words.", a.tool.Name, b.tool.Name, len(both))
	}

	if both := intersect(a.terms, b.terms); len(both) >= sharedTerms {
		add(TerminologyOverlap, r.rarest(both), "The descriptions share %d words.", len(both))
	}

	return list
}

// rarest sorts words by the number of tools that contain them, fewest first.
func (r *recommender) rarest(words []string) []string {
	slices.SortFunc(words, func(x, y string) int { return cmp.Or(cmp.Compare(r.df[x], r.df[y]), cmp.Compare(x, y)) })
	return slices.Compact(words)
}
