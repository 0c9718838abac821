package render

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// onOtherData changes a report into one that was compared with a baseline on
// other data.
func onOtherData(r *contracts.Report) {
	mean := .5
	r.Gate.Unfrozen = []contracts.UnfrozenDataset{{Kind: contracts.KindGolden, Version: "v1", State: contracts.StateChanged}, {Kind: contracts.KindCases, Version: "v2", State: contracts.StateDraft}}
	r.Gate.Data = &contracts.DataComparison{
		Baseline: contracts.DataIdentity{CorpusVersion: "v0", GoldenVersion: "v1", SecurityVersion: "v1"},
		Queries:  contracts.Overlap{Common: 30, Now: 33, Before: 31}, Entries: contracts.Overlap{Common: 7, Now: 8, Before: 7},
		Apart: []contracts.ApartQueries{
			{State: contracts.ChangeEdited, Queries: 1, Metrics: contracts.RetrievalMetrics{"mrr": .25}, Before: contracts.RetrievalMetrics{"mrr": 1}},
			{State: contracts.ChangeNew, Queries: 14, Metrics: contracts.RetrievalMetrics{"mrr": .75}},
			{State: contracts.ChangeRemoved, Queries: 1, Before: contracts.RetrievalMetrics{"mrr": .125}},
		},
		Changes: []contracts.DataChange{
			{Kind: contracts.KindGolden, ID: "q1", State: contracts.ChangeEdited, Tool: "s:a"},
			{Kind: contracts.KindGolden, ID: "q3", State: contracts.ChangeRemoved},
			{Kind: contracts.KindSecurity, ID: "<e1>", State: contracts.ChangeNew},
			{Kind: contracts.KindCorpus, ID: "s:a", State: contracts.ChangeEdited},
		},
	}
	for range 14 {
		r.Gate.Data.Changes = append(r.Gate.Data.Changes, contracts.DataChange{Kind: contracts.KindGolden, ID: "n", State: contracts.ChangeNew})
	}
	for i := range r.Aggregate.Retrieval.Metrics {
		if c := r.Aggregate.Retrieval.Metrics[i].Comparison; c != nil {
			c.Queries, c.Mean, c.MeanInterval = 30, &mean, &contracts.Interval{Low: .4, High: .6}
		}
	}
}

func TestChangedDataIsInEveryReport(t *testing.T) {
	r := sampleReport(t, 33)
	onOtherData(&r)
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"golden v1 is frozen, but the file was edited. These figures are for the edited file.",
		"The verdict compares 30 of 33 queries and 7 of 8 security entries, which are the same in the data of the baseline.",
		"30 of 33 queries and 7 of 8 security entries are the same in both, and only these are compared",
		"1 query edited: q1 (its tool s:a).", "14 queries new: n, n, n, n, n, n, n, n, n, n, n, n and 2 more.", "1 query removed: q3.",
		"1 security entry new: &lt;e1&gt;.", "1 tool edited: s:a.",
		"Not judged: 1 edited query (MRR 1.000 → 0.250).", "Not judged: 14 new queries (MRR 0.750).", "Not judged: 1 removed query (MRR 0.125).",
		"over 30 of 33 queries",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("report.html does not have %q", want)
		}
	}
	for name, text := range map[string]string{"report.md": string(Markdown(r)), "annotations.txt": string(Annotations(r))} {
		for _, want := range []string{"golden v1 is frozen, but the file was edited", "30 of 33 queries", "1 query edited", "14 new queries"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not have %q:\n%.3000s", name, want, text)
			}
		}
	}
}

func TestNoVerdictIsNeitherPassedNorFailed(t *testing.T) {
	r := sampleReport(t, 10)
	onOtherData(&r)
	r.Gate.Passed, r.Gate.Checks, r.Gate.Changes = false, nil, nil
	r.Gate.NoVerdict = &contracts.NotJudged{Reason: "only 3 of 33 queries are the same", Remedy: "make a new baseline with touchstone baseline update"}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	junit, err := JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"report.html": string(page), "report.md": string(Markdown(r)), "annotations.txt": string(Annotations(r)), "junit.xml": string(junit)} {
		if !strings.Contains(text, "only 3 of 33 queries are the same") || !strings.Contains(text, "touchstone baseline update") || !strings.Contains(strings.ToLower(text), "no verdict") {
			t.Errorf("%s does not give the reason and the remedy", name)
		}
		for _, never := range []string{"gate passed", "gate failed", "Touchstone: passed", "Touchstone: failed", "Nothing moved", "only these are compared", "<h1>Failed", "<h1>Passed", "The verdict compares"} {
			if strings.Contains(text, never) {
				t.Errorf("%s says %q", name, never)
			}
		}
	}
}

// A quick run is on a part of the data, which is not other data.
func TestAQuickRunIsNotOnOtherData(t *testing.T) {
	r := sampleReport(t, 33)
	onOtherData(&r)
	r.Gate.Split = contracts.SplitDev
	text := string(Markdown(r))
	if want := "A quick run asks the queries of the split dev only. 30 of 33 queries"; !strings.Contains(text, want) {
		t.Errorf("no %q in %s", want, text)
	}
	if strings.Contains(text, "for other data") {
		t.Errorf("it says that the data are others: %s", text)
	}
	if !strings.Contains(text, "1 query edited") {
		t.Error("it hides an edited query")
	}
}
