package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestTopicMeasures(t *testing.T) {
	// Worked by hand: five labels, three relevant at level 1, two at level 2.
	judged := map[string]int{"a": 2, "b": 1, "c": 2, "d": 0, "e": -1}
	ranked := []string{"d", "b", "x", "a", "e"}
	log := math.Log2
	ideal := 2/log(2) + 2/log(3) + 1/log(4)
	type figures struct{ r1, r3, r5, p5, s1, s5, rr, ap, ndcg3, ndcg10 float64 }
	tests := []struct {
		name   string
		ranked []string
		judged map[string]int
		level  int
		want   figures
	}{
		{"level 1", ranked, judged, 1, figures{0, 1. / 3, 2. / 3, 2. / 5, 0, 1, 1. / 2, (1./2 + 2./4) / 3,
			(1 / log(3)) / ideal, (1/log(3) + 2/log(5)) / ideal}},
		{"level 2: nDCG keeps its gains", ranked, judged, 2, figures{0, 0, 1. / 2, 1. / 5, 0, 1, 1. / 4, (1. / 4) / 2,
			(1 / log(3)) / ideal, (1/log(3) + 2/log(5)) / ideal}},
		{"level above every label", ranked, judged, 3, figures{ndcg3: (1 / log(3)) / ideal, ndcg10: (1/log(3) + 2/log(5)) / ideal}},
		{"perfect", []string{"c", "a", "b"}, judged, 1, figures{1. / 3, 1, 1, 3. / 5, 1, 1, 1, 1, 1, 1}},
		{"nothing retrieved", nil, judged, 1, figures{}},
		{"no relevant label", ranked, map[string]int{"d": 0, "b": 0}, 1, figures{}},
		{"only negative labels", ranked, map[string]int{"d": -1}, 1, figures{}},
		{"no label", ranked, nil, 1, figures{}},
		{"an id twice counts once", []string{"b", "b", "b"}, map[string]int{"b": 1}, 1, figures{1, 1, 1, 1. / 5, 1, 1, 1, 1, 1, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			topic := EvaluateTopic(tt.ranked, tt.judged, tt.level)
			got := figures{topic.Recall(1), topic.Recall(3), topic.Recall(5), topic.Precision(5), topic.Success(1),
				topic.Success(5), topic.ReciprocalRank(), topic.AveragePrecision(), topic.NDCG(3), topic.NDCG(10)}
			near(t, "recall@1", got.r1, tt.want.r1, 12)
			near(t, "recall@3", got.r3, tt.want.r3, 12)
			near(t, "recall@5", got.r5, tt.want.r5, 12)
			near(t, "P@5", got.p5, tt.want.p5, 12)
			near(t, "success@1", got.s1, tt.want.s1, 12)
			near(t, "success@5", got.s5, tt.want.s5, 12)
			near(t, "reciprocal rank", got.rr, tt.want.rr, 12)
			near(t, "average precision", got.ap, tt.want.ap, 12)
			near(t, "nDCG@3", got.ndcg3, tt.want.ndcg3, 12)
			near(t, "nDCG@10", got.ndcg10, tt.want.ndcg10, 12)
		})
	}
}

func TestTopicMeasuresStayWithinBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		judged := map[string]int{}
		for range r.IntN(12) {
			judged[fmt.Sprint(r.IntN(20))] = r.IntN(4) - 1
		}
		var ranked []string
		for range r.IntN(15) {
			ranked = append(ranked, fmt.Sprint(r.IntN(20)))
		}
		topic := EvaluateTopic(ranked, judged, r.IntN(4))
		last := 0.0
		for _, k := range []int{1, 3, 5, 10} {
			for _, v := range []float64{topic.Recall(k), topic.Precision(k), topic.Success(k), topic.NDCG(k), topic.ReciprocalRank(), topic.AveragePrecision()} {
				if v < 0 || v > 1+1e-12 || math.IsNaN(v) {
					t.Fatalf("%v out of bounds for %v against %v", v, ranked, judged)
				}
			}
			if topic.Recall(k) < last {
				t.Fatalf("recall falls with k for %v against %v", ranked, judged)
			}
			last = topic.Recall(k)
		}
	}
}

func TestLog2(t *testing.T) {
	// 40 digits of log2 from published tables.
	for n, want := range map[int]float64{
		1: 0, 2: 1, 3: 1.5849625007211561814537389439478165087598, 4: 2,
		5: 2.3219280948873623478703194294893901758648, 7: 2.8073549220576041074419693172318308086410,
		10: 3.3219280948873623478703194294893901758648, 1024: 10, 1000: 9.9657842846620870436109582884681705275945,
	} {
		if got := log2(n); got != want {
			t.Errorf("log2(%d) = %b, want %b", n, got, want)
		}
	}
	for n := 2; n < 5000; n++ {
		if got := log2(n); math.Abs(got-math.Log2(float64(n))) > 4e-15 {
			t.Fatalf("log2(%d) = %v, far from %v", n, got, math.Log2(float64(n)))
		}
	}
}

func BenchmarkEvaluateTopic(b *testing.B) {
	judged := map[string]int{}
	ids := make([]string, 1000)
	for i := range ids {
		id := fmt.Sprintf("server%02d:tool_%03d", i%17, i)
		ids[i*7919%1000] = id
		if i%40 == 0 {
			judged[id] = i % 3
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		topic := EvaluateTopic(ids, judged, 1)
		if topic.NDCG(10) < 0 || topic.AveragePrecision() < 0 {
			b.Fatal("negative")
		}
	}
}
