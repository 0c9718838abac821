package scoremutations

import (
	"cmp"
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/scoremutations/mutation"
)

// judged is a case with its verdict. caught reports whether the unmodified entry
// was flagged.
type judged struct {
	mutationCase
	flagged, errored, caught bool
}

// count computes the figures of one detector. results are in the order of the
// entries that rewrite returned.
func count(detector string, cases []mutationCase, results []contracts.EntryResult,
	operators []mutation.Operator) contracts.MutationDetector {
	list := make([]judged, len(cases))
	caught := map[string]bool{}
	for i, c := range cases {
		j := judged{mutationCase: c}
		for _, r := range results[c.first:c.afterLast] {
			j.flagged = j.flagged || r.Verdict == contracts.VerdictFlagged
			j.errored = j.errored || r.Verdict == contracts.VerdictErrored
		}

		// If one view is flagged the case is flagged, even if another failed.
		j.errored = j.errored && !j.flagged
		if c.operator == asItIs {
			caught[c.id] = j.flagged
		}

		j.caught = caught[c.id]
		list[i] = j
	}

	with := func(keep func(op mutation.Operator) bool) []judged {
		return slices.DeleteFunc(slices.Clone(list),
			func(j judged) bool { return j.operator < 0 || !keep(operators[j.operator]) })
	}
	only := func(operator int) []judged {
		return slices.DeleteFunc(slices.Clone(list), func(j judged) bool { return j.operator != operator })
	}
	family := func(name string, member func(family string) bool) contracts.MutationFamily {
		f := contracts.MutationFamily{Family: name,
			Development: score(with(func(op mutation.Operator) bool { return !op.HeldOut && member(op.Family) }),
				operators)}
		if held := with(func(op mutation.Operator) bool { return op.HeldOut && member(op.Family) }); len(held) > 0 {
			s := score(held, operators)
			f.HeldOut = &s
			if a, b := f.Development.Retention.Rate, s.Retention.Rate; a != nil && b != nil {
				difference := *a - *b
				f.Difference = &difference
			}
		}

		return f
	}
	d := contracts.MutationDetector{Detector: detector, Unmutated: score(only(asItIs), operators),
		Removed: score(only(withoutPassage), operators)}
	d.Totals = []contracts.MutationFamily{
		family("mechanical", mutation.Mechanical),
		family("wording", func(f string) bool { return !mutation.Mechanical(f) }),
	}
	for _, name := range mutation.Families {
		f := family(name, func(f string) bool { return f == name })
		for i, op := range operators {
			if op.Family == name && !op.HeldOut {
				f.Operators = append(f.Operators, operatorScore(op, only(i), operators))
			}
		}

		d.Families = append(d.Families, f)
	}

	d.Sources = sources(only(asItIs), with(func(op mutation.Operator) bool { return !op.HeldOut }))
	return d
}

func operatorScore(op mutation.Operator, list []judged, operators []mutation.Operator) contracts.OperatorScore {
	s := contracts.OperatorScore{Operator: op.Name, Disguise: op.Disguise, Score: score(list, operators)}
	for _, j := range list {
		switch {
		case j.attack && j.caught && !j.flagged:
			s.Lost = append(s.Lost, j.id)
		case !j.attack && !j.caught && j.flagged:
			s.Alarms = append(s.Alarms, j.id)
		}
	}

	slices.Sort(s.Lost)
	slices.Sort(s.Alarms)
	return s
}

// score counts cases of any operators. Unmodified cases count as not disguised.
func score(list []judged, operators []mutation.Operator) contracts.MutationScore {
	var s contracts.MutationScore
	disguised := func(j judged) bool { return j.operator >= 0 && operators[j.operator].Disguise }
	s.Recall = share(list, func(j judged) bool { return j.attack })
	s.Retention = share(list, func(j judged) bool { return j.attack && j.caught })
	s.FPR = share(list, func(j judged) bool { return !j.attack && !j.errored && !disguised(j) })
	s.FPRDisguise = share(list, func(j judged) bool { return !j.attack && !j.errored && disguised(j) })
	for _, j := range list {
		if j.errored {
			s.Errored++
		}
	}

	return s
}

// share returns the share of flagged cases among those for which in is true.
func share(list []judged, in func(judged) bool) contracts.Share {
	var s contracts.Share
	ids := map[string]bool{}
	for _, j := range list {
		if !in(j) {
			continue
		}

		s.Of++
		ids[j.id] = true
		if j.flagged {
			s.Count++
		}
	}

	s.Entries = len(ids)
	if s.Of > 0 {
		rate := float64(s.Count) / float64(s.Of)
		i := metrics.WilsonOf(rate, s.Entries)
		s.Rate, s.Interval = &rate, &contracts.Interval{Low: i.Low, High: i.High}
	}

	return s
}

// sources compares the recall on each source with the recall on all others. The
// source with the worst recall comes first.
func sources(unmutated, mutated []judged) []contracts.SourceScore {
	names := map[string]bool{}
	for _, j := range unmutated {
		if j.attack {
			names[j.source] = true
		}
	}

	var list []contracts.SourceScore
	for _, name := range slices.Sorted(maps.Keys(names)) {
		own := func(j judged) bool { return j.attack && j.source == name }
		other := func(j judged) bool { return j.attack && j.source != name }
		list = append(list, contracts.SourceScore{Source: name,
			Unmutated: share(unmutated, own), Mutated: share(mutated, own),
			OtherUnmutated: share(unmutated, other), OtherMutated: share(mutated, other)})
	}

	slices.SortStableFunc(list, func(a, b contracts.SourceScore) int {
		return cmp.Compare(*a.Unmutated.Rate, *b.Unmutated.Rate)
	})
	return list
}
