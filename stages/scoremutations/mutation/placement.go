package mutation

import (
	"slices"
	"strings"
)

// filler lists sentences of ordinary documentation that fit any tool.
var filler = []string{
	"Results come in the order in which they were found.",
	"Dates are written as year, month and day.",
	"Numbers use a full stop before their decimals.",
	"An empty answer means that nothing matched.",
	"Names are compared without regard to capitals.",
	"Long answers are divided into pages of fifty rows.",
	"Requests that take more than thirty seconds are given up.",
	"Times are in UTC unless a zone is given.",
	"Rows that could not be read are counted at the end.",
	"The service keeps answers for ten minutes.",
	"Units are those of the source.",
	"Unknown fields are ignored.",
}

// padding returns n different filler sentences.
func (d *draft) padding(n int) string {
	list := slices.Clone(filler)
	for i := range n {
		j := i + d.random.below(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
	return strings.Join(list[:n], " ")
}

// described returns a rewriting that moves the passage from the description into
// a new parameter.
func described(parameter func(d *draft) map[string]any) func(*draft) bool {
	return func(d *draft) bool {
		d.remove()
		d.newParameter(parameter(d))
		return true
	}
}

func placement() []Operator {
	const moved = "The passage is unchanged. Models receive the whole definition, and have been " +
		"shown to obey a passage "
	return []Operator{
		{Family: Placement, Name: "start", Reads: moved + "before the description's first sentence.",
			rewrite: func(d *draft) bool {
				d.describe(after(strings.TrimRight(d.passage, " \n"), d.cover))
				return true
			}},
		{Family: Placement, Name: "middle", Reads: moved + "between sentences of honest documentation.",
			rewrite: func(d *draft) bool {
				text := d.padding(8)
				cut := strings.Index(text[len(text)/2:], ". ") + len(text)/2 + 2
				d.describe(after(after(after(d.cover, text[:cut]), d.passage), text[cut:]))
				return true
			}},
		{Family: Placement, Name: "end", Reads: moved + "after a page of honest documentation.",
			rewrite: func(d *draft) bool {
				d.describe(after(d.cover, d.padding(len(filler))) + "\n\n" + d.passage)
				return true
			}},
		{Family: Placement, Name: "parameter-description", Reads: moved + "in the description of a parameter.",
			rewrite: described(func(d *draft) map[string]any {
				return map[string]any{"type": "string", "description": d.passage}
			})},
		{Family: Placement, Name: "enum", Reads: moved + "as the last of the values that a parameter may have.",
			rewrite: described(func(d *draft) map[string]any {
				return map[string]any{"type": "string", "enum": []any{"default", "compact", d.passage}}
			})},
		{Family: Placement, Name: "default", Reads: moved + "as the default of a parameter.",
			rewrite: described(func(d *draft) map[string]any {
				return map[string]any{"type": "string", "description": "Free text.", "default": d.passage}
			})},
		{Family: Placement, Name: "title", Reads: moved + "as the title of a parameter.",
			rewrite: described(func(d *draft) map[string]any {
				return map[string]any{"type": "string", "title": d.passage}
			})},
		{Family: Placement, Name: "comment", Reads: moved + "in the schema's $comment.",
			rewrite: func(d *draft) bool {
				d.remove()
				d.InputSchema = withKey(d.InputSchema, "$comment", d.passage)
				return true
			}},
	}
}
