package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// How people read the changes since the baseline. A release often changes one thing in
// every tool of a server, so such a change is said once, below all others.

// common is the number of definitions of a server from which an equal change of them
// is said once.
const common = 3

// sameChange identifies an equal change of a field in several definitions of a server: of
// a list by the members that differ, and of anything else by both values.
type sameChange struct {
	server, pointer, was, now string
}

func sameChangeOf(c *Changed, f *ChangedField) sameChange {
	if members := changedMembers(f.Was, f.Now); members != "" {
		return sameChange{c.key.server, f.Pointer, "", members}
	}
	return sameChange{c.key.server, f.Pointer, f.Was, f.Now}
}

// items lists the changes, the worst first, and then the notes.
func (d *Drift) items() []item {
	var all []*Changed
	for i := range d.Changes {
		all = append(all, &d.Changes[i])
	}

	for i := range d.Notes {
		all = append(all, &d.Notes[i])
	}

	in := map[sameChange][]*Changed{}
	first := map[sameChange]*ChangedField{}
	var order []sameChange
	for _, c := range all {
		for k := range c.Fields {
			same := sameChangeOf(c, &c.Fields[k])
			if len(in[same]) == 0 {
				first[same] = &c.Fields[k]
				order = append(order, same)
			}

			in[same] = append(in[same], c)
		}
	}

	isCommon := func(c *Changed, f *ChangedField) bool { return len(in[sameChangeOf(c, f)]) >= common }
	var out []item
	for _, c := range all {
		if it, ok := c.item(isCommon); ok {
			out = append(out, it)
		}
	}

	slices.SortStableFunc(order, func(a, b sameChange) int {
		return cmp.Or(severityRank[first[b].Severity]-severityRank[first[a].Severity], len(in[b])-len(in[a]))
	})
	for _, same := range order {
		if len(in[same]) >= common {
			out = append(out, commonItem(first[same], in[same]))
		}
	}

	return out
}

// item describes a change by the fields that are not common to several definitions. It
// has none if all are.
func (c *Changed) item(isCommon func(*Changed, *ChangedField) bool) (it item, ok bool) {
	own := *c
	own.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f ChangedField) bool { return isCommon(c, &f) })
	rest := len(c.Fields) - len(own.Fields)
	it.Subject = safetext.Clip(c.Item, 2*safetext.MaxName)
	switch {
	case len(own.Fields) == 0 && rest > 0:
		return item{}, false
	case len(own.Fields)+rest < 2:
		it.Text = own.text()
		return it, true
	}

	slices.SortStableFunc(own.Fields, func(a, b ChangedField) int {
		return severityRank[b.Severity] - severityRank[a.Severity]
	})
	it.Text = fmt.Sprintf("%s: differs from its approved definition", c.Severity)
	for i, f := range own.Fields {
		if i == maxFields {
			it.Lines = append(it.Lines,
				fmt.Sprintf("and %d more fields; the JSON output lists all of them", len(own.Fields)-i))
			break
		}

		it.Lines = append(it.Lines, f.text())
	}

	if rest > 0 {
		it.Lines = append(it.Lines, english.Plural(rest, "change", "")+" that other definitions share, below")
	}

	return it, true
}

// commonItem describes a change that several definitions of a server share.
func commonItem(f *ChangedField, all []*Changed) item {
	const named = 4
	var names []string
	for _, c := range all[:min(named, len(all))] {
		names = append(names, safetext.Clip(c.key.tool, safetext.MaxName))
	}

	list := strings.Join(names, ", ")
	if n := len(all) - named; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}

	return item{
		Subject: safetext.Clip(all[0].key.server, safetext.MaxName),
		Text:    fmt.Sprintf("%s: the same change in %d definitions", f.Severity, len(all)),
		Lines:   []string{f.text(), list},
	}
}

// text describes the change of a field.
func (f *ChangedField) text() string {
	return fmt.Sprintf("%s: %s (%s): %s", safetext.Clip(f.Pointer, maxPointer), f.Why, f.Severity, f.Words)
}
