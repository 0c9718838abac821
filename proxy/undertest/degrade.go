package undertest

import (
	"fmt"
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
