package model

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// lexical is a baseline and not a model. It calls the tool whose words best
// match the query's by BM25 (Robertson and Zaragoza, The Probabilistic
// Relevance Framework: BM25 and Beyond, 2009), or none if no word matches. It
// fills in parameters that the query states literally. Its confidence is the
// best score divided by the sum of the best two.
type lexical struct {
	mu sync.Mutex
	// counted holds the words of the tools seen so far, because most requests of a
	// run offer the same tools.
	counted map[toolText]wordCounts
}

// toolText is the text of a tool that its words come from.
type toolText struct{ name, description, schema string }

// wordCounts says how often each word occurs in a tool.
type wordCounts struct {
	of  map[string]int
	sum float64
}

const (
	bm25K1 = 1.2
	bm25B  = 0.75
	// A word of the tool's name counts as this many words of its description.
	nameWeight = 3
)

func (l *lexical) Ask(ctx context.Context, r Request) (selection.Answer, error) {
	a := selection.Answer{Calls: []selection.MadeCall{}, Said: selection.Said{Text: "lexical baseline: BM25, no model"}}
	if err := ctx.Err(); err != nil {
		return a, err
	}

	scores := bm25(terms(r.Query), l.count(r.Tools))
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}

	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(r.Tools[i].Server, r.Tools[j].Server),
			cmp.Compare(r.Tools[i].Name, r.Tools[j].Name))
	})
	if len(order) == 0 || scores[order[0]] <= 0 {
		return a, nil
	}

	best, second := scores[order[0]], 0.0
	if len(order) > 1 {
		second = max(0, scores[order[1]])
	}

	confidence := best / (best + second)
	a.Confidence, a.ConfidenceSource = &confidence, selection.FromScore
	t := r.Tools[order[0]]
	a.Calls = append(a.Calls,
		selection.MadeCall{ToolID: t.ID, Server: t.Server, Tool: t.Name,
			Parameters: literalParameters(r.Query, t.InputSchema)})
	return a, nil
}

// count returns the words of each tool.
func (l *lexical) count(tools []selection.Tool) []wordCounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counted == nil {
		l.counted = map[toolText]wordCounts{}
	}

	counts := make([]wordCounts, len(tools))
	for i, t := range tools {
		text := toolText{t.Name, t.Description, string(t.InputSchema)}
		c, ok := l.counted[text]
		if !ok {
			c = toolTerms(t)
			l.counted[text] = c
		}

		counts[i] = c
	}

	return counts
}

// bm25 returns the score of each tool for a query.
func bm25(query []string, tools []wordCounts) []float64 {
	total := 0.0
	for _, t := range tools {
		total += t.sum
	}

	average := total / float64(max(1, len(tools)))
	scores := make([]float64, len(tools))
	slices.Sort(query)
	for _, word := range slices.Compact(query) {
		n := 0.0
		for _, t := range tools {
			if t.of[word] > 0 {
				n++
			}
		}

		idf := math.Log(1 + (float64(len(tools))-n+0.5)/(n+0.5))
		for i, t := range tools {
			if f := float64(t.of[word]); f > 0 {
				scores[i] += idf * f * (bm25K1 + 1) / (f + bm25K1*(1-bm25B+bm25B*t.sum/average))
			}
		}
	}

	return scores
}

func toolTerms(t selection.Tool) wordCounts {
	c := wordCounts{of: map[string]int{}}
	for _, word := range terms(t.Name) {
		c.of[word] += nameWeight
		c.sum += nameWeight
	}

	text := t.Description
	for name, p := range properties(t.InputSchema) {
		text += " " + name + " " + p.Description
	}

	for _, word := range terms(text) {
		c.of[word]++
		c.sum++
	}

	return c
}

// terms returns the words of a text, without a final s.
func terms(text string) []string {
	words := tokenize.Words(norm.NFKC.String(text))
	for i, w := range words {
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			words[i] = w[:len(w)-1]
		}
	}
	return words
}

type property struct {
	Type        any    `json:"type"`
	Description string `json:"description"`
	Format      string `json:"format"`
	Enum        []any  `json:"enum"`
}

func properties(schema json.RawMessage) map[string]property {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}

	found := map[string]property{}
	for name, raw := range s.Properties {
		var p property
		if json.Unmarshal(raw, &p) == nil {
			found[name] = p
		}
	}

	return found
}

var (
	quoted  = lazyregexp.New(`"([^"]+)"|'([^']+)'|“([^”]+)”`)
	numbers = lazyregexp.New(`-?\b[0-9]+(?:\.[0-9]+)?\b`)
	urls    = lazyregexp.New(`https?://[^\s"'<>]+`)
	emails  = lazyregexp.New(`[\w.+-]+@[\w-]+\.[\w.-]+`)
	dates   = lazyregexp.New(`\b\d{4}-\d{2}-\d{2}\b`)
)

// literalParameters fills in values that the query states: a value of an enum,
// a quoted text, a number, a URL, a mail address or a date. Each is used once.
// Properties are filled in by name.
func literalParameters(query string, schema json.RawMessage) json.RawMessage {
	pools := map[string][]string{
		"uri": urls().FindAllString(query, -1), "email": emails().FindAllString(query, -1),
		"date":   dates().FindAllString(query, -1),
		"number": numbers().FindAllString(query, -1),
	}
	for _, m := range quoted().FindAllStringSubmatch(query, -1) {
		pools["string"] = append(pools["string"], m[1]+m[2]+m[3])
	}

	take := func(kind string) (string, bool) {
		if len(pools[kind]) == 0 {
			return "", false
		}

		v := pools[kind][0]
		pools[kind] = pools[kind][1:]
		return v, true
	}
	given := map[string]any{}
	all := properties(schema)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}

	slices.Sort(names)
	for _, name := range names {
		p := all[name]
		kind, _ := p.Type.(string)
		switch {
		case len(p.Enum) > 0:
			words := terms(query)
			for _, v := range p.Enum {
				if text, ok := v.(string); ok && text != "" &&
					!slices.ContainsFunc(terms(text), func(w string) bool { return !slices.Contains(words, w) }) {
					given[name] = text
					break
				}
			}
		case kind == "integer" || kind == "number":
			if v, ok := take("number"); ok && (kind == "number" || !strings.Contains(v, ".")) {
				given[name] = json.Number(v)
			}
		case kind == "string":
			kinds := []string{"string"}
			if k := map[string]string{"uri": "uri", "email": "email", "date": "date"}[p.Format]; k != "" {
				kinds = []string{k}
			} else if strings.Contains(strings.ToLower(name), "url") {
				kinds = []string{"uri", "string"}
			}

			for _, k := range kinds {
				if v, ok := take(k); ok {
					given[name] = v
					break
				}
			}
		}
	}

	b, err := json.Marshal(given)
	if err != nil { // matched strings and numbers can always be encoded
		return json.RawMessage("{}")
	}

	return b
}
