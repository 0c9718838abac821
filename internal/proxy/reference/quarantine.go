package reference

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Finding is a reason to keep a tool in quarantine.
type Finding struct {
	Check    string `json:"check"`
	Detail   string `json:"detail"`
	Evidence string `json:"evidence,omitempty"`
}

// quarantine scans all tools together, because some attacks are visible only in
// combination with other servers. It returns the findings of the tools to hide. The
// approved tools are the scanner's baseline, which distinguishes changed tools from
// new ones.
func quarantine(tools []*toolRecord, approved map[contracts.ToolID]*toolRecord) (map[contracts.ToolID][]Finding,
	error) {
	var baseline []scanner.Tool
	for _, t := range approved {
		baseline = append(baseline, scannable(t))
	}

	s, err := scanner.New(scanner.WithBaseline(baseline))
	if err != nil {
		return nil, fmt.Errorf("start the scanner: %w", err)
	}

	scan := make([]scanner.Tool, len(tools))
	for i, t := range tools {
		scan[i] = scannable(t)
	}

	dangerous := map[contracts.ToolID][]Finding{}
	for _, f := range s.Scan(scan).Findings {
		if f.Action != scanner.ActionQuarantine {
			continue
		}

		id := f.Server + ":" + f.Tool
		for _, signal := range f.Signals {
			dangerous[id] = append(dangerous[id],
				Finding{Check: signal.CheckID, Detail: signal.Detail, Evidence: signal.Evidence})
		}
	}

	return dangerous, nil
}

func scannable(t *toolRecord) scanner.Tool {
	return scanner.Tool{
		Server: t.server, Name: t.tool, Description: t.description,
		InputSchema: t.schema, OutputSchema: t.outputSchema, Annotations: t.annotations,
	}
}
