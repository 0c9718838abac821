package mutation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// definition is what a server tells of one tool.
type definition struct {
	Server, Name, Description              string
	InputSchema, OutputSchema, Annotations json.RawMessage
}

func definitionOf(e contracts.SecurityEntry) definition {
	return definition{e.Server, e.Name, e.Description, e.InputSchema, e.OutputSchema, e.Annotations}
}

// draft is a definition that is being rewritten. Its description is the cover
// and, when at is nil, the gap and the passage; otherwise the passage stands in
// a schema.
type draft struct {
	definition
	cover, gap, passage string
	at                  *place
	random              *random
	// siblings are further tools of the same server that the passage was
	// spread to.
	siblings []contracts.Peer
}

// newDraft finds the passage; ok is false when there is none.
func newDraft(def definition, r *random) (d *draft, ok bool) {
	d = &draft{definition: def, random: r}
	end, gap := sentenceEnd(def.Description)
	if passage := def.Description[end+gap:]; substance(passage) {
		d.cover, d.gap, d.passage = def.Description[:end], def.Description[end:end+gap], passage
		return d, true
	}
	d.cover = def.Description
	d.at, d.passage, ok = longestText(def.InputSchema, def.OutputSchema)
	return d, ok
}

// replace puts text where the passage stands.
func (d *draft) replace(text string) {
	if d.at == nil {
		d.Description = d.cover + d.gap + text
		return
	}
	d.setSchema(d.at.output, edit(d.schema(d.at.output), d.at.path, text))
}

// remove takes the passage out of its place.
func (d *draft) remove() {
	if d.at == nil {
		d.Description = d.cover
		return
	}
	d.setSchema(d.at.output, edit(d.schema(d.at.output), d.at.path, nil))
}

// describe puts the passage into the description, which then is the given text.
func (d *draft) describe(text string) {
	d.remove()
	d.Description = text
}

func (d *draft) schema(output bool) json.RawMessage {
	if output {
		return d.OutputSchema
	}
	return d.InputSchema
}

func (d *draft) setSchema(output bool, raw json.RawMessage) {
	if output {
		d.OutputSchema = raw
	} else {
		d.InputSchema = raw
	}
}

// inPlace makes a rewriting of one that turns the passage into another text.
// It does not apply when the text stays the same.
func inPlace(f func(d *draft, passage string) string) func(*draft) bool {
	return func(d *draft) bool {
		text := f(d, d.passage)
		if text == d.passage || text == "" {
			return false
		}
		d.replace(text)
		return true
	}
}

// after joins two texts with a blank, a line feed, or what stands there anyway.
func after(first, second string) string {
	if first == "" || strings.HasSuffix(first, "\n") || strings.HasSuffix(first, " ") {
		return first + second
	}
	return first + " " + second
}

// halves cuts a passage in two: between sentences where there are several,
// otherwise between words, and a text without blanks in its middle.
func halves(s string) (first, second string) {
	parts := sentences(s)
	if len(parts) < 2 {
		parts = strings.SplitAfter(s, " ")
	}
	if len(parts) < 2 {
		parts = strings.Split(s, "")
	}
	// The cut nearest to the middle that leaves something on either side.
	best, length := 1, len(parts[0])
	for i, at := 1, length; i < len(parts); i++ {
		if abs(len(s)-2*at) < abs(len(s)-2*length) {
			best, length = i, at
		}
		at += len(parts[i])
	}
	return strings.TrimRight(strings.Join(parts[:best], ""), " \n"), strings.Join(parts[best:], "")
}

func abs(n int) int { return max(n, -n) }

// newParameter adds a parameter to the input schema and returns its name.
func (d *draft) newParameter(value map[string]any) string {
	names := []string{"options", "mode", "profile", "variant", "setting"}
	raw := d.InputSchema
	for n := 0; ; n++ {
		name := names[n%len(names)] + strings.Repeat("_", n/len(names))
		if !slices.Contains(properties(raw), name) {
			d.InputSchema = withProperty(raw, name, value)
			return name
		}
	}
}
