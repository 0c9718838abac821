package metrics_test

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Score one ranked list against graded labels.
func ExampleEvaluateTopic() {
	ranked := []string{"mail:read", "mail:send", "chat:post"}
	judged := map[string]int{"mail:send": 2, "chat:post": 1, "chat:list": 1}
	topic := metrics.EvaluateTopic(ranked, judged, 1)
	fmt.Printf("recall@3 %.4f\n", topic.Recall(3))
	fmt.Printf("reciprocal rank %.4f\n", topic.ReciprocalRank())
	fmt.Printf("nDCG@10 %.4f\n", topic.NDCG(10))
	// Output:
	// recall@3 0.6667
	// reciprocal rank 0.5000
	// nDCG@10 0.5627
}

// A rate comes with its Wilson interval.
func ExampleWilson() {
	interval, ok := metrics.Wilson(29, 29)
	fmt.Printf("%.3f to %.3f %v\n", interval.Low, interval.High, ok)
	interval, ok = metrics.Wilson(0, 21)
	fmt.Printf("%.3f to %.3f %v\n", interval.Low, interval.High, ok)
	// Output:
	// 0.883 to 1.000 true
	// 0.000 to 0.155 true
}

// The table of rates declares how each rate is computed. An undefined rate is
// nil.
func ExampleDetectionRateByName() {
	var c metrics.Confusion
	c.Add(true, true)   // an attack that was flagged
	c.Add(true, false)  // an attack that was missed
	c.Add(false, false) // an innocent tool that was not flagged
	for _, name := range []string{"recall", "precision", "fpr_benign"} {
		rate, _ := metrics.DetectionRateByName(name)
		value := metrics.Rate(rate.Count(metrics.DetectionCounts{All: c}))
		if value == nil {
			fmt.Println(rate.Label, "is undefined")
		} else {
			fmt.Println(rate.Label, *value)
		}
	}
	// Output:
	// Recall 0.5
	// Precision 1
	// FPR, plain benign is undefined
}

// Is the difference between two systems more than noise?
func ExampleRandomizationTest() {
	differences := []float64{0, 0.5, 0, 0.5, 0.5, 0.5, 1, 0.5, 0.5}
	fmt.Printf("p = %.4f\n", metrics.RandomizationTest(differences, nil))
	// Output:
	// p = 0.0156
}
