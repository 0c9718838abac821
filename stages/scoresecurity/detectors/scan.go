package detectors

import (
	"errors"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/scanner"
)

// checkIDs are the scanner's checks behind the detectors that run one kind of
// check alone. The detector "scanner" runs all of them.
var checkIDs = map[string][]string{
	"unicode":    {"unicode.hidden"},
	"directives": {"directive.model"},
	"shadowing":  {"shadowing.cross_server"},
}

// scan makes a detector of the scanner with the given checks, or with all.
// Flagged is a finding that asks for a review or a quarantine; which of the
// two is told by the signal "tier:soft" or "tier:hard".
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

// maxQuoted is how many signals have their evidence quoted in a verdict.
const maxQuoted = 5

// verdictOf turns a finding into a verdict. A tool that a check failed on is
// never called clean.
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
