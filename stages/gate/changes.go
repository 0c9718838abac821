package gate

import (
	"cmp"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// move is a move with its sort keys and the metrics that it explains.
type move struct {
	contracts.Change
	// weight is the size of the loss or gain, or 0 if the move cannot fail the
	// gate.
	weight float64
	// changed names the metrics that differ for a query.
	changed map[string]bool
}

// moveSet holds all moves, the most severe first.
type moveSet struct{ all []move }

// moves finds every query and entry that differs from the baseline or errored.
// Of the security corpus it only compares the entries of the common part; the
// others are in the changes of the data.
func moves(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) *moveSet {
	s := &moveSet{all: append(queryMoves(agg, b, part), caseMoves(agg, b)...)}
	judged := make(map[string]bool)
	for _, t := range b.Thresholds.Detectors {
		judged[t.Detector] = true
	}

	for _, d := range agg.Detectors {
		weight := 0.0
		if judged[d.Score.Detector] {
			weight = 1
		}

		before, known := baselineDetector(b, d.Score.Detector)
		if !known {
			s.all = append(s.all, move{Change: contracts.Change{
				Subject: d.Score.Detector, ID: d.Score.Detector, State: contracts.ChangeNew,
				Title: "the detector is not in the baseline",
			}})
			continue
		}

		s.all = append(s.all, entryMoves(d, before, weight, part)...)
	}

	for _, before := range b.PerDetector {
		if _, ok := detector(agg, before.Score.Detector); !ok {
			s.all = append(s.all, move{Change: contracts.Change{
				Subject: before.Score.Detector, ID: before.Score.Detector, State: contracts.ChangeRemoved,
				Title: "the detector was not run",
			}})
		}
	}

	slices.SortStableFunc(s.all, func(a, b move) int {
		return cmp.Or(
			cmp.Compare(slices.Index(summary.States, a.State), slices.Index(summary.States, b.State)),
			cmp.Compare(b.weight, a.weight),
			cmp.Compare(a.Subject, b.Subject),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return s
}

func (s *moveSet) list() []contracts.Change {
	list := make([]contracts.Change, len(s.all))
	for i, m := range s.all {
		list[i] = m.Change
	}
	return list
}

// counts returns the number of moves of each state, including states without a
// move.
func (s *moveSet) counts() map[string]int {
	counts := make(map[string]int)
	for _, state := range summary.States {
		counts[state] = 0
	}
	for _, m := range s.all {
		counts[m.State]++
	}
	return counts
}

// ids lists the moves of one subject that explain a check.
func (s *moveSet) ids(subject string, explains func(move) bool) []string {
	ids := []string{}
	for _, m := range s.all {
		if m.Subject == subject && explains(m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// queryMoves compares each query with the baseline. Its weight is the sum of
// the changes of the judged metrics. A query whose gain in one metric equals
// its loss in another counts as regressed.
func queryMoves(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) []move {
	before := make(map[string]contracts.BaselineQuery, len(b.PerQuery))
	for _, q := range b.PerQuery {
		before[q.ID] = q
	}

	var compared []string
	for _, m := range agg.Retrieval.Metrics {
		if m.Comparison != nil {
			compared = append(compared, m.Metric)
		}
	}

	var found []move
	measured := make(map[string]bool, len(agg.Retrieval.PerQuery))
	for _, q := range agg.Retrieval.PerQuery {
		measured[q.ID] = true
		was, known := before[q.ID]
		m := move{Change: contracts.Change{Subject: Subject, ID: q.ID, Title: q.Query}, changed: make(map[string]bool)}
		if !known || !part.Query(q.ID) {
			m.State = contracts.ChangeNew
			if known {
				m.State = contracts.ChangeEdited
			}

			if q.ErroredRuns > 0 {
				m.State, m.Error = contracts.ChangeErrored, q.Error
			}

			m.follow(q, was.Ranked)
			found = append(found, m)
			continue
		}

		lost, net := false, 0.0
		for _, name := range compared {
			then := was.Metrics[name]
			now := q.Metrics[name]
			if math.Abs(now-then) <= epsilon {
				continue
			}

			m.changed[name] = true
			gain := metrics.Gain(name, then, now)
			lost = lost || gain < 0
			net += gain
		}

		switch {
		case q.ErroredRuns > 0:
			m.State, m.Error = contracts.ChangeErrored, q.Error
		case len(m.changed) == 0:
			continue
		case net < -epsilon || lost && net <= epsilon:
			m.State = contracts.ChangeRegressed
		default:
			m.State = contracts.ChangeFixed
		}

		m.weight = math.Abs(net)
		m.follow(q, was.Ranked)
		found = append(found, m)
	}

	for _, was := range b.PerQuery {
		if !measured[was.ID] {
			found = append(found, move{Change: contracts.Change{Subject: Subject, ID: was.ID,
				State: contracts.ChangeRemoved}})
		}
	}

	return found
}

// follow finds the relevant tool that explains the move, with its ranks before
// and now: the most relevant of the tools whose rank changed in the direction
// of the move or, if there is none, the most relevant tool. Ties are broken by
// the earlier rank.
func (m *move) follow(q contracts.QuerySummary, then []contracts.ToolID) {
	now := make([]contracts.ToolID, 0, len(q.Ranked))
	for _, r := range q.Ranked {
		now = append(now, r.ToolID)
	}

	type candidate struct {
		label         contracts.Label
		before, after int // indexes from 0; a tool out of the list gets a very large one
	}
	const out = math.MaxInt
	place := func(list []contracts.ToolID, tool contracts.ToolID) int {
		if i := slices.Index(list, tool); i >= 0 {
			return i
		}

		return out
	}
	var candidates []candidate
	for _, l := range q.Labels {
		if l.Relevance > 0 {
			candidates = append(candidates, candidate{l, place(then, l.ToolID), place(now, l.ToolID)})
		}
	}

	if len(candidates) == 0 {
		return
	}

	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(b.label.Relevance, a.label.Relevance), cmp.Compare(a.before, b.before),
			cmp.Compare(a.after, b.after), cmp.Compare(a.label.ToolID, b.label.ToolID),
		)
	})
	chosen := slices.IndexFunc(candidates, func(c candidate) bool {
		if m.State == contracts.ChangeFixed {
			return c.after < c.before
		}

		return c.after > c.before
	})
	c := candidates[max(chosen, 0)]
	m.Tool = c.label.ToolID
	if c.before != out {
		rank := c.before + 1
		m.RankBefore = &rank
		if c.before < len(now) && now[c.before] != m.Tool {
			m.ReplacedBy = now[c.before]
		}
	}

	if c.after != out {
		rank := c.after + 1
		m.RankAfter = &rank
	}
}

// entryMoves compares the detector's verdict on each entry with the earlier
// one. An entry on which the detector fails now, in any run, is always listed.
func entryMoves(d contracts.DetectorSummary, then contracts.BaselineDetector, weight float64,
	part overlap.Part) []move {
	before := make(map[string]string)
	for _, id := range then.Flagged {
		before[id] = contracts.VerdictFlagged
	}

	for _, id := range then.Errored {
		before[id] = contracts.VerdictErrored
	}

	var found []move
	for _, e := range d.PerEntry {
		was, ok := before[e.ID]
		if !ok {
			was = contracts.VerdictClean
		}

		state := detection.Changed(was, e)
		if state == "" || state != contracts.ChangeErrored && !part.Entry(e.ID) {
			continue
		}

		m := move{weight: weight, Change: contracts.Change{
			Subject: d.Score.Detector, ID: e.ID, Title: e.Text, State: state, Category: e.Category, Before: was,
			After: e.Verdict, Error: e.Error,
		}}
		found = append(found, m)
	}

	return found
}
