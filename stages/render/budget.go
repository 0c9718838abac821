package render

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
)

// sentences is the room reserved for the sentences about omissions.
const sentences = 2000

// embed fits the data of a report into room bytes, normally all of it.
// Otherwise it shortens texts and lists, those of unmoved queries first,
// longest first. If that is not enough, it leaves queries and moves out, from
// the end of the list. The page states what was done.
func embed(r *contracts.Report, room int) (embedded, error) {
	moves := r.Gate.Changes
	queries := sortedQueries(r.Aggregate.Retrieval.PerQuery, moves)
	room -= sentences
	// Usually the first attempt fits. If the names of tools alone take half of
	// the room, all rows start with less detail, then there are fewer rows.
	for level, nq, nm := 0, len(queries), len(moves); ; {
		s := selection{queries: queries[:nq], moves: moves[:nm], level: level}
		fits, err := s.fill(r, room)
		if err != nil {
			return embedded{}, err
		}

		switch {
		case fits:
			return s.embed(len(queries), len(moves))
		case level < len(details)-1:
			level++
		case nq+nm > 0:
			nq, nm = nq/2, nm/2
		default:
			return embedded{}, fmt.Errorf("report.html would be larger than %d bytes even without queries: there "+
				"are too many security entries, detectors or checks to show", pageBudget)
		}
	}
}

// selection is the content of the page.
type selection struct {
	queries []query
	moves   []contracts.Change
	level   int // of details, at which rows start

	head       head
	tools      toolTable
	rows       []*row // of queries
	moveRows   []*row
	size, base int // bytes of rows, bytes of the head
}

// fill renders all rows and makes them fit. It reports false if the head, which
// holds the names of the tools, leaves too little room for them.
func (s *selection) fill(r *contracts.Report, room int) (bool, error) {
	s.tools = toolTable{most: details[s.level].tool, names: []string{}, numbers: make(map[string]int)}
	s.head = head{Runs: r.Aggregate.Retrieval.Runs, States: summary.States, Metrics: []string{}, Cut: []string{}}
	for _, m := range shownPerQuery {
		s.head.Metrics = append(s.head.Metrics, m.Label)
	}

	if err := s.head.addDetectors(r.Aggregate.Detectors); err != nil {
		return false, err
	}

	s.head.Opened = openedDetector(r)
	place := make(map[string]int, len(s.queries))
	for i := range s.queries {
		place[s.queries[i].ID] = i
		s.rows = append(s.rows, queryRow(s.queries[i], &s.tools))
	}

	s.head.addParts(r, place)
	for _, m := range s.moves {
		at, q := -1, (*query)(nil)
		if n, ok := place[m.ID]; ok && m.Subject == summary.Retrieval {
			at, q = n, &s.queries[n]
		}

		s.moveRows = append(s.moveRows, moveRow(m, at, q, &s.tools))
	}

	for _, row := range slices.Concat(s.rows, s.moveRows) {
		if err := row.render(details[s.level]); err != nil {
			return false, err
		}

		s.size += len(row.line) + 1
	}

	s.head.Tools, s.head.Flags = s.tools.names, s.flags()
	data, err := scriptSafeJSON(s.head)
	if err != nil {
		return false, err
	}

	if len(data)+s.size > room && len(s.head.Parts) > 0 {
		s.head.dropParts()
		if data, err = scriptSafeJSON(s.head); err != nil {
			return false, err
		}
	}

	s.base = len(data)
	if s.base+s.size <= room {
		return true, nil
	}

	if s.base > room/2 {
		return false, nil
	}

	if err := s.shrink(room - s.base); err != nil {
		return false, err
	}

	s.drop(room - s.base)
	return true, nil
}

// shrink shortens rows until they take at most room bytes: the least important
// first, one level of detail at a time, the longest first.
func (s *selection) shrink(room int) error {
	for weight := unmoved; weight <= move; weight++ {
		var rows []*row
		for _, row := range slices.Concat(s.rows, s.moveRows) {
			if row.weight == weight {
				rows = append(rows, row)
			}
		}

		for _, d := range details[s.level+1:] {
			slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Compare(len(b.line), len(a.line)) })
			for _, row := range rows {
				if s.size <= room {
					return nil
				}

				before := len(row.line)
				if err := row.render(d); err != nil {
					return err
				}

				s.size += len(row.line) - before
			}
		}
	}

	return nil
}

// drop removes rows until the others take at most room bytes: first unmoved
// queries, then queries or moves, whichever take more.
func (s *selection) drop(room int) {
	inMoves := 0
	for _, row := range s.moveRows {
		inMoves += len(row.line) + 1
	}

	for s.size > room {
		from := &s.moveRows
		if n := len(s.rows); n > 0 && (s.rows[n-1].weight == unmoved || s.size-inMoves >= inMoves) {
			from = &s.rows
		}

		last := (*from)[len(*from)-1]
		*from = (*from)[:len(*from)-1]
		s.size -= len(last.line) + 1
		if last.weight == move {
			inMoves -= len(last.line) + 1
		}
	}
}

func (s *selection) flags() string {
	flags := make([]byte, len(s.rows))
	for i, row := range s.rows {
		flags[i] = '0' + byte(row.flags)
	}
	return string(flags)
}

// embed records what is missing, given the numbers of queries and moves, and
// encodes.
func (s *selection) embed(queries, moves int) (embedded, error) {
	s.head.Flags = s.flags()
	say := func(n, all int, what, how string) {
		if n > 0 {
			s.head.Cut = append(s.head.Cut,
				fmt.Sprintf("%d of %d %s are %s; report.json has them in full.", n, all, what, how))
		}
	}
	say(queries-len(s.rows), queries, "queries", "left out of this page, well-answered ones first")
	say(moves-len(s.moveRows), moves, "changes", "left out of this page, from the end of the list")
	say(shortened(s.rows), queries, "queries",
		"shortened in this page (texts, labels or ranked lists); the search finds only the text that is left")
	say(shortened(s.moveRows), moves, "changes", "shortened in this page")
	say(s.tools.cut, len(s.tools.names), "names of tools", fmt.Sprintf("shortened to %d characters", s.tools.most))
	data, err := scriptSafeJSON(s.head)
	return embedded{Head: data, Changes: lines(s.moveRows), Queries: lines(s.rows)}, err
}

func shortened(rows []*row) int {
	n := 0
	for _, row := range rows {
		if !row.whole {
			n++
		}
	}
	return n
}

func lines(rows []*row) []byte {
	all := make([][]byte, len(rows))
	for i, row := range rows {
		all[i] = row.line
	}
	return bytes.Join(all, []byte("\n"))
}
