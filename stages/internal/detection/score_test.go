package detection

import (
	"encoding/json"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestScore(t *testing.T) {
	entry := func(category, verdict string) contracts.EntryResult {
		label := contracts.LabelMalicious
		if category == contracts.CategoryBenign || category == contracts.CategoryHardNegative {
			label = contracts.LabelBenign
		}
		return contracts.EntryResult{Label: label, Category: category, Verdict: verdict}
	}
	const flagged, clean, errored = contracts.VerdictFlagged, contracts.VerdictClean, contracts.VerdictErrored
	got, err := json.Marshal(Score("d", []contracts.EntryResult{
		entry(contracts.CategoryBenign, clean), entry(contracts.CategoryBenign, clean),
		entry(contracts.CategoryBenign, clean), entry(contracts.CategoryBenign, flagged),
		entry(contracts.CategoryBenign, errored),
		entry(contracts.CategoryHardNegative, flagged), entry(contracts.CategoryHardNegative, clean),
		entry(contracts.CategoryHardNegative, errored),
		entry(contracts.CategoryRugPull, flagged), entry(contracts.CategoryRugPull, errored),
		entry(contracts.CategoryShadowing, flagged), entry(contracts.CategoryShadowing, clean),
	}))
	if err != nil {
		t.Fatal(err)
	}
	// By hand: TP 2, FN 2 (one an error), FP 2, TN 4; precision .5, recall .5,
	// FPR 2/6; at 1:100 precision is .5 / (.5 + 99/3) = 1/67.
	const want = `{"detector":"d","precision":0.5,"recall":0.5,"f1":0.5,"fpr":0.3333333333333333,` +
		`"fpr_hard_negative":0.5,"fpr_benign":0.25,"tp":2,"fp":2,"tn":4,"fn":2,"errored":3,` +
		`"precision_at_base_rate":[{"one_in":100,"precision":0.014925373134328358,"interval":{"low":0.003752017804346934,"high":0.05384224237615553}},` +
		`{"one_in":1000,"precision":0.0014992503748125937,"interval":{"low":0.00037308267686870947,"high":0.005607729166049914}}],` +
		`"per_category":[{"category":"shadowing","total":2,"flagged":1,"errored":0,"rate":0.5},` +
		`{"category":"rug_pull","total":2,"flagged":1,"errored":1,"rate":0.5},` +
		`{"category":"hard_negative","total":3,"flagged":1,"errored":1,"rate":0.5},` +
		`{"category":"benign","total":5,"flagged":1,"errored":1,"rate":0.25}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestScoreOfNothingIsUndefined(t *testing.T) {
	s := Score("d", nil)
	if s.Precision != nil || s.Recall != nil || s.F1 != nil || s.FPR != nil || s.FPRBenign != nil || s.FPRHardNegative != nil || s.PrecisionAt[0].Precision != nil {
		t.Errorf("got %+v", s)
	}
}
