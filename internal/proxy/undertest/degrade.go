package undertest

import (
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
