package render

import (
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/samplereport"
)

// hostile is text that attacks every format.
const hostile = samplereport.Hostile

// sampleReport makes a report over n queries, the same for the same n.
func sampleReport(t testing.TB, n int) contracts.Report {
	t.Helper()
	return samplereport.New(n)
}

// sampleRun is a run that executed one stage.
func sampleRun() contracts.RunSummary {
	return contracts.RunSummary{Started: "2026-11-20T22:00:00Z", DurationMS: 1834, Hits: 5, Executed: 2, Instances: []contracts.RunInstance{
		{Stage: "validate-datasets", Status: "hit", DurationMS: 120},
		{Stage: "build-proxy", Status: "hit", DurationMS: 15},
		{Stage: "snapshot-index", Status: "hit", DurationMS: 640, After: []string{"validate-datasets", "build-proxy"}},
		{Stage: "score-retrieval", Instance: "run=1", Status: "ran", DurationMS: 1500, After: []string{"snapshot-index"}},
		{Stage: "score-retrieval", Instance: "run=2", Status: "ran", DurationMS: 1400, After: []string{"snapshot-index"}},
		{Stage: "score-security", Instance: "detector=scanner", Status: "hit", DurationMS: 310, After: []string{"validate-datasets"}},
		{Stage: "aggregate</script>", Status: "hit", DurationMS: 90, After: []string{"score-retrieval", "score-security"}},
	}, History: sampleHistory()}
}

// sampleHistory has three results. One detector is not in the first.
func sampleHistory() *contracts.FigureHistory {
	return &contracts.FigureHistory{
		Runs: []contracts.HistoryRun{
			{Started: "2026-11-18T22:00:00Z", Proxy: "reference", GoldenVersion: "v0"},
			{Started: "2026-11-19T22:00:00Z", Proxy: "<img src=x>", GoldenVersion: "v1"},
			{Started: "2026-11-20T22:00:00Z", Proxy: "<img src=x>", GoldenVersion: "v1", Degraded: "drop-descriptions"},
		},
		Figures: []contracts.HistoryFigure{
			{Name: "recall_at_5", Label: "Recall@5", Points: []contracts.HistoryPoint{{Run: 0, Value: 0.7}, {Run: 1, Value: 0.712}, {Run: 2, Value: 0.5}}},
			{Name: "scanner:recall", Label: "scanner</script> Recall", Points: []contracts.HistoryPoint{{Run: 1, Value: 1}, {Run: 2, Value: 0.9}}},
		},
	}
}
