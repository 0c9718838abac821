package metrics

import "math"

// Forecast is a stated confidence, 0 to 1, and whether the answer was correct.
type Forecast struct {
	Confidence float64
	Correct    bool
}

// ReliabilityBin holds the forecasts whose confidence is above Low and at most
// High; the first bin also holds 0. MeanConfidence and Accuracy are nil if the
// bin is empty.
type ReliabilityBin struct {
	Low, High      float64
	Count          int
	MeanConfidence *float64
	Accuracy       *float64
}

// Reliability sorts forecasts into bins of equal width: the points of a
// reliability diagram (DeGroot and Fienberg, The Statistician 32, 1983). bins
// is at least 1. Forecasts outside 0 to 1 fall into the nearest bin.
func Reliability(forecasts []Forecast, bins int) []ReliabilityBin {
	result := make([]ReliabilityBin, bins)
	sums, correct := make([]float64, bins), make([]int, bins)
	for _, f := range forecasts {
		i := min(bins-1, max(0, int(math.Ceil(float64(f.Confidence*float64(bins))))-1))
		result[i].Count++
		sums[i] += f.Confidence
		if f.Correct {
			correct[i]++
		}
	}

	for i := range result {
		b := &result[i]
		b.Low, b.High = float64(i)/float64(bins), float64(i+1)/float64(bins)
		b.Accuracy = Rate(correct[i], b.Count)
		if b.Count > 0 {
			mean := sums[i] / float64(b.Count)
			b.MeanConfidence = &mean
		}
	}

	return result
}

// ECE is the expected calibration error over the bins of Reliability: the mean
// distance of accuracy from mean confidence, weighted with the bins' counts
// (Naeini, Cooper and Hauskrecht, AAAI 2015; Guo et al., ICML 2017, equation
// 3). It is nil without forecasts.
func ECE(bins []ReliabilityBin) *float64 {
	total, sum := 0, 0.0
	for _, b := range bins {
		if b.Count == 0 {
			continue
		}

		total += b.Count
		sum += float64(float64(b.Count) * math.Abs(*b.Accuracy-*b.MeanConfidence))
	}

	if total == 0 {
		return nil
	}

	e := sum / float64(total)
	return &e
}
