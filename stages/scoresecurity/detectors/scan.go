package detectors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/scanner"
)

// scan returns a detector that runs the given checks of the scanner, or all
// checks. It flags a finding whose action is review or quarantine. The signal
// "tier:soft" or "tier:hard" tells which of the two. The instructions of the
// tool's server are scanned beside the tool.
func scan(checks ...string) (detector, error) { return scanFor(scanner.Finding.Flagged, checks...) }

// Stops returns a detector that flags what fails a build if touchstone scan runs with its
// default settings: findings of high and critical severity.
func Stops() (func(contracts.DetectorRequest) (contracts.DetectorVerdict, error), error) {
	return scanFor(func(f scanner.Finding) bool { return f.Severity.Stops() })
}

// scanFor returns a detector that flags the findings for which flags holds.
func scanFor(flags func(scanner.Finding) bool, checks ...string) (detector, error) {
	var opts []scanner.Option
	if len(checks) > 0 {
		opts = append(opts, scanner.WithChecks(checks...))
	}

	plain, err := scanner.New(opts...)
	if err != nil {
		return nil, err
	}

	return func(r contracts.DetectorRequest) (contracts.DetectorVerdict, error) {
		tool := scanner.Tool{
			Server: r.Tool.Server, Name: r.Tool.Name, Description: r.Tool.Description,
			InputSchema: r.Tool.InputSchema, OutputSchema: r.Tool.OutputSchema, Annotations: r.Tool.Annotations,
		}
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
			tools = append(tools, scanner.Tool{Server: p.Server, Name: p.Name, Description: p.Description,
				InputSchema: p.InputSchema})
		}

		registry := s.Registry(tools)
		findings := []scanner.Finding{s.ScanOne(tool, registry)}
		if r.ServerInstructions != "" {
			findings = append(findings, s.ScanOne(scanner.Tool{
				Server: tool.Server, Subject: scanner.SubjectInstructions, Description: r.ServerInstructions,
			}, registry))
		}

		return verdictOf(findings, flags)
	}, nil
}

// maxQuoted is the number of signals whose evidence a verdict quotes.
const maxQuoted = 5

// verdictOf converts the findings on a tool and on its server to a verdict. What was
// not judged completely is never reported as clean.
func verdictOf(findings []scanner.Finding, flags func(scanner.Finding) bool) (contracts.DetectorVerdict, error) {
	var v contracts.DetectorVerdict
	tier := scanner.TierSoft
	var evidence, missing []string
	for _, f := range findings {
		v.Flagged = v.Flagged || flags(f)
		v.Confidence = max(v.Confidence, f.Confidence)
		for _, id := range f.CheckIDs() {
			if !slices.Contains(v.Signals, id) {
				v.Signals = append(v.Signals, id)
			}
		}

		if len(f.FailedChecks) > 0 {
			missing = append(missing, "checks failed: "+strings.Join(f.FailedChecks, ", "))
		}

		if len(f.Unread) > 0 {
			missing = append(missing, "not read: "+strings.Join(f.Unread, ", "))
		}

		for _, s := range f.Signals {
			if s.Tier == scanner.TierHard {
				tier = scanner.TierHard
			}

			if len(evidence) < maxQuoted {
				evidence = append(evidence, fmt.Sprintf("%s: %s", s.CheckID, s.Evidence))
			}
		}
	}

	if !v.Flagged {
		if len(missing) > 0 {
			return v, errors.New(strings.Join(missing, "; "))
		}

		return v, nil
	}

	v.Signals = append(v.Signals, "tier:"+tier.String())
	v.Evidence = strings.Join(evidence, " | ")
	return v, nil
}
