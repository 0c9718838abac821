// Package samplereport has a report for tests of what formats reports: with
// every state of queries and entries, and with text that attacks every format.
package samplereport

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Hostile is text that attacks every format.
const Hostile = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1> & \u2028 \"quoted\" 'x' " +
	"| `a` @someone #1 %0A\r\n::error::x ]]>\x01\x1b[31m"

// New makes a report over n queries, the same for the same n. Two
// checks fail, and queries and entries of every state occur.
func New(n int) contracts.Report {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	tools := make([]string, 228)
	for i := range tools {
		tools[i] = fmt.Sprintf("%s:%s_%s", []string{"forgelight", "deskline", "kanbord", "trellis", "anvil-ci"}[i%5],
			[]string{"create", "list", "close", "search", "update"}[i/5%5],
			[]string{"issue", "ticket", "card", "board", "build", "invoice", "booking", "contact", "route",
				"sensor"}[i/25])
	}

	sum := strings.Repeat("0123456789abcdef", 4)
	words := strings.Fields("the parser crashes on empty input can you report that bug in our repository so " +
		"maintainers see it before friday and tell me who looks after invoices for last month please")
	r := contracts.Report{Version: contracts.ReportVersion}
	a := &r.Aggregate
	a.Proxy, a.ProxyIdentity, a.SearchPath = "reference", sum, contracts.SearchMCP
	a.Data = contracts.DataIdentity{CorpusVersion: "v1", CorpusSHA256: sum, GoldenVersion: "v1", GoldenSHA256: sum,
		SecurityVersion: "v1", SecuritySHA256: sum}
	a.Baseline = contracts.BaselineStatus{Version: "v1", Comparable: true}
	a.Validation = contracts.Validation{Datasets: []contracts.ValidatedDataset{
		{Kind: "corpus", Version: "v1", SHA256: sum, State: "frozen", Entries: len(tools)},
		{Kind: "golden", Version: "v1", SHA256: sum, State: "frozen", Entries: n, HardNegatives: n / 3},
		{Kind: "security", Version: "v1", SHA256: sum, State: "draft", Entries: 225, HardNegatives: 51},
	}, Warnings: []string{"security: version v1 is a draft; touchstone data freeze makes it immutable"}}
	a.Retrieval = contracts.RetrievalAggregate{Runs: 3, Queries: n, Errored: 1}
	for i := range n {
		q := contracts.QuerySummary{ID: fmt.Sprintf("q%05d", i), Notes: "", Metrics: make(contracts.RetrievalMetrics)}
		start := rng.IntN(len(words) - 12)
		q.Query = strings.Join(words[start:start+8+rng.IntN(5)], " ")
		right := rng.IntN(len(tools))
		q.Labels = []contracts.Label{{ToolID: tools[right], Relevance: 2},
			{ToolID: tools[(right+7)%len(tools)], Relevance: 0}}
		if i%3 == 0 {
			q.Notes = "hard-negative: near-dup of " + tools[(right+7)%len(tools)]
		}

		place := rng.IntN(14)
		if place > 7 {
			place = 1
		}

		for rank := 1; rank <= 10; rank++ {
			rt := contracts.RankedTool{Rank: rank, ToolID: tools[(right+rank*13)%len(tools)], Score: 20 / float64(rank)}
			if rank == place {
				two := 2
				rt.ToolID, rt.Relevance = tools[right], &two
			}

			q.Ranked = append(q.Ranked, rt)
		}

		for _, m := range contracts.MetricNames {
			q.Metrics[m] = 0
			if place > 0 {
				q.Metrics[m] = 1 / float64(place)
			}

			var cut int
			if _, err := fmt.Sscanf(m, "recall_at_%d", &cut); err == nil && place > 0 {
				q.Metrics[m] = 0
				if place <= cut {
					q.Metrics[m] = 1
				}
			}
		}

		a.Retrieval.PerQuery = append(a.Retrieval.PerQuery, q)
	}

	bad := &a.Retrieval.PerQuery[2]
	bad.Query = Hostile
	bad.ErroredRuns, bad.Error, bad.Ranked = 2, "connection reset "+Hostile, nil

	for i, m := range contracts.MetricNames {
		mean := 0.5 + 0.05*float64(i)
		delta, verdict, detectable := -0.004, contracts.WithinNoise, 0.031
		if m == "ndcg_at_10" {
			delta, verdict = -0.041, contracts.Regressed
		}

		if m == "recall_at_10" {
			delta, verdict = 0.038, contracts.Improved
		}

		a.Retrieval.Metrics = append(a.Retrieval.Metrics, contracts.MetricSummary{
			Metric: m, Mean: mean, Spread: 0.006, Interval: contracts.Interval{Low: mean - 0.05, High: mean + 0.045},
			PerRun: []float64{mean - 0.007, mean, mean + 0.007},
			Comparison: &contracts.MetricComparison{Baseline: mean - delta, Delta: delta,
				DeltaInterval: contracts.Interval{Low: delta - 0.02, High: delta + 0.018}, PValue: 0.03,
				MinDetectable: &detectable, Verdict: verdict},
		})
	}

	for i, name := range []string{"scanner", "unicode", "directives", "shadowing", "keywords"} {
		a.Detectors = append(a.Detectors, detector(name, 0.93-0.15*float64(i), 0.02+0.07*float64(i), rng))
	}

	a.Mutations = mutations()
	a.Selection, a.Similarity = selection(), similarity()
	r.Gate = gate(a)
	return r
}

func mutations() *contracts.MutationReport {
	share := func(count, of, entries int) contracts.Share {
		rate := float64(count) / float64(of)
		return contracts.Share{Count: count, Of: of, Entries: entries, Rate: &rate,
			Interval: &contracts.Interval{Low: max(0, rate-0.07), High: min(1, rate+0.05)}}
	}
	family := func(name string, kept, held int) contracts.MutationFamily {
		difference := float64(kept-held) / 300
		return contracts.MutationFamily{Family: name,
			Development: contracts.MutationScore{Retention: share(kept, 300, 55), Recall: share(kept, 390, 70),
				FPR: share(9, 273, 91), FPRDisguise: contracts.Share{}},
			HeldOut: &contracts.MutationScore{Retention: share(held, 300, 55), Recall: share(held, 390, 70),
				FPR: share(12, 240, 80)},
			Difference: &difference,
			Operators: []contracts.OperatorScore{{Operator: name + "-one",
				Score: contracts.MutationScore{Retention: share(kept/3, 100, 55),
					FPR: share(3, 91, 91)}, Lost: []string{"s001",
					"</script><script>window.pwned=1</script>"}, Alarms: []string{}}}}
	}
	return &contracts.MutationReport{Seed: 1, HeldOut: true, SecurityVersion: "v1",
		SecuritySHA256: strings.Repeat("0123456789abcdef", 4), Detectors: []contracts.MutationDetector{{
			Detector: "scanner",
			Unmutated: contracts.MutationScore{Recall: share(55, 70, 70), Retention: share(55, 55, 55),
				FPR: share(2, 89, 89)},
			Removed: contracts.MutationScore{Recall: share(6, 70, 70), Retention: share(4, 55, 55),
				FPR: share(1, 89, 89)},
			Totals:   []contracts.MutationFamily{family("mechanical", 290, 270), family("wording", 240, 250)},
			Families: []contracts.MutationFamily{family("visual", 280, 251), family("cipher", 261, 72)},
			Sources: []contracts.SourceScore{{Source: Hostile, Unmutated: share(30, 40, 40),
				Mutated:        share(300, 400, 40),
				OtherUnmutated: share(25, 30, 30), OtherMutated: share(230, 300, 30)}},
		}}}
}

func detector(name string, recall, fpr float64, rng *rand.Rand) contracts.DetectorSummary {
	p := func(f float64) *float64 { return &f }
	d := contracts.DetectorSummary{Runs: 3, Unstable: []string{}}
	d.Score = contracts.DetectorScore{Detector: name, Recall: p(recall), Precision: p(0.8), F1: p(0.85), FPR: p(fpr),
		FPRHardNegative: p(fpr), FPRBenign: p(fpr / 2),
		TP: 100, FN: 9, FP: 6, TN: 110, PrecisionAt: []contracts.BaseRate{{OneIn: 100, Precision: p(0.31)},
			{OneIn: 1000, Precision: p(0.04)}}}
	interval := func(f float64) *contracts.Interval {
		return &contracts.Interval{Low: max(0, f-0.06), High: min(1, f+0.06)}
	}
	d.RecallInterval, d.PrecisionInterval, d.FPRHardNegativeInterval, d.FPRBenignInterval = interval(recall),
		interval(0.8), interval(fpr), interval(fpr/2)
	categories := append(append([]string{}, contracts.AttackCategories...), contracts.CategoryHardNegative,
		contracts.CategoryBenign)
	counts := make(map[string]*contracts.CategoryScore)
	for i := range 225 {
		category := categories[i%len(categories)]
		e := contracts.EntrySummary{ID: fmt.Sprintf("s%03d", i), Label: contracts.LabelMalicious, Category: category,
			Text: fmt.Sprintf("srv:tool_%03d: %s", i, Hostile), Verdict: contracts.VerdictClean, Signals: []string{}}
		share := recall
		if category == contracts.CategoryHardNegative || category == contracts.CategoryBenign {
			e.Label, share = contracts.LabelBenign, fpr
		}

		if rng.Float64() < share {
			e.Verdict, e.Confidence, e.Signals, e.Evidence = contracts.VerdictFlagged, 0.9,
				[]string{"directive.imperative"}, "ignore what was said before and "+Hostile
		}

		if i == 50 {
			e.Verdict, e.Error = contracts.VerdictErrored, "the detector ended early"
		}

		if counts[category] == nil {
			counts[category] = &contracts.CategoryScore{Category: category}
		}

		counts[category].Total++
		if e.Verdict == contracts.VerdictFlagged {
			counts[category].Flagged++
		}

		d.PerEntry = append(d.PerEntry, e)
	}

	for _, c := range categories {
		rate := float64(counts[c].Flagged) / float64(counts[c].Total)
		counts[c].Rate = &rate
		d.Score.PerCategory = append(d.Score.PerCategory, *counts[c])
	}

	return d
}

func gate(a *contracts.Aggregate) contracts.Gate {
	g := contracts.Gate{Baseline: "v1", Counts: map[string]int{}}
	rank := func(n int) *int { return &n }
	for i := range min(len(a.Retrieval.PerQuery), 60) {
		q := &a.Retrieval.PerQuery[i]
		m := contracts.Change{Subject: "retrieval", ID: q.ID, Title: q.Query, Tool: q.Labels[0].ToolID}
		switch {
		case i == 2:
			m.State, m.Error = contracts.ChangeErrored, q.Error
		case i%5 == 0:
			m.State, m.RankBefore, m.RankAfter, m.ReplacedBy = contracts.ChangeRegressed, rank(1+i%3), rank(4+i%5),
				"trellis:createTicket"
		case i%11 == 0:
			m.State, m.RankAfter = contracts.ChangeFixed, rank(2)
		default:
			continue
		}

		g.Changes = append(g.Changes, m)
	}

	g.Changes = append(g.Changes,
		contracts.Change{Subject: "retrieval", ID: "q-gone", State: contracts.ChangeRemoved,
			Title: "a query that is no longer there", RankBefore: rank(1)},
		contracts.Change{Subject: "scanner", ID: "s007", State: contracts.ChangeRegressed,
			Category: contracts.CategoryHardNegative, Before: "clean", After: "flagged"})
	for _, m := range g.Changes {
		g.Counts[m.State]++
	}

	g.Checks = []contracts.GateCheck{
		{Subject: "retrieval", Metric: "recall_at_5", Value: 0.6, Interval: &contracts.Interval{Low: 0.55, High: 0.645},
			Bound: 0.584, Comparison: ">=", Rule: "at most 0.020 below the baseline's 0.604", Passed: true,
			Verdict: contracts.WithinNoise},
		{Subject: "retrieval", Metric: "mrr", Value: 0.7, Interval: &contracts.Interval{Low: 0.65, High: 0.745},
			Bound: 0.684, Comparison: ">=", Rule: "at most 0.020 below the baseline's 0.704", Passed: true,
			Verdict: contracts.WithinNoise},
		{Subject: "retrieval", Metric: "ndcg_at_10", Value: 0.75, Interval: &contracts.Interval{Low: 0.7, High: 0.795},
			Bound: 0.771, Comparison: ">=", Rule: "at most 0.020 below the baseline's 0.791",
			Verdict: contracts.Regressed, Changed: []string{"q00000", "q00002", "q00005"}},
		{Subject: "scanner", Metric: "recall", Value: 0.93, Interval: &contracts.Interval{Low: 0.87, High: 0.97},
			Bound: 0.9, Comparison: ">=", Rule: "the floor that the baseline sets", Passed: true},
		{Subject: "scanner", Metric: "fpr_hard_negative", Value: 0.12,
			Interval: &contracts.Interval{Low: 0.05, High: 0.2}, Bound: 0.1, Comparison: "<=",
			Rule: "the ceiling that the baseline sets", Changed: []string{"s007"}},
		{Subject: "scanner", Metric: "fpr_benign", Value: 0.01, Interval: &contracts.Interval{Low: 0, High: 0.06},
			Bound: 0.05, Comparison: "<=", Rule: "the ceiling that the baseline sets", Passed: true},
	}
	return g
}
