package render

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestMutationsAreShown(t *testing.T) {
	r := sampleReport(t, 5)
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Rewritten entries", `title="261 of 300">0.870 <small>0.800 to 0.920</small>`, `title="72 of 300">0.240 <small>0.170 to 0.290</small>`, "<td>&#43;0.630</td>", "all mechanical",
		"55 of 70 attacks", "4 of 55 flagged attacks are still flagged", "cipher-one", "s001 &lt;/script&gt;", "3 of 91", "0.767 <small>0.697 to 0.817</small>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	text := string(Markdown(r))
	if want := "| scanner | cipher | 0.870 (0.800 to 0.920) | 0.240 (0.170 to 0.290) | +0.630 | 0.033 (0.000 to 0.083) | 0.050 (0.000 to 0.100) |"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// Without held-out operators there are no columns for them. Without a
// measurement there is no section.
func TestMutationsThatWereNotMeasured(t *testing.T) {
	r := sampleReport(t, 5)
	r.Aggregate.Mutations.HeldOut = false
	for _, list := range [][]contracts.MutationFamily{r.Aggregate.Mutations.Detectors[0].Totals, r.Aggregate.Mutations.Detectors[0].Families} {
		for i := range list {
			list[i].HeldOut, list[i].Difference = nil, nil
		}
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), "eld out</th>") || !strings.Contains(string(page), "Rewritten entries") {
		t.Error("columns without figures, or no section")
	}
	if text := string(Markdown(r)); !strings.Contains(text, "| 0.870 (0.800 to 0.920) | – | – |") {
		t.Errorf("held-out figures in\n%s", text)
	}
	r.Aggregate.Mutations = nil
	if page, err = HTML(r); err != nil || strings.Contains(string(page), "Rewritten") || strings.Contains(string(Markdown(r)), "Rewritten") {
		t.Errorf("a section without figures, %v", err)
	}
}
