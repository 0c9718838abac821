package mutation

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// definition is what a server declares about one tool.
type definition struct {
	Server, Name, Description              string
	InputSchema, OutputSchema, Annotations json.RawMessage
}

func definitionOf(e contracts.SecurityEntry) definition {
	return definition{e.Server, e.Name, e.Description, e.InputSchema, e.OutputSchema, e.Annotations}
}

// draft is a definition that is being rewritten. If at is nil, its description is
// the cover, the gap and the passage. Otherwise the passage is in a schema.
type draft struct {
	definition
	cover, gap, passage string
	at                  *place
	random              *random
	// siblings are additional tools of the same server that hold a part of the
	// passage.
	siblings []contracts.Peer
}

// newDraft finds the passage; ok is false if there is none.
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

// replace replaces the passage by text.
func (d *draft) replace(text string) {
	if d.at == nil {
		d.Description = d.cover + d.gap + text
		return
	}
	d.setSchema(d.at.output, edit(d.schema(d.at.output), d.at.path, text))
}

// remove removes the passage.
func (d *draft) remove() {
	if d.at == nil {
		d.Description = d.cover
		return
	}
	d.setSchema(d.at.output, edit(d.schema(d.at.output), d.at.path, nil))
}

// describe moves the passage into the description, which becomes text.
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

// inPlace returns a rewriting that replaces the passage by the result of f. It
// does not apply if f returns the passage unchanged.
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

// after joins two texts with a space, unless the first ends in white space.
func after(first, second string) string {
	if first == "" || strings.HasSuffix(first, "\n") || strings.HasSuffix(first, " ") {
		return first + second
	}
	return first + " " + second
}

// halves divides a passage in two: between sentences if there are several,
// otherwise between words, or in the middle of a text without spaces.
func halves(s string) (first, second string) {
	parts := sentences(s)
	if len(parts) < 2 {
		parts = strings.SplitAfter(s, " ")
	}

	if len(parts) < 2 {
		parts = strings.Split(s, "")
	}

	// Use the cut nearest to the middle for which neither half is empty.
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
