package scoreretrieval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/tokencount"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// mostCounted is the size in bytes of the largest answer whose tokens are counted:
// about a million tokens, more than a model can read. A larger one would take minutes.
const mostCounted = 4 << 20

// costOf counts what a model reads in the answers to one query. ranked is the list
// that was made of the last one. It returns nil if an answer is larger than
// mostCounted, or has no text.
func costOf(answers []undertest.Answer, ranked []contracts.RankedTool) (*contracts.QueryCost, error) {
	if slices.ContainsFunc(answers, func(a undertest.Answer) bool {
		return a.Text == nil || len(a.Text) > mostCounted
	}) {
		return nil, nil
	}

	cost := &contracts.QueryCost{Calls: len(answers)}
	for i, a := range answers {
		var ends []int
		if i == len(answers)-1 && len(ranked) > 0 {
			ends = resultEnds(a.Text, a.Tools)
		}

		tokens, through, err := tokencount.Through(string(a.Text), ends)
		if err != nil {
			return nil, err
		}

		if ends != nil {
			cost.TokensThrough = atPlaces(ranked, a.Tools, cost.Tokens, through)
		}

		cost.Bytes += len(a.Text)
		cost.Tokens += tokens
	}

	return cost, nil
}

// atPlaces returns the tokens up to the end of each place of a ranked list. through
// has those of each result of the answer, of which some may have been dropped, and
// before is what was read before the answer.
func atPlaces(ranked []contracts.RankedTool, hits []contracts.SearchHit, before int, through []int) []int {
	at := make([]int, len(ranked))
	for i, r := range ranked {
		place := slices.IndexFunc(hits, func(h contracts.SearchHit) bool { return h.Name == r.ToolID })
		at[i] = before + through[place]
	}
	return at
}

// runCost counts the tools that the proxy offers and those of the corpus.
func runCost(ctx context.Context, p *undertest.Proxy, corpus contracts.Corpus,
	progress func(string)) (*contracts.RunCost, error) {
	all, err := offered(undertest.OfCorpus(corpus))
	if err != nil {
		return nil, err
	}

	cost := &contracts.RunCost{Tokenizer: tokencount.Name, AllTools: all}
	tools, err := p.OwnTools(ctx)
	switch {
	case errors.Is(err, undertest.ErrNoMCP):
		return cost, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		if progress != nil {
			progress("the tokens of the proxy's own tools are not counted: " + err.Error())
		}

		return cost, nil
	}

	own, err := offered(tools)
	if err != nil {
		return nil, p.WithLog(err)
	}

	cost.OwnTools = &own
	return cost, nil
}

// offered counts tool definitions as clients offer them to a model: a JSON array with
// name, description and input schema. It sorts them by name, so that the order in
// which a proxy lists them does not matter.
func offered(tools []undertest.Tool) (contracts.OfferedTools, error) {
	type definition struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	}

	tools = slices.Clone(tools)
	slices.SortFunc(tools, func(a, b undertest.Tool) int { return cmp.Compare(a.ID, b.ID) })
	definitions := make([]definition, len(tools))
	for i, t := range tools {
		definitions[i] = definition{t.ID, t.Description, t.Schema}
	}

	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // a model reads "<" as one character
	if err := enc.Encode(definitions); err != nil {
		return contracts.OfferedTools{}, fmt.Errorf("the tools to offer: %w", err)
	}

	content := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	tokens, err := tokencount.Count(string(content))
	return contracts.OfferedTools{Tools: len(tools), Bytes: len(content), Tokens: tokens}, err
}
