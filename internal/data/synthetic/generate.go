package synthetic

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Options are the sizes of the generated data. Equal options give equal bytes.
type Options struct {
	Tools, Servers, Queries int
	Seed                    uint64
}

// maxPerServer is far below the 28,800 meanings of a field, so that the tools
// of a server differ.
const maxPerServer = 1000

func (o Options) check() error {
	switch {
	case o.Tools < 1 || o.Servers < 1 || o.Queries < 1:
		return fmt.Errorf("%d tools, %d servers and %d queries: give each a number from 1", o.Tools, o.Servers,
			o.Queries)
	case o.Servers > o.Tools:
		return fmt.Errorf("%d servers need at least as many tools, not %d: give more tools or fewer servers", o.Servers,
			o.Tools)
	case o.Tools > o.Servers*maxPerServer:
		return fmt.Errorf("%d tools on %d servers are more than %d per server: give more servers", o.Tools, o.Servers,
			maxPerServer)
	}

	return nil
}

// meaning is what a tool does, as indexes into the tables.
type meaning struct{ action, noun, field, qualifier int }

// Generate generates a corpus and a golden set over it.
func Generate(opts Options) (contracts.Corpus, contracts.GoldenSet, error) {
	if err := opts.check(); err != nil {
		return contracts.Corpus{}, contracts.GoldenSet{}, err
	}

	version := fmt.Sprintf("synthetic-%d-%d-%d", opts.Tools, opts.Servers, opts.Seed)
	from := contracts.GeneratedFrom{
		Source: "synthetic",
		Note: fmt.Sprintf("touchstone data synthesize --tools %d --servers %d --queries %d --seed %d: texts from "+
			"tables, for measuring scale only", opts.Tools, opts.Servers, opts.Queries, opts.Seed),
		License: "Apache-2.0",
	}
	corpus := contracts.Corpus{Version: version, GeneratedFrom: from, Tools: make([]contracts.Tool, 0, opts.Tools)}
	meanings := make([]meaning, 0, opts.Tools)
	for i := range opts.Servers {
		rng := rand.New(rand.NewPCG(opts.Seed, uint64(i)+1))
		tools, means := server(i, share(opts.Tools, opts.Servers, i), rng)
		corpus.Tools = append(corpus.Tools, tools...)
		meanings = append(meanings, means...)
	}

	golden := contracts.GoldenSet{Version: version, CorpusVersion: version, GeneratedFrom: &from}
	golden.Queries = queries(opts, corpus.Tools, meanings)
	return corpus, golden, nil
}

// share returns how many of n items belong to part i of k.
func share(n, k, i int) int {
	if i < n%k {
		return n/k + 1
	}
	return n / k
}

// server generates the tools of server i: distinct meanings of one field.
func server(i, tools int, rng *rand.Rand) ([]contracts.Tool, []meaning) {
	field := i % len(fields)
	name := serverName(i)
	opening, closing := openings[rng.IntN(len(openings))], closings[rng.IntN(len(closings))]
	seen := make(map[meaning]bool, tools)
	made := make([]contracts.Tool, 0, tools)
	means := make([]meaning, 0, tools)
	for len(made) < tools {
		m := meaning{rng.IntN(len(actions)), rng.IntN(len(nouns)), field, rng.IntN(len(qualifiers))}
		if seen[m] {
			continue
		}

		seen[m] = true
		tool := toolName(m)
		made = append(made, contracts.Tool{
			ToolID:      name + ":" + tool,
			Server:      name,
			Tool:        tool,
			Description: description(m, name, opening, closing),
			Schema:      schema(m),
		})
		means = append(means, m)
	}

	return made, means
}

// serverName returns a name of syllables that ends with i, so that all names
// differ.
func serverName(i int) string {
	n, k := uint(i)*2654435761, uint(len(syllables))
	return syllables[n%k] + syllables[n/k%k] + syllables[n/k/k%k] + strconv.Itoa(i)
}

func toolName(m meaning) string {
	return actions[m.action].word + "_" + nouns[m.noun].word + "_" +
		strings.ReplaceAll(qualifiers[m.qualifier].word, " ", "_")
}

func description(m meaning, product, opening, closing string) string {
	text := opening + fmt.Sprintf("%s %s records %s in the %s system of %s.",
		actions[m.action].word, nouns[m.noun].word, qualifiers[m.qualifier].word, fields[m.field].word, product)
	return strings.ToUpper(text[:1]) + text[1:] + closing
}

// schema has the id of the noun, the argument that the qualifier needs, and a
// limit if the action returns several items.
func schema(m meaning) json.RawMessage {
	noun := nouns[m.noun].word
	needs := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(qualifiers[m.qualifier].word, "by "), "with "),
		" ", "_")
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","description":%q},%q:{"type":"string"},"limit":{"type":"integer","minimum":1}},"required":[%q]}`,
		noun+"_id", "Id of the "+noun, needs, noun+"_id"))
}

// queries generates queries for tools of the whole corpus. Each query is
// labelled with every tool that matches it.
func queries(opts Options, tools []contracts.Tool, meanings []meaning) []contracts.Query {
	type roughly struct{ action, noun, field int }
	alike := make(map[roughly][]int)
	for i, m := range meanings {
		alike[roughly{m.action, m.noun, m.field}] = append(alike[roughly{m.action, m.noun, m.field}], i)
	}

	rng := rand.New(rand.NewPCG(opts.Seed, 0))
	list := make([]contracts.Query, opts.Queries)
	width := len(strconv.Itoa(opts.Queries))
	for q := range list {
		target := rng.IntN(len(meanings))
		m := meanings[target]
		var labels []contracts.Label
		for _, i := range alike[roughly{m.action, m.noun, m.field}] {
			relevance := 1
			if meanings[i] == m {
				relevance = 2
			}

			labels = append(labels, contracts.Label{ToolID: tools[i].ToolID, Relevance: relevance})
		}

		slices.SortFunc(labels, func(a, b contracts.Label) int { return strings.Compare(a.ToolID, b.ToolID) })
		list[q] = contracts.Query{ID: fmt.Sprintf("s%0*d", width, q+1), Query: question(m, tools[target].Server, rng),
			Labels: labels}
	}

	return list
}

// question phrases a meaning as a user would. The action is always a synonym, so
// that no tool is named. The other words are synonyms half of the time. One
// question in four mentions the product.
func question(m meaning, product string, rng *rand.Rand) string {
	say := func(c concept) string {
		if rng.IntN(2) == 0 {
			return c.word
		}

		return c.others[rng.IntN(len(c.others))]
	}
	a := actions[m.action].others
	about := say(fields[m.field])
	if rng.IntN(4) == 0 {
		about = product
	}

	return fmt.Sprintf("I want to %s the %s %s for %s", a[rng.IntN(len(a))], say(nouns[m.noun]),
		say(qualifiers[m.qualifier]), about)
}
