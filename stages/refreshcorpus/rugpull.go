package refreshcorpus

import (
	"cmp"
	"fmt"
	"io"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/scanner"
)

// RugPull is a tool with a suspicious change.
type RugPull struct {
	ToolID   string `json:"tool_id"`
	Severity string `json:"severity"`
	Detail   string `json:"detail"`
	Evidence string `json:"evidence"`
}

// rugPullCheck is the id of the scanner's check for changed definitions.
const rugPullCheck = "rugpull.change"

// RugPulls lets the scanner compare the new definitions with the old ones.
// Output schemas and annotations are compared if both corpora have them for a
// tool: a corpus of an earlier version lacks them.
func RugPulls(before, after contracts.Corpus) ([]RugPull, error) {
	s, err := scanner.New(scanner.WithChecks(rugPullCheck), scanner.WithBaseline(scannerTools(before, after)))
	if err != nil {
		return nil, err
	}

	found := []RugPull{}
	for _, f := range s.Scan(scannerTools(after, before)).Findings {
		if len(f.FailedChecks) > 0 {
			found = append(found, RugPull{f.Server + ":" + f.Tool, "unknown",
				"the check failed on this tool; review its change yourself", ""})
		}

		for _, sig := range f.Signals {
			found = append(found, RugPull{f.Server + ":" + f.Tool, string(f.Severity), sig.Detail, sig.Evidence})
		}
	}

	return found, nil
}

func scannerTools(c, other contracts.Corpus) []scanner.Tool {
	others := byID(other)
	tools := make([]scanner.Tool, len(c.Tools))
	for i, t := range c.Tools {
		tools[i] = scanner.Tool{Server: t.Server, Name: t.Tool, Description: t.Description,
			InputSchema: sortedSchema(t.Schema)}
		o := others[t.ToolID]
		if o != nil && len(o.OutputSchema) > 0 {
			tools[i].OutputSchema = sortedOrNone(t.OutputSchema)
		}

		if o != nil && len(o.Annotations) > 0 {
			tools[i].Annotations = sortedOrNone(t.Annotations)
		}
	}

	return tools
}

// WriteRugPulls prints the findings for a terminal.
func WriteRugPulls(w io.Writer, found []RugPull) {
	for _, r := range found {
		fmt.Fprintf(w, "rug pull? %s (%s): %s: %s\n", safetext.Visible(r.ToolID), r.Severity,
			safetext.Visible(r.Detail), safetext.Visible(cmp.Or(r.Evidence, "no excerpt")))
	}
	if len(found) == 0 {
		fmt.Fprintln(w, "no change looks like a rug pull")
	}
}
