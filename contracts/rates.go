package contracts

// Rate returns the rate of that name, one of metrics.DetectionRates. It returns
// nil if the rate is undefined.
func (s DetectorScore) Rate(name string) *float64 {
	if field := s.rate(name); field != nil {
		return *field
	}
	return nil
}

// SetRate sets the rate of that name, one of metrics.DetectionRates.
func (s *DetectorScore) SetRate(name string, value *float64) {
	if field := s.rate(name); field != nil {
		*field = value
	}
}

func (s *DetectorScore) rate(name string) **float64 {
	switch name {
	case "precision":
		return &s.Precision
	case "recall":
		return &s.Recall
	case "f1":
		return &s.F1
	case "fpr":
		return &s.FPR
	case "fpr_hard_negative":
		return &s.FPRHardNegative
	case "fpr_benign":
		return &s.FPRBenign
	}

	return nil
}

// RateInterval returns the interval of the rate of that name, or nil if there
// is none.
func (d DetectorSummary) RateInterval(name string) *Interval {
	if field := d.interval(name); field != nil {
		return *field
	}
	return nil
}

// SetRateInterval sets the interval of the rate of that name.
func (d *DetectorSummary) SetRateInterval(name string, value *Interval) {
	if field := d.interval(name); field != nil {
		*field = value
	}
}

func (d *DetectorSummary) interval(name string) **Interval {
	switch name {
	case "precision":
		return &d.PrecisionInterval
	case "recall":
		return &d.RecallInterval
	case "fpr":
		return &d.FPRInterval
	case "fpr_hard_negative":
		return &d.FPRHardNegativeInterval
	case "fpr_benign":
		return &d.FPRBenignInterval
	}

	return nil
}
