package detectors

import (
	"errors"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/scanner"
)

// scan returns a detector that runs the given checks of the scanner, or all
// checks. It flags a finding whose action is review or quarantine. The signal
// "tier:soft" or "tier:hard" tells which of the two.
func scan(checks ...string) (detector, error) {
	var opts []scanner.Option
	if len(checks) > 0 {
		opts = append(opts, scanner.WithChecks(checks...))
	}
	plain, err := scanner.New(opts...)
	if err != nil {
		return nil, err
	}
	return func(r contracts.DetectorRequest) (contracts.DetectorVerdict, error) {
		tool := scanner.Tool(r.Tool)
		s := plain
		if a := r.Approved; a != nil {
			before := tool
			before.Description, before.InputSchema, before.OutputSchema = a.Description, a.InputSchema, a.OutputSchema
			baseline := scanner.WithBaseline([]scanner.Tool{before})
			if s, err = scanner.New(append(opts[:len(opts):len(opts)], baseline)...); err != nil {
				return contracts.DetectorVerdict{}, err
			}
		}
		tools := []scanner.Tool{tool}
		for _, p := range r.Peers {
			tools = append(tools, scanner.Tool{Server: p.Server, Name: p.Name, Description: p.Description, InputSchema: p.InputSchema})
		}
		return verdictOf(s.ScanOne(tool, s.Registry(tools)))
	}, nil
}

// maxQuoted is the number of signals whose evidence a verdict quotes.
const maxQuoted = 5

// verdictOf converts a finding to a verdict. A tool on which a check failed is
// never reported as clean.
func verdictOf(f scanner.Finding) (contracts.DetectorVerdict, error) {
	v := contracts.DetectorVerdict{
		Flagged:    f.Action != scanner.ActionAllow,
		Confidence: f.Confidence,
		Signals:    f.CheckIDs(),
	}
	if !v.Flagged {
		if len(f.FailedChecks) > 0 {
			return v, errors.New("checks failed: " + strings.Join(f.FailedChecks, ", "))
		}
		return v, nil
	}
	tier := scanner.TierSoft
	var evidence []string
	for _, s := range f.Signals {
		if s.Tier == scanner.TierHard {
			tier = scanner.TierHard
		}
		if len(evidence) < maxQuoted {
			evidence = append(evidence, fmt.Sprintf("%s: %s", s.CheckID, s.Evidence))
		}
	}
	v.Signals = append(v.Signals, "tier:"+tier.String())
	v.Evidence = strings.Join(evidence, " | ")
	return v, nil
}
