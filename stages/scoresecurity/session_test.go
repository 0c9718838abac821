package scoresecurity

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// A built-in detector judges in the stage's process as it does as a process of its own.
func TestBuiltInDetectorsJudgeAsProcesses(t *testing.T) {
	corpus, _, err := ReadCorpus("../../datasets/security_v2.json")
	if err != nil {
		t.Fatal(err)
	}
	// Every field of a request occurs: some of all entries, and the first with each that is rare.
	var entries []contracts.SecurityEntry
	seen := map[string]bool{}
	for i, e := range corpus.Entries {
		first := false
		for field, present := range map[string]bool{
			"peers": len(e.Peers) > 0, "approved": e.Approved != nil, "instructions": e.ServerInstructions != "",
			"schema": len(e.InputSchema) > 0, "technique " + e.Technique: true,
			"output": len(e.OutputSchema) > 0, "annotations": len(e.Annotations) > 0,
		} {
			if present && !seen[field] {
				seen[field], first = true, true
			}
		}
		if first || i%25 == 0 {
			entries = append(entries, e)
		}
	}
	entries[0].InputSchema = []byte(" {\n \"x\" : 1 } ")

	for _, name := range detectors.Names() {
		t.Run(name, func(t *testing.T) {
			inside, err := Judge(context.Background(), Options{Detector: name}, entries)
			if err != nil {
				t.Fatal(err)
			}
			outside, err := Judge(context.Background(), Options{
				Detector: "other", Argv: []string{os.Args[0], "detector", name}, EntryTimeout: time.Minute,
			}, entries)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(outside, inside); diff != "" {
				t.Errorf("as a process and inside the stage (-, +): %s", diff)
			}
			if flagged := func(r contracts.EntryResult) bool { return r.Verdict == contracts.VerdictFlagged }; !slices.ContainsFunc(inside, flagged) {
				t.Error("it flags nothing, so the comparison shows nothing")
			}
		})
	}
}

// A built-in detector that takes too long leaves the entry without a verdict and the rest judged.
func TestBuiltInDetectorInTime(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	slow := builtin{func(r contracts.DetectorRequest) contracts.DetectorVerdict {
		<-release
		return contracts.DetectorVerdict{ID: r.ID}
	}}
	if _, err := slow.ask(context.Background(), contracts.DetectorRequest{}, time.Millisecond); err == nil {
		t.Error("an endless detector gave a verdict")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := slow.ask(ctx, contracts.DetectorRequest{}, time.Hour); err == nil {
		t.Error("an interrupted detector gave a verdict")
	}
}
