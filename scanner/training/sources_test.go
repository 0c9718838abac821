package main

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/scanner/internal/classifier"
)

var leaveOut = flag.Bool("leave-out", false, "leave each source out in turn, and print what is caught of it")

// sourceRates is the result for a set whose author the classifier was not
// trained on. alone counts what the classifier catches by itself.
type sourceRates struct {
	attacks, caught, alone               int
	innocents, flagged, aloneFlagged     int
	hardInnocents, hardFlagged, hardTier int
}

// judgeUnread trains without a source and judges that source.
func judgeUnread(t *testing.T, source string, sets map[string][]labelledTool, unmarked []labelledTool) (r sourceRates) {
	rest := maps.Clone(sets)
	delete(rest, source)
	examples, err := trainingSet(examplesOfSets(rest, unmarked))
	if err != nil {
		t.Fatal(err)
	}
	weights, err := train(examples)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(classifier.Replace(weights.pack()))
	s, err := scanner.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range sets[source] {
		f := s.ScanOne(l.tool, s.Registry(append([]scanner.Tool{l.tool}, l.siblings...)))
		by := slices.Contains(f.CheckIDs(), "sentence.classifier")
		if l.attack {
			r.attacks++
			r.caught += countIf(f.Flagged())
			r.alone += countIf(by)
			continue
		}
		r.innocents++
		r.flagged += countIf(f.Flagged())
		r.aloneFlagged += countIf(by)
		r.hardTier += countIf(f.Action == scanner.ActionQuarantine)
		if l.hard {
			r.hardInnocents++
			r.hardFlagged += countIf(f.Flagged())
		}
	}
	return r
}

func countIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

func rate(k, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", float64(k)/float64(n))
}

func (r sourceRates) row(source string) string {
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %s | %s | %s | %d |", source, r.attacks, rate(r.caught, r.attacks), rate(r.alone, r.attacks),
		r.innocents, rate(r.flagged, r.innocents), rate(r.aloneFlagged, r.innocents), rate(r.hardFlagged, r.hardInnocents), r.hardTier)
}

// TestLeaveOneSourceOut checks that training on some authors works for another
// one. It leaves out one source, or with -leave-out each in turn, and prints
// them all in the format of docs/scanner/generalisation.md.
func TestLeaveOneSourceOut(t *testing.T) {
	level.Thorough(t, "it trains for ten seconds")
	sets, unmarked, err := readTraining(".")
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{"alder"}
	if *leaveOut {
		sources = slices.Sorted(maps.Keys(sets))
	}
	var all sourceRates
	for _, source := range sources {
		r := judgeUnread(t, source, sets, unmarked)
		t.Log(r.row(source))
		if source == "alder" && (float64(r.caught) < 0.6*float64(r.attacks) || float64(r.flagged) > 0.06*float64(r.innocents)) {
			t.Errorf("%s left out: %d of %d attacks caught and %d of %d innocents flagged", source, r.caught, r.attacks, r.flagged, r.innocents)
		}
		all.attacks, all.caught, all.alone = all.attacks+r.attacks, all.caught+r.caught, all.alone+r.alone
		all.innocents, all.flagged, all.aloneFlagged = all.innocents+r.innocents, all.flagged+r.flagged, all.aloneFlagged+r.aloneFlagged
		all.hardInnocents, all.hardFlagged, all.hardTier = all.hardInnocents+r.hardInnocents, all.hardFlagged+r.hardFlagged, all.hardTier+r.hardTier
	}
	t.Log(all.row("all"))
}
