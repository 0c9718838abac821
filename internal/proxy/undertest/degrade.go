package undertest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// ParseDegrade parses the value of a --degrade flag: drop-descriptions, reverse-top
// or hide=TOOLID, or empty for an index that is not degraded.
func ParseDegrade(text string) (contracts.IndexOptions, error) {
	var opts contracts.IndexOptions
	id, hide := strings.CutPrefix(text, "hide=")
	switch {
	case text == "":
	case text == "drop-descriptions":
		opts.DropDescriptions = true
	case text == "reverse-top":
		opts.ReverseTop = true
	case hide && strings.Contains(id, ":"):
		opts.Hide = []contracts.ToolID{id}
	default:
		return opts, fmt.Errorf("unknown --degrade %q: use drop-descriptions, reverse-top or hide=SERVER:TOOL", text)
	}

	return opts, nil
}

// degradation is how a proxy is degraded from outside: its servers offer other tools,
// and its answers come in another order. The zero value changes nothing.
type degradation contracts.IndexOptions

// corpus returns the corpus that the servers of the proxy offer.
func (d degradation) corpus(c contracts.Corpus) contracts.Corpus {
	if len(d.Hide) == 0 && !d.DropDescriptions {
		return c
	}

	offered := c
	offered.Tools = nil
	for _, t := range c.Tools {
		if slices.Contains(d.Hide, t.ToolID) {
			continue
		}

		if d.DropDescriptions {
			t.Description = ""
		}

		offered.Tools = append(offered.Tools, t)
	}

	return offered
}

// reversedTop is the number of results that ReverseTop reverses.
const reversedTop = 10

// search sends a query with the given search, and reverses the top of the answer if
// the degradation says so.
func (d degradation) search(ctx context.Context, s searcher, query string, limit int) (Answer, error) {
	if !d.ReverseTop {
		return s.search(ctx, query, limit)
	}

	answer, err := s.search(ctx, query, max(limit, reversedTop))
	if err == nil {
		slices.Reverse(answer.Tools[:min(reversedTop, len(answer.Tools))])
		answer.Tools = answer.Tools[:min(limit, len(answer.Tools))]
	}

	return answer, err
}

// CheckHidden refuses to hide a tool that the corpus does not have. It would degrade
// nothing, but appear to.
func CheckHidden(opts contracts.IndexOptions, corpus contracts.Corpus) error {
	for _, id := range opts.Hide {
		if !slices.ContainsFunc(corpus.Tools, func(t contracts.Tool) bool { return t.ToolID == id }) {
			return fmt.Errorf("--degrade hide=%s: the corpus has no such tool; name one as SERVER:TOOL", id)
		}
	}
	return nil
}
