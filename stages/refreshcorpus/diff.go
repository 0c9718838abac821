package refreshcorpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// Diff is the difference between two corpora. Lists are sorted by tool id, the
// list of renamed tools by the old id.
type Diff struct {
	From      string         `json:"from"` // versions
	To        string         `json:"to"`
	Before    int            `json:"before"` // tools
	After     int            `json:"after"`
	Servers   []ServerChange `json:"servers"`
	Added     []string       `json:"added"`
	Removed   []string       `json:"removed"`
	Renamed   []Rename       `json:"renamed"`
	Changed   []ToolChange   `json:"changed"`
	Unchanged int            `json:"unchanged"`
}

// ServerChange is a server whose version changed. A version is empty if the
// corpus does not have the server or does not record its version.
type ServerChange struct {
	Server string `json:"server"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Rename pairs a removed tool with an added one that is probably the same. Sure
// is set if no other tool comes close.
type Rename struct {
	From       string  `json:"from"`
	To         string  `json:"to"`
	Similarity float64 `json:"similarity"`
	Sure       bool    `json:"sure"`
	Change
}

// ToolChange is a tool of both corpora that changed.
type ToolChange struct {
	ToolID string `json:"tool_id"`
	Change
}

// Change says what changed in a tool. A part is nil if it did not change.
type Change struct {
	Description *TextChange   `json:"description"`
	Schema      *SchemaChange `json:"schema"`
	// OutputSchema and Annotations report whether these parts changed.
	OutputSchema bool `json:"output_schema"`
	Annotations  bool `json:"annotations"`
}

// TextChange is a text before and after the change.
type TextChange struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// SchemaChange names the parameters that differ. Else is set if something other
// than the parameters differs, such as which of them are required.
type SchemaChange struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
	Else    bool     `json:"else"`
}

func (c Change) none() bool {
	return c.Description == nil && c.Schema == nil && !c.OutputSchema && !c.Annotations
}

// Compare returns the difference between two corpora.
func Compare(before, after contracts.Corpus) Diff {
	d := Diff{
		From: before.Version, To: after.Version, Before: len(before.Tools), After: len(after.Tools),
		Servers: serverChanges(before, after), Added: []string{}, Removed: []string{}, Renamed: []Rename{},
		Changed: []ToolChange{},
	}
	old := byID(before)
	var gone, fresh []features
	for i := range after.Tools {
		t := &after.Tools[i]
		was := old[t.ToolID]
		if was == nil {
			fresh = append(fresh, featuresOf(t))
			continue
		}

		if c := changeOf(was, t); c.none() {
			d.Unchanged++
		} else {
			d.Changed = append(d.Changed, ToolChange{t.ToolID, c})
		}
	}

	now := byID(after)
	for i := range before.Tools {
		if t := &before.Tools[i]; now[t.ToolID] == nil {
			gone = append(gone, featuresOf(t))
		}
	}

	pairs, sure := match(gone, fresh)
	renamedFrom, renamedTo := map[int]bool{}, map[int]bool{}
	for i, p := range pairs {
		renamedFrom[p.from], renamedTo[p.to] = true, true
		from, to := gone[p.from].tool, fresh[p.to].tool
		d.Renamed = append(d.Renamed, Rename{from.ToolID, to.ToolID, p.similarity, sure[i], changeOf(from, to)})
	}

	for i, f := range gone {
		if !renamedFrom[i] {
			d.Removed = append(d.Removed, f.tool.ToolID)
		}
	}

	for i, f := range fresh {
		if !renamedTo[i] {
			d.Added = append(d.Added, f.tool.ToolID)
		}
	}

	slices.Sort(d.Added)
	slices.Sort(d.Removed)
	slices.SortFunc(d.Renamed, func(a, b Rename) int { return strings.Compare(a.From, b.From) })
	slices.SortFunc(d.Changed, func(a, b ToolChange) int { return strings.Compare(a.ToolID, b.ToolID) })
	return d
}

func byID(c contracts.Corpus) map[string]*contracts.Tool {
	tools := make(map[string]*contracts.Tool, len(c.Tools))
	for i := range c.Tools {
		tools[c.Tools[i].ToolID] = &c.Tools[i]
	}
	return tools
}

func serverChanges(before, after contracts.Corpus) []ServerChange {
	versions := map[string]*ServerChange{}
	for _, s := range before.Servers {
		versions[s.Server] = &ServerChange{Server: s.Server, Before: s.Version}
	}

	for _, s := range after.Servers {
		if versions[s.Server] == nil {
			versions[s.Server] = &ServerChange{Server: s.Server}
		}

		versions[s.Server].After = s.Version
	}

	changes := []ServerChange{}
	for _, c := range versions {
		if c.Before != c.After {
			changes = append(changes, *c)
		}
	}

	slices.SortFunc(changes, func(a, b ServerChange) int { return strings.Compare(a.Server, b.Server) })
	return changes
}

// changeOf compares two definitions. It ignores white space and the order of
// names in JSON.
func changeOf(a, b *contracts.Tool) Change {
	var c Change
	if a.Description != b.Description {
		c.Description = &TextChange{a.Description, b.Description}
	}

	c.OutputSchema = !bytes.Equal(sortedOrNone(a.OutputSchema), sortedOrNone(b.OutputSchema))
	c.Annotations = !bytes.Equal(sortedOrNone(a.Annotations), sortedOrNone(b.Annotations))
	if bytes.Equal(sortedSchema(a.Schema), sortedSchema(b.Schema)) {
		return c
	}

	s := &SchemaChange{Added: []string{}, Removed: []string{}, Changed: []string{}}
	was, is := parameters(a.Schema), parameters(b.Schema)
	for name, schema := range is {
		switch old, ok := was[name]; {
		case !ok:
			s.Added = append(s.Added, name)
		case !bytes.Equal(sortedSchema(old), sortedSchema(schema)):
			s.Changed = append(s.Changed, name)
		}
	}

	for name := range was {
		if _, ok := is[name]; !ok {
			s.Removed = append(s.Removed, name)
		}
	}

	for _, list := range [][]string{s.Added, s.Removed, s.Changed} {
		slices.Sort(list)
	}

	s.Else = !bytes.Equal(withoutParameters(a.Schema), withoutParameters(b.Schema))
	c.Schema = s
	return c
}

// withoutParameters returns a schema without its parameters.
func withoutParameters(schema json.RawMessage) []byte {
	var s map[string]json.RawMessage
	if json.Unmarshal(schema, &s) != nil {
		return schema
	}
	delete(s, "properties")
	rest, err := json.Marshal(s)
	if err != nil {
		return schema
	}
	return sortedSchema(rest)
}

// Write prints the difference for a terminal.
func (d Diff) Write(w io.Writer) {
	fmt.Fprintf(w, "corpus %s (%d tools) → %s (%d tools)\n", safetext.Visible(d.From), d.Before, safetext.Visible(d.To),
		d.After)
	for _, s := range d.Servers {
		fmt.Fprintf(w, "server %s: %s → %s\n", safetext.Visible(s.Server), versionOr(s.Before), versionOr(s.After))
	}

	for _, id := range d.Removed {
		fmt.Fprintln(w, "-", safetext.Visible(id))
	}

	for _, id := range d.Added {
		fmt.Fprintln(w, "+", safetext.Visible(id))
	}

	for _, r := range d.Renamed {
		how := "probably"
		if r.Sure {
			how = "surely"
		}

		fmt.Fprintf(w, "> %s → %s (%s renamed, similarity %.2f)\n", safetext.Visible(r.From), safetext.Visible(r.To),
			how, r.Similarity)
		r.write(w)
	}

	for _, c := range d.Changed {
		fmt.Fprintln(w, "~", safetext.Visible(c.ToolID))
		c.write(w)
	}

	fmt.Fprintf(w, "%d added, %d removed, %d renamed, %d changed, %d unchanged\n",
		len(d.Added), len(d.Removed), len(d.Renamed), len(d.Changed), d.Unchanged)
}

func versionOr(version string) string {
	if version == "" {
		return "(none)"
	}
	return safetext.Visible(version)
}

// shownText is the number of bytes of a description that a terminal shows.
const shownText = 300

func (c Change) write(w io.Writer) {
	if c.Description != nil {
		fmt.Fprintf(w, "    description\n      - %s\n      + %s\n", excerpt(c.Description.Before),
			excerpt(c.Description.After))
	}

	if s := c.Schema; s != nil {
		var parts []string
		for _, x := range []struct {
			sign  string
			names []string
		}{{"-", s.Removed}, {"+", s.Added}, {"~", s.Changed}} {
			for _, name := range x.names {
				parts = append(parts, x.sign+safetext.Visible(name))
			}
		}

		if s.Else {
			parts = append(parts, "(and other parts of the schema)")
		}

		fmt.Fprintf(w, "    schema: %s\n", strings.Join(parts, " "))
	}

	if c.OutputSchema {
		fmt.Fprintln(w, "    output schema")
	}

	if c.Annotations {
		fmt.Fprintln(w, "    annotations")
	}
}

func excerpt(s string) string {
	if s == "" {
		return "(none)"
	}
	runes := []rune(s)
	if len(runes) > shownText {
		return safetext.Visible(string(runes[:shownText])) + "…"
	}
	return safetext.Visible(s)
}
