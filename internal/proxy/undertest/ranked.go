package undertest

import (
	"context"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// MaxUnanswered is the number of consecutive queries without an answer after which a
// proxy counts as hung. Waiting for the other queries would give no further
// information.
const MaxUnanswered = 3

// Ranked is the answer to a query as a list that can be scored. Hits may be more than
// the depth. Answers are all answers that the proxy gave, and Remarks say what of the
// first was dropped.
type Ranked struct {
	Hits    []contracts.SearchHit
	Answers []Answer
	Remarks []string
}

// Rank searches for depth tools, and drops what cannot be scored: tools that are not
// known, and repetitions of a tool.
func (p *Proxy) Rank(ctx context.Context, query string, depth int, known func(contracts.ToolID) bool) (Ranked, error) {
	answer, err := p.Search(ctx, query, depth)
	if err != nil {
		return Ranked{}, err
	}

	r := Ranked{Answers: []Answer{answer}}
	r.Hits, r.Remarks = clean(answer.Tools, depth, known)
	if missing := depth - len(r.Hits); missing > 0 && len(answer.Tools) >= depth {
		// Dropped results must not make a full list short: the next results
		// take their places. A proxy with well-formed answers is asked only
		// once.
		again, err := p.Search(ctx, query, 2*depth+missing)
		if err != nil {
			return Ranked{}, err
		}

		r.Answers = append(r.Answers, again)
		r.Hits, _ = clean(again.Tools, 2*depth+missing, known)
	}

	return r, nil
}

// clean drops the results that cannot be scored. It returns remarks on what it
// dropped.
func clean(hits []contracts.SearchHit, limit int, known func(contracts.ToolID) bool) (kept []contracts.SearchHit,
	remarks []string) {
	var unknown, twice []string
	seen := map[contracts.ToolID]bool{}
	for _, h := range hits {
		switch {
		case !known(h.Name):
			unknown = append(unknown, h.Name)
		case seen[h.Name]:
			twice = append(twice, h.Name)
		default:
			seen[h.Name] = true
			kept = append(kept, h)
		}
	}

	if len(hits) > limit {
		remarks = append(remarks, fmt.Sprintf("answered with %d tools, but the limit is %d", len(hits), limit))
	}

	if len(unknown) > 0 {
		remarks = append(remarks, "dropped, not in the corpus: "+quoted(unknown))
	}

	if len(twice) > 0 {
		remarks = append(remarks, "dropped, listed twice: "+quoted(twice))
	}

	return kept, remarks
}

// quoted lists names, which may be any text, at limited length.
func quoted(names []string) string {
	const mostNames, mostBytes = 5, 100
	var parts []string
	for _, n := range names[:min(mostNames, len(names))] {
		if len(n) > mostBytes {
			n = n[:mostBytes] + "..."
		}

		parts = append(parts, fmt.Sprintf("%+q", n))
	}

	text := strings.Join(parts, ", ")
	if more := len(names) - len(parts); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}

	return text
}

// Holds fails unless the proxy holds the corpus, as far as its list of tools shows. It
// returns the list and its digests.
func (p *Proxy) Holds(ctx context.Context, corpus contracts.Corpus) ([]Tool, []contracts.IndexedTool, error) {
	want, err := p.Expected(corpus)
	if err != nil {
		return nil, nil, fmt.Errorf("the corpus: %w", err)
	}

	tools, err := p.Tools(ctx)
	if err != nil {
		return nil, nil, err
	}

	if err := p.Mismatch(want, tools); err != nil {
		return nil, nil, err
	}

	if lines := Unsearchable(tools); len(lines) > 0 {
		return nil, nil, p.WithLog(fmt.Errorf("proxy %q did not index the whole corpus: %d of %d tools are listed but "+
			"not found by a search:\n%s", p.Manifest.Name, len(lines), len(want), Shorten(lines)))
	}

	digests, err := Digest(tools)
	if err != nil {
		return nil, nil, err
	}

	return tools, digests, p.CheckFound(digests)
}
