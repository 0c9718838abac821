package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// summary describes in one or two lines what was scanned and found.
func (r *Result) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s of %s scanned with %s", r.Scanned(), english.Plural(len(r.Servers), "server", ""),
		english.Plural(len(r.Checks), "check", ""))
	if len(r.Findings) == 0 {
		b.WriteString(": nothing found")
	} else {
		fmt.Fprintf(&b, ": %d flagged (%s), risk %d of 100", len(r.Findings),
			bySeverity(r.Findings, func(f Finding) scanner.Severity { return f.Severity }), r.RiskScore)
	}

	if r.Drift.Any() {
		fmt.Fprintf(&b, "; %s since the baseline (%s)", english.Plural(len(r.Drift.Changes), "change", ""),
			bySeverity(r.Drift.Changes, func(c Changed) scanner.Severity { return c.Severity }))
	}

	if n := len(r.Suppressed); n > 0 {
		fmt.Fprintf(&b, "; %s suppressed", english.Plural(n, "signal", ""))
	}

	if !r.Complete() {
		b.WriteString("; NOT EVERYTHING WAS SCANNED")
	}

	return b.String()
}

// Scanned says how much was scanned, such as "3 tools and 1 prompt". Most servers have
// only tools.
func (r *Result) Scanned() string {
	var all ServerCount
	instructions := 0
	for _, s := range r.Servers {
		all.Tools += s.Tools
		all.Prompts += s.Prompts
		all.Resources += s.Resources
		if s.Instructions {
			instructions++
		}
	}

	list := []string{english.Plural(all.Tools, "tool", "")}
	if all.Prompts > 0 {
		list = append(list, english.Plural(all.Prompts, "prompt", ""))
	}

	if all.Resources > 0 {
		list = append(list, english.Plural(all.Resources, "resource", ""))
	}

	if instructions > 0 {
		list = append(list, "the instructions")
	}

	if n := len(list) - 1; n > 0 {
		return strings.Join(list[:n], ", ") + " and " + list[n]
	}

	return list[0]
}

// bySeverity counts a list by severity, such as "1 high, 2 low".
func bySeverity[T any](list []T, of func(T) scanner.Severity) string {
	var parts []string
	for _, s := range []scanner.Severity{scanner.SeverityCritical, scanner.SeverityHigh, scanner.SeverityMedium,
		scanner.SeverityLow} {
		n := 0
		for _, e := range list {
			if of(e) == s {
				n++
			}
		}

		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}

	return strings.Join(parts, ", ")
}

// section is one of the lists below the findings. It is the same in the table,
// Markdown and HTML formats.
type section struct {
	Title string
	Items []item
}

// item is an entry of a section. Subject is untrusted text, and Text may quote
// untrusted text. Below them stand Lines, or what a server printed, line by line. Each
// format escapes all of them.
type item struct {
	Subject, Text string
	Lines         []string
	Output        []string
}

// maxItems limits the items shown in a section; the JSON output lists all.
const maxItems = 50

func (r *Result) sections() []section {
	var list []section
	add := func(title string, items []item) {
		if len(items) == 0 {
			return
		}

		if n := len(items) - maxItems; n > 0 {
			items = append(items[:maxItems:maxItems],
				item{Text: fmt.Sprintf("and %d more; the JSON output lists all of them", n)})
		}

		list = append(list, section{title, items})
	}
	if len(r.Read) > 0 { // all of them, since somebody asked
		list = append(list, section{r.readTitle(), listedItems(r.Read)})
	}

	add("Not scanned", unscannedItems(r.Unscanned))
	var items []item
	for _, t := range r.Incomplete {
		items = append(items, item{Subject: safetext.Clip(t.Server, safetext.MaxName) + ":" +
			safetext.Clip(t.Tool, safetext.MaxName), Text: t.reasons()})
	}

	add("Scanned in part", items)
	items = nil
	for _, s := range r.Suppressed {
		until := ""
		if s.Expires != "" {
			until = " (until " + s.Expires + ")"
		}

		items = append(items, item{Subject: safetext.Clip(s.Server, safetext.MaxName) + ":" +
			safetext.Clip(s.Tool, safetext.MaxName), Text: fmt.Sprintf("%s: %s%s. Evidence: %s", s.Signal.CheckID,
			s.Reason, until, s.Signal.Evidence)})
	}

	add("Suppressed", items)
	items = nil
	for _, s := range r.Expired {
		items = append(items, item{Subject: s.Tool,
			Text: fmt.Sprintf("%s expired on %s and has no effect (%s); renew or remove it", s.Check, s.Expires,
				s.Place)})
	}

	add("Expired suppressions", items)
	items = nil
	for _, s := range r.Unused {
		items = append(items, item{Subject: s.Tool,
			Text: fmt.Sprintf("%s has no signal to suppress (%s); remove it", s.Check, s.Place)})
	}

	add("Unused suppressions", items)
	if r.Drift != nil {
		add("Against the baseline", r.Drift.items())
	}

	items = nil
	for _, n := range r.Notes {
		items = append(items, item{Subject: safetext.Name(n.Server) + ":" + safetext.Name(n.Tool), Text: n.text()})
	}

	add("Notes", items)
	add("Passed over", passedOver(r.PassedOver))
	return list
}

// maxAlike is the number of things passed over for one reason that have a line each.
const maxAlike = 2

// passedOver has a line for each reason, however many files or servers have it.
func passedOver(all []input.PassedOver) []item {
	of := map[string][]input.PassedOver{}
	var order []string
	for _, p := range all {
		group := cmp.Or(p.Group, p.Reason)
		if len(of[group]) == 0 {
			order = append(order, group)
		}

		of[group] = append(of[group], p)
	}

	var items []item
	for _, group := range order {
		same := of[group]
		if len(same) <= maxAlike {
			for _, p := range same {
				items = append(items, item{Subject: p.Path, Text: p.Reason})
			}

			continue
		}

		var paths []string
		for _, p := range same {
			if len(paths) == 0 || paths[len(paths)-1] != p.Path {
				paths = append(paths, p.Path)
			}
		}

		const shown = 3
		text := fmt.Sprintf("%d%s, in %s", len(same), serverNames(same),
			strings.Join(paths[:min(shown, len(paths))], ", "))
		if n := len(paths) - shown; n > 0 {
			text += fmt.Sprintf(" and %d more; the JSON output lists all of them", n)
		}

		items = append(items, item{Subject: group, Text: text})
	}

	return items
}

// maxNames bounds the length of the names of servers in one line, in bytes.
const maxNames = 400

// serverNames lists the names of the servers that were passed over, in brackets, or is
// empty if they are no servers.
func serverNames(same []input.PassedOver) string {
	var names []string
	size := 0
	for i, p := range same {
		if p.Name == "" {
			return ""
		}

		name := safetext.Clip(p.Name, safetext.MaxName)
		if size += len(name) + 2; size > maxNames && i > 0 {
			names = append(names, fmt.Sprintf("and %d more", len(same)-i))
			break
		}

		names = append(names, name)
	}

	return " (" + strings.Join(names, ", ") + ")"
}

func (n *Note) text() string { return n.Reason + ": " + placesText(n.Places) }

// maxPlaces limits the places shown for one tool.
const maxPlaces = 10

func placesText(places []input.Place) string {
	var texts []string
	for i, p := range places {
		if i == maxPlaces {
			texts = append(texts, fmt.Sprintf("and %d more", len(places)-i))
			break
		}
		texts = append(texts, p.String())
	}
	return strings.Join(texts, ", ")
}
