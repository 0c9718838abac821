package report

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Drift lists the differences from the baseline, as "server:label", sorted. The
// rug pull check decides whether the sentences of a change are an attack.
type Drift struct {
	Approved int      `json:"approved"`
	New      []string `json:"new"`
	Changed  []string `json:"changed"`
	Gone     []string `json:"gone"`
	// Changes are those of the definitions in Changed, field by field, and one for
	// each definition that is new or gone.
	Changes []Changed `json:"changes"`
	// Notes are differences that need no approval: the version of a server or of JSON Schema.
	Notes []Changed `json:"notes"`
}

// Changed is a definition that differs from the approved one. Severity is that of its
// worst field. Fields is empty for one that is new or gone.
type Changed struct {
	Item     string           `json:"item"` // "server:label"
	Severity scanner.Severity `json:"severity"`
	Why      string           `json:"why"`
	Fields   []ChangedField   `json:"fields"`
	key      toolName
	places   []input.Place // where it is now
}

// ChangedField is a field that differs. Words are the words around the difference,
// with those that are gone as [-words-] and those that are new as {+words+}.
type ChangedField struct {
	scanner.Change
	Words string `json:"words"`
}

// Any reports whether anything differs.
func (d *Drift) Any() bool { return d != nil && len(d.Changes) > 0 }

// sameServers returns an error if the scan has no server of the baseline. Nothing could
// be compared then: the servers most likely have other names, which come from the paths
// of the files.
func sameServers(tools, approved []*scanner.Tool) error {
	of := func(tools []*scanner.Tool) (names []string) {
		for i := range tools {
			names = append(names, tools[i].Server)
		}

		slices.Sort(names)
		return slices.Compact(names)
	}
	now, before := of(tools), of(approved)
	if len(now) == 0 || len(before) == 0 ||
		slices.ContainsFunc(now, func(s string) bool { return slices.Contains(before, s) }) {
		return nil
	}

	quoted := func(names []string) string {
		var list []string
		for i, s := range names {
			if i == 3 {
				list = append(list, fmt.Sprintf("%d more", len(names)-i))
				break
			}

			list = append(list, strconv.Quote(safetext.Clip(s, safetext.MaxName)))
		}

		return strings.Join(list, ", ")
	}
	remedy := "scan from the directory in which it was pinned, or name the server with --server"
	for _, b := range before {
		for _, n := range now {
			if path.Base(b) == path.Base(n) {
				remedy = fmt.Sprintf("did you mean %q? Scan from the directory in which it was pinned, or give "+
					"--server %s", safetext.Clip(b, safetext.MaxName), safetext.Visible(b))
			}
		}
	}

	return fmt.Errorf("the baseline has no server of this scan, so nothing can be compared: it approves %s, and the "+
		"scan has %s: %s", quoted(before), quoted(now), remedy)
}

func drift(tools, approved []*scanner.Tool) *Drift {
	d := &Drift{Approved: len(approved), New: []string{}, Changed: []string{}, Gone: []string{}, Changes: []Changed{},
		Notes: []Changed{}}
	before := make(map[toolName]*scanner.Tool, len(approved))
	for i := range approved {
		before[toolName{approved[i].Server, approved[i].Label()}] = approved[i]
	}

	now := make(map[toolName]bool, len(tools))
	for i := range tools {
		t := tools[i]
		key := toolName{t.Server, t.Label()}
		now[key] = true
		was := before[key]
		if was == nil {
			d.New = append(d.New, key.String())
			d.Changes = append(d.Changes,
				Changed{key.String(), scanner.SeverityMedium, "it is not approved", []ChangedField{}, key, nil})
			continue
		}

		c := changed(key, *was, *t)
		switch {
		case len(c.Fields) == 0:
		case c.Severity == scanner.SeverityNone:
			d.Notes = append(d.Notes, c)
		default:
			d.Changed = append(d.Changed, key.String())
			d.Changes = append(d.Changes, c)
		}
	}

	for key := range before {
		if !now[key] {
			d.Gone = append(d.Gone, key.String())
			d.Changes = append(d.Changes,
				Changed{key.String(), scanner.SeverityLow, "it is approved but was not found", []ChangedField{}, key,
					nil})
		}
	}

	slices.SortStableFunc(d.Notes, func(a, b Changed) int { return strings.Compare(a.Item, b.Item) })
	for _, list := range []*[]string{&d.New, &d.Changed, &d.Gone} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}

	d.sortChanges()
	return d
}

// sortChanges puts the worst changes first.
func (d *Drift) sortChanges() {
	slices.SortStableFunc(d.Changes, func(a, b Changed) int {
		return cmp.Or(cmp.Compare(severityRank[b.Severity], severityRank[a.Severity]), strings.Compare(a.Item, b.Item))
	})
}

// raiseChanges makes the change of a field as severe as a hard finding about the same
// field: nobody should read of the two that it is harmless.
func (r *Result) raiseChanges() {
	for i := range r.Findings {
		f := &r.Findings[i]
		c := r.changeOf(toolName{f.Server, f.Label()})
		if c == nil {
			continue
		}

		for k := range c.Fields {
			field := &c.Fields[k]
			hard := slices.ContainsFunc(f.Signals, func(s scanner.Signal) bool {
				rest, within := strings.CutPrefix(s.Pointer, field.Pointer)
				return s.Tier == scanner.TierHard && within && (rest == "" || rest[0] == '/')
			})
			if !hard || severityRank[field.Severity] >= severityRank[scanner.SeverityHigh] {
				continue
			}

			field.Severity, field.Why = scanner.SeverityHigh, field.Why+", with a hard signal"
			if severityRank[c.Severity] < severityRank[field.Severity] {
				c.Severity, c.Why = field.Severity, field.Why
			}
		}
	}

	r.Drift.sortChanges()
}

func (n toolName) String() string { return n.server + ":" + n.tool }

func changed(key toolName, was, now scanner.Tool) Changed {
	c := Changed{Item: key.String(), Severity: scanner.SeverityNone, Fields: []ChangedField{}, key: key}
	for _, f := range scanner.Diff(was, now) {
		c.Fields = append(c.Fields, ChangedField{f, cmp.Or(changedMembers(f.Was, f.Now), changedWords(f.Was, f.Now))})
		if severityRank[f.Severity] > severityRank[c.Severity] {
			c.Severity, c.Why = f.Severity, f.Why
		}
	}
	return c
}

// changeCheck is the check whose signals are about a change.
const changeCheck = "rugpull.change"

// changeOf returns the change of a definition, or nil.
func (r *Result) changeOf(key toolName) *Changed {
	if r.Drift == nil {
		return nil
	}
	for i := range r.Drift.Changes {
		if r.Drift.Changes[i].key == key {
			return &r.Drift.Changes[i]
		}
	}
	return nil
}

// withChange returns a signal of a finding with its severity. That of a change is at
// least as severe as the worst changed field, and shows it.
func (r *Result) withChange(f *Finding, s scanner.Signal) (scanner.Signal, scanner.Severity) {
	c := r.changeOf(toolName{f.Server, f.Label()})
	if s.CheckID != changeCheck || c == nil || severityRank[c.Severity] < severityRank[f.Severity] ||
		len(c.Fields) == 0 {
		return s, f.Severity
	}

	worst := &c.Fields[0]
	for i := range c.Fields {
		if severityRank[c.Fields[i].Severity] > severityRank[worst.Severity] {
			worst = &c.Fields[i]
		}
	}

	if s.Tier != scanner.TierHard {
		s.Pointer, s.Evidence, s.Words = worst.Pointer, worst.Words, [2]int{}
		s.Detail += ": " + worst.Why
	}

	return s, c.Severity
}

// text describes a change for a person, in one line.
func (c *Changed) text() string {
	if len(c.Fields) == 0 {
		return fmt.Sprintf("%s: %s", c.Severity, c.Why)
	}

	var fields []string
	for i, f := range c.Fields {
		if i == maxFields {
			fields = append(fields, fmt.Sprintf("and %d more fields", len(c.Fields)-i))
			break
		}

		fields = append(fields, f.text())
	}

	return fmt.Sprintf("%s: differs from its approved definition: %s", c.Severity, strings.Join(fields, "; "))
}

// maxFields limits the fields of a change that are shown to people.
const maxFields = 10
