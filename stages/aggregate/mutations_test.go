package aggregate

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// mutated writes one report of score-mutations for each name; an empty name is
// a report without a detector.
func mutated(t *testing.T, change func(i int, r *contracts.MutationReport), names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		r := contracts.MutationReport{SecurityVersion: "v1", SecuritySHA256: fixture.Data.SecuritySHA256, Seed: 1}
		if name != "" {
			r.Detectors = []contracts.MutationDetector{{Detector: name}}
		}
		if change != nil {
			change(i, &r)
		}
		if err := contracts.Write(filepath.Join(dir, fmt.Sprint("detector=", i), "mutations.json"), r); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMutationsAreTakenOver(t *testing.T) {
	data := fixture.Data
	r, err := readMutations(context.Background(), mutated(t, nil, "words", "", "scanner"), data)
	if err != nil || len(r.Detectors) != 2 || r.Detectors[0].Detector != "scanner" {
		t.Fatalf("%+v, %v", r, err)
	}
	var log strings.Builder
	r.Detectors[0].Totals = []contracts.MutationFamily{{Family: "mechanical", Development: contracts.MutationScore{Retention: contracts.Share{Count: 3, Of: 4}}, HeldOut: &contracts.MutationScore{}}}
	logMutations(&log, r)
	if want := "scanner, rewritten (mechanical): 3 of 4 variants of caught attacks still flagged, 0 of 0 of benign entries; held out 0 of 0 and 0 of 0\n"; log.String() != want {
		t.Errorf("logged %q", log.String())
	}
	if r, err = readMutations(context.Background(), mutated(t, nil, ""), data); err != nil || r != nil {
		t.Errorf("nothing measured: %+v, %v", r, err)
	}
}

func TestMutationsThatDoNotBelongTogether(t *testing.T) {
	data := fixture.Data
	for name, tc := range map[string]struct {
		change func(i int, r *contracts.MutationReport)
		want   string
	}{
		"seeds":        {func(i int, r *contracts.MutationReport) { r.Seed = i }, "differ in their seed"},
		"operators":    {func(i int, r *contracts.MutationReport) { r.HeldOut = i == 0 }, "in the operators"},
		"other corpus": {func(i int, r *contracts.MutationReport) { r.SecuritySHA256 = strings.Repeat("0", 64) }, "another security corpus"},
		"one detector": {func(i int, r *contracts.MutationReport) { r.Detectors[0].Detector = "same" }, "both about the detector same"},
	} {
		if _, err := readMutations(context.Background(), mutated(t, tc.change, "a", "b"), data); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if _, err := readMutations(context.Background(), t.TempDir(), data); err == nil || !strings.Contains(err.Error(), "no report of score-mutations") {
		t.Errorf("no report: %v", err)
	}
}
