package refreshcorpus

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

// Migration is a golden set for another version of its corpus, with a list of
// what a person has to review. Carried counts labels whose tool still exists
// under its id. Followed counts labels that followed a sure rename.
type Migration struct {
	Golden   contracts.GoldenSet `json:"-"`
	Version  string              `json:"version"`
	From     string              `json:"from"` // versions of the corpus
	To       string              `json:"to"`
	Queries  int                 `json:"queries"`
	Carried  int                 `json:"carried"`
	Followed int                 `json:"followed"`
	Work     []Work              `json:"work"`
	// Unlabelled lists the tools that only the new corpus has. No label names
	// them, so they count as irrelevant for every query.
	Unlabelled []string `json:"unlabelled"`
}

// Work is one item to review. ToolID is empty if the item concerns the whole
// query.
type Work struct {
	Query      string      `json:"query"` // id
	Text       string      `json:"text"`
	Kind       string      `json:"kind"`
	ToolID     string      `json:"tool_id"`
	Relevance  int         `json:"relevance"`
	What       string      `json:"what"`
	Candidates []Candidate `json:"candidates"`
}

// Candidate is a tool that may replace a missing one.
type Candidate struct {
	ToolID     string  `json:"tool_id"`
	Similarity float64 `json:"similarity"`
}

// Kinds of work.
const (
	// WorkChanged means that the label was kept, but its tool changed.
	WorkChanged = "changed"
	// WorkGone means that the label was dropped, because its tool is gone.
	WorkGone = "gone"
	// WorkLeftOut means that the query was left out of the set.
	WorkLeftOut = "left_out"
	// WorkNote means that a near-duplicate named in the notes is gone. The
	// remark was removed from the notes.
	WorkNote = "note"
)

// MigrateOptions are the options of Migrate.
type MigrateOptions struct {
	// Version is the version of the new set; empty means the one after the
	// version of the old set.
	Version string
	// Date is the date of the migration, as 2006-01-02.
	Date string
}

// Migrate migrates the labels of a golden set from one corpus to another. The
// result is valid for the new corpus: a query that would not be valid is left
// out, and the list of work has the reason.
func Migrate(golden contracts.GoldenSet, before, after contracts.Corpus, o MigrateOptions) (*Migration, error) {
	if golden.CorpusVersion != before.Version {
		return nil, &usageError{fmt.Sprintf("the golden set is labelled for corpus %q, but the first corpus is %q; "+
			"give the corpus of the golden set", golden.CorpusVersion, before.Version)}
	}

	version := o.Version
	if version == "" {
		n, ok := number(golden.Version)
		if !ok {
			return nil, &usageError{fmt.Sprintf("cannot derive a version that follows version %q of the golden set; "+
				"give one with --version", golden.Version)}
		}

		version = fmt.Sprintf("v%d", n+1)
	}

	d := Compare(before, after)
	m := &migrator{diff: d, renamed: map[string]Rename{}, changed: map[string]Change{}, now: byID(after),
		old: byID(before)}
	for _, r := range d.Renamed {
		m.renamed[r.From] = r
	}

	for _, c := range d.Changed {
		m.changed[c.ToolID] = c.Change
	}

	for i := range after.Tools {
		if m.old[after.Tools[i].ToolID] == nil {
			m.fresh = append(m.fresh, featuresOf(&after.Tools[i]))
		}
	}

	m.out = Migration{Version: version, From: before.Version, To: after.Version, Work: []Work{}, Unlabelled: []string{}}
	m.out.Unlabelled = append(m.out.Unlabelled, d.Added...)
	for _, r := range d.Renamed {
		if !r.Sure {
			m.out.Unlabelled = append(m.out.Unlabelled, r.To)
		}
	}

	slices.Sort(m.out.Unlabelled)
	from := contracts.GeneratedFrom{Source: "migrated", Date: o.Date}
	if golden.GeneratedFrom != nil {
		from = *golden.GeneratedFrom
		from.Date = o.Date
	}

	from.Note = strings.TrimSpace(fmt.Sprintf("%s Migrated from golden set %s over corpus %s.", from.Note,
		golden.Version, before.Version))
	m.out.Golden = contracts.GoldenSet{Version: version, CorpusVersion: after.Version, GeneratedFrom: &from,
		TestShare: golden.TestShare}
	for i := range golden.Queries {
		m.query(&golden.Queries[i])
	}

	if err := m.leaveOutInvalid(golden, after); err != nil {
		return nil, err
	}

	m.out.Queries = len(m.out.Golden.Queries)
	return &m.out, nil
}

type migrator struct {
	diff     Diff
	renamed  map[string]Rename
	changed  map[string]Change
	old, now map[string]*contracts.Tool
	fresh    []features
	out      Migration
}

func (m *migrator) work(q *contracts.Query, w Work) {
	w.Query, w.Text = q.ID, q.Query
	if w.Candidates == nil {
		w.Candidates = []Candidate{}
	}
	m.out.Work = append(m.out.Work, w)
}

// query migrates the labels of one query.
func (m *migrator) query(q *contracts.Query) {
	next := *q
	next.Labels = nil
	relevant := false
	for _, l := range q.Labels {
		id, kept := m.label(q, l)
		if !kept {
			continue
		}

		if slices.ContainsFunc(next.Labels, func(o contracts.Label) bool { return o.ToolID == id }) {
			continue // another label covers this tool
		}

		relevant = relevant || l.Relevance > 0
		next.Labels = append(next.Labels, contracts.Label{ToolID: id, Relevance: l.Relevance})
	}

	if !relevant && q.Answerable() {
		m.work(q, Work{Kind: WorkLeftOut, What: "no relevant tool is left; label another one, or drop the query"})
		return
	}

	next.Notes = m.notes(q)
	m.out.Golden.Queries = append(m.out.Golden.Queries, next)
}

// label finds the tool of a label in the new corpus.
func (m *migrator) label(q *contracts.Query, l contracts.Label) (id string, kept bool) {
	work := Work{ToolID: l.ToolID, Relevance: l.Relevance}
	if m.now[l.ToolID] != nil {
		m.out.Carried++
		if c, ok := m.changed[l.ToolID]; ok && c.Description != nil {
			work.Kind, work.What = WorkChanged, "its description changed; check that the label still holds"
			m.work(q, work)
		}

		return l.ToolID, true
	}

	r, ok := m.renamed[l.ToolID]
	if ok && r.Sure {
		m.out.Followed++
		if r.Description != nil {
			work.Kind, work.What = WorkChanged, fmt.Sprintf("it was renamed to %s and its description changed; "+
				"check that the label still holds", r.To)
			m.work(q, work)
		}

		return r.To, true
	}

	work.Kind, work.What = WorkGone, "the tool is gone; label the tool that serves the query now"
	work.Candidates = m.candidates(l.ToolID)
	m.work(q, work)
	return "", false
}

// maxCandidates is the number of tools that a work item suggests.
const maxCandidates = 3

// candidates returns the new tools that are most similar to a missing one.
func (m *migrator) candidates(id string) []Candidate {
	list := []Candidate{}
	old := m.old[id]
	if old == nil {
		return list
	}

	f := featuresOf(old)
	for i := range m.fresh {
		if s := similarity(&f, &m.fresh[i]); s >= 0.3 {
			list = append(list, Candidate{m.fresh[i].tool.ToolID, s})
		}
	}

	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.ToolID, b.ToolID))
	})
	return list[:min(len(list), maxCandidates)]
}

// nearDuplicate marks a hard negative in the notes.
const nearDuplicate = "near-dup of "

// notes migrates the remark on a near-duplicate. A note names the tool after
// "near-dup of", up to a comma, a semicolon or white space.
func (m *migrator) notes(q *contracts.Query) string {
	head, rest, ok := strings.Cut(q.Notes, nearDuplicate)
	if !ok {
		return q.Notes
	}

	id := ""
	for known := range m.old {
		if after, found := strings.CutPrefix(rest, known); found && len(known) > len(id) &&
			(after == "" || strings.ContainsAny(after[:1], ",;. \t\n")) {
			id = known
		}
	}

	switch r, renamed := m.renamed[id]; {
	case id == "" || m.now[id] != nil:
		return q.Notes
	case renamed && r.Sure:
		return head + nearDuplicate + r.To + rest[len(id):]
	}

	m.work(q, Work{Kind: WorkNote, ToolID: id, Candidates: m.candidates(id),
		What: "the near-duplicate that makes this query hard is gone; name another one in the notes, or the query " +
			"is no longer hard"})
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(head), "hard-negative:") +
		strings.TrimLeft(rest[len(id):], ",;. "))
}

// leaveOutInvalid removes the queries that validate-datasets would refuse, such
// as one that contains the new name of its tool.
func (m *migrator) leaveOutInvalid(golden contracts.GoldenSet, after contracts.Corpus) error {
	original := map[string]*contracts.Query{}
	for i := range golden.Queries {
		original[golden.Queries[i].ID] = &golden.Queries[i]
	}

	var whole []string
	invalid := map[string]bool{}
	for _, p := range validation.CheckGolden(m.out.Golden, after) {
		q := original[p.Entry]
		if q == nil {
			whole = append(whole, p.Message+"; "+p.Remedy)
			continue
		}

		invalid[q.ID] = true
		m.work(q, Work{Kind: WorkLeftOut, What: p.Message + "; " + p.Remedy})
	}

	if len(whole) > 0 {
		return fmt.Errorf("the golden set cannot be migrated: %s", strings.Join(whole, "; "))
	}

	m.out.Golden.Queries = slices.DeleteFunc(m.out.Golden.Queries,
		func(q contracts.Query) bool { return invalid[q.ID] })
	if len(m.out.Golden.Queries) == 0 {
		return fmt.Errorf("no query is left: corpus %s has none of the labelled tools; label a new set", after.Version)
	}

	return nil
}

// WriteGolden writes the new set to path, which must not exist.
func (m *Migration) WriteGolden(path string) error { return writeNew(path, m.Golden) }

// Write prints the list of work for a person.
func (m *Migration) Write(w io.Writer) {
	fmt.Fprintf(w, "golden set %s over corpus %s: %d queries, %d labels carried over, %d followed a rename\n",
		safetext.Visible(m.Version), safetext.Visible(m.To), m.Queries, m.Carried, m.Followed)
	for _, x := range m.Work {
		fmt.Fprintf(w, "%-9s %s: ", x.Kind, safetext.Visible(x.Query))
		if x.ToolID != "" {
			fmt.Fprintf(w, "%s: ", safetext.Visible(x.ToolID))
		}

		fmt.Fprintf(w, "%s\n          %s\n", safetext.Visible(x.What), excerpt(x.Text))
		for _, c := range x.Candidates {
			fmt.Fprintf(w, "          perhaps %s (similarity %.2f)\n", safetext.Visible(c.ToolID), c.Similarity)
		}
	}

	if len(m.Work) == 0 {
		fmt.Fprintln(w, "no label needs review")
	}

	if n := len(m.Unlabelled); n > 0 {
		fmt.Fprintf(w, "%d new tools have no label, so they count as irrelevant; check whether one of them serves a "+
			"query\n", n)
	}
}
