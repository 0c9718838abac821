package refreshcorpus

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/agext/levenshtein"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The weights of the parts of the similarity of two tools. A part that neither
// tool has does not count: two tools are not similar because both lack a
// description.
const (
	descriptionPart = 0.5
	parametersPart  = 0.3
	namePart        = 0.2
)

const (
	// probablyRenamed is the similarity from which a removed tool and an
	// added one count as the same.
	probablyRenamed = 0.6
	// surelyRenamed is the similarity from which labels follow a rename, if
	// no other tool comes within clearLead of it.
	surelyRenamed = 0.9
	clearLead     = 0.1
	// maxPairs limits the number of comparisons. With more pairs, only tools
	// of one server and tools with the same content are compared.
	maxPairs = 2_000_000
)

// features holds the compared parts of a tool.
type features struct {
	tool       *contracts.Tool
	words      map[string]int // of the description
	length     int            // of the description, in words
	parameters []string       // sorted
	content    string         // description and schema, equal for equal tools
}

func featuresOf(t *contracts.Tool) features {
	f := features{tool: t, words: map[string]int{}, content: t.Description + "\x00" + string(sortedSchema(t.Schema))}
	for _, w := range strings.FieldsFunc(strings.ToLower(t.Description),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		f.words[w]++
		f.length++
	}
	for name := range parameters(t.Schema) {
		f.parameters = append(f.parameters, name)
	}
	slices.Sort(f.parameters)
	return f
}

// parameters returns the arguments that a schema declares, by name.
func parameters(schema json.RawMessage) map[string]json.RawMessage {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s) // a schema of another type has no properties
	return s.Properties
}

// similarity returns a value between 0 and 1: the weighted mean of the Dice
// coefficient of the descriptions' words, the Jaccard coefficient of the
// parameters' names and the Levenshtein similarity of the tools' names.
func similarity(a, b *features) float64 {
	sum, parts := float64(namePart*levenshtein.Similarity(a.tool.Tool, b.tool.Tool, nil)), namePart
	if a.length+b.length > 0 {
		common := 0
		for w, n := range a.words {
			common += min(n, b.words[w])
		}

		sum += float64(descriptionPart * float64(2*common) / float64(a.length+b.length))
		parts += descriptionPart
	}

	if len(a.parameters)+len(b.parameters) > 0 {
		common := 0
		for _, p := range a.parameters {
			if _, ok := slices.BinarySearch(b.parameters, p); ok {
				common++
			}
		}

		sum += float64(parametersPart * float64(common) / float64(len(a.parameters)+len(b.parameters)-common))
		parts += parametersPart
	}

	return sum / parts
}

// pair is a removed tool and an added one.
type pair struct {
	from, to   int
	similarity float64
	identical  bool // in description and schema
}

// match pairs removed tools with added ones, the most similar first and each at
// most once. sure reports which pairs are beyond doubt.
func match(gone, fresh []features) (pairs []pair, sure []bool) {
	var candidates []pair
	everything := len(gone)*len(fresh) <= maxPairs
	for i := range gone {
		for j := range fresh {
			a, b := &gone[i], &fresh[j]
			identical := a.content == b.content && a.length > 0
			if !everything && !identical && a.tool.Server != b.tool.Server {
				continue
			}

			if s := similarity(a, b); s >= probablyRenamed-clearLead || identical {
				candidates = append(candidates, pair{i, j, s, identical})
			}
		}
	}

	slices.SortStableFunc(candidates, func(a, b pair) int {
		return cmp.Or(cmp.Compare(rank(b), rank(a)), cmp.Compare(b.similarity, a.similarity),
			cmp.Compare(gone[a.from].tool.ToolID, gone[b.from].tool.ToolID),
			cmp.Compare(fresh[a.to].tool.ToolID, fresh[b.to].tool.ToolID))
	})
	rivals := map[int][]pair{} // by the removed tool, and by ^ the added tool
	for _, p := range candidates {
		rivals[p.from] = append(rivals[p.from], p)
		rivals[^p.to] = append(rivals[^p.to], p)
	}

	usedFrom, usedTo := map[int]bool{}, map[int]bool{}
	for _, p := range candidates {
		if usedFrom[p.from] || usedTo[p.to] || p.similarity < probablyRenamed && !p.identical {
			continue
		}

		usedFrom[p.from], usedTo[p.to] = true, true
		pairs, sure = append(pairs, p),
			append(sure, isUnambiguous(p, rivals[p.from]) && isUnambiguous(p, rivals[^p.to]))
	}

	return pairs, sure
}

func rank(p pair) int {
	if p.identical {
		return 1
	}
	return 0
}

// isUnambiguous reports whether no other pair that shares a tool with p comes
// close to it.
func isUnambiguous(p pair, rivals []pair) bool {
	if !p.identical && p.similarity < surelyRenamed {
		return false
	}

	for _, o := range rivals {
		if o.from == p.from && o.to == p.to {
			continue
		}

		if p.identical && o.identical || !p.identical && o.similarity > p.similarity-clearLead {
			return false
		}
	}

	return true
}
