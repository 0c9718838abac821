package scanner

// Without returns the report without the signals for which drop returns true. A
// finding that loses signals is judged again. A finding that loses all of them
// is removed, unless a check failed on it. The risk score is computed again.
// Callers apply suppressions with it. r is not changed.
func (r *Report) Without(drop func(*Finding, *Signal) bool) *Report {
	left := &Report{Findings: make([]Finding, 0, len(r.Findings)), Coverage: r.Coverage}
	for i := range r.Findings {
		f := r.Findings[i]
		var signals []Signal
		for j := range r.Findings[i].Signals {
			if s := &r.Findings[i].Signals[j]; !drop(&r.Findings[i], s) {
				signals = append(signals, *s)
			}
		}

		if len(signals) < len(f.Signals) {
			f.Signals, f.Confidence = signals, 0
			f.judge()
		}

		if f.notable() {
			left.Findings = append(left.Findings, f)
		}
	}

	left.RiskScore = riskScore(left.Findings)
	return left
}
