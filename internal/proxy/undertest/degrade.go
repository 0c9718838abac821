package undertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// ParseDegrade reads the value of a --degrade flag: drop-descriptions,
// reverse-top or hide=TOOLID, or empty for the index as it is meant to be.
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
		return opts, fmt.Errorf("--degrade %q is unknown: use drop-descriptions, reverse-top or hide=SERVER:TOOL", text)
	}
	return opts, nil
}

// CheckHidden refuses to hide a tool that the corpus does not have: nothing
// would be degraded, and it would look as if it had been.
func CheckHidden(opts contracts.IndexOptions, corpus contracts.Corpus) error {
	for _, id := range opts.Hide {
		if !slices.ContainsFunc(corpus.Tools, func(t contracts.Tool) bool { return t.ToolID == id }) {
			return fmt.Errorf("--degrade hide=%s: the corpus has no such tool; name one as SERVER:TOOL", id)
		}
	}
	return nil
}
