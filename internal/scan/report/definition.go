package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// definition is a tool with every place where it was read with the same content.
type definition struct {
	*input.Tool
	places []input.Place
	twice  *input.Place // where a file has it once more
}

func (d *definition) name() toolName { return toolName{d.Server, d.Label()} }

// distinct drops tools that were read twice with the same definition.
func distinct(lists ...[]input.Tool) []definition {
	n := 0
	for _, tools := range lists {
		n += len(tools)
	}

	list := make([]definition, 0, n)
	places := make([]input.Place, n) // of most definitions, which have one
	seen := make(map[uint64]int, n)
	for t := range each(lists) {
		hash := input.Hash(&t.Tool)
		i, again := seen[hash]
		for again && !input.Same(&t.Tool, &list[i].Tool.Tool) {
			hash++ // another definition of the same hash
			i, again = seen[hash]
		}

		if !again {
			i = len(list)
			seen[hash] = i
			list = append(list, definition{Tool: t, places: places[i : i : i+1]})
		}

		d := &list[i]
		if again && d.twice == nil &&
			slices.ContainsFunc(d.places, func(p input.Place) bool { return p.File == t.Place.File }) {
			d.twice = &t.Place
		}

		if len(d.places) == 0 || d.places[len(d.places)-1] != t.Place {
			d.places = append(d.places, t.Place)
		}
	}

	exactly(list)
	return list
}

// each yields the tools of all lists.
func each(lists [][]input.Tool) iter.Seq[*input.Tool] {
	return func(yield func(*input.Tool) bool) {
		for _, tools := range lists {
			for i := range tools {
				if !yield(&tools[i]) {
					return
				}
			}
		}
	}
}

// exactly keeps the columns of places only where a server has another definition of the
// same name on the line: elsewhere the line says enough.
func exactly(list []definition) {
	type line struct {
		name toolName
		file string
		line int
	}
	n := map[line]int{}
	several := severalOf(list)
	for i := range list {
		if d := &list[i]; len(d.places) == 1 && !several[d.name()] {
			d.places[0].Column = 0
			continue
		}

		for _, p := range list[i].places {
			n[line{list[i].name(), p.File, p.Line}]++
		}
	}

	for i := range list {
		for k := range list[i].places {
			if p := &list[i].places[k]; n[line{list[i].name(), p.File, p.Line}] < 2 {
				p.Column = 0
			}
		}
	}
}

// severalOf returns the names that have several definitions.
func severalOf(list []definition) map[toolName]bool {
	several := make(map[toolName]bool, len(list))
	for i := range list {
		_, again := several[list[i].name()]
		several[list[i].name()] = again
	}
	maps.DeleteFunc(several, func(_ toolName, again bool) bool { return !again })
	return several
}

// placesOf collects the places of each name.
func placesOf(list []definition) map[toolName][]input.Place {
	places := make(map[toolName][]input.Place, len(list))
	for i := range list {
		places[list[i].name()] = append(places[list[i].name()], list[i].places...)
	}
	return places
}

func comparePlaces(a, b []input.Place) int {
	return slices.CompareFunc(a, b, func(a, b input.Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// Note is something odd about what was scanned, which is neither a finding nor a gap.
type Note struct {
	Server string        `json:"server"`
	Tool   string        `json:"tool"`
	Reason string        `json:"reason"`
	Places []input.Place `json:"places"`
}

// notes lists the names that a server has twice, and its tools without a name.
func notes(list []definition) []Note {
	several := severalOf(list)
	of := map[toolName][]*definition{}
	for i := range list {
		if d := &list[i]; several[d.name()] || d.twice != nil || d.Label() == "" {
			of[d.name()] = append(of[d.name()], d)
		}
	}

	var all []Note
	for name, same := range of {
		n := Note{Server: name.server, Tool: name.tool}
		for _, d := range same {
			n.Places = append(n.Places, d.places...)
		}

		unnamed := same[0].Subject == scanner.SubjectTool && name.tool == ""
		switch {
		case unnamed && len(same) > 1:
			n.Reason = fmt.Sprintf("%d tools have no name: all were scanned", len(same))
		case unnamed:
			n.Reason = "a tool has no name: it was scanned"
		case len(same) > 1:
			n.Reason = fmt.Sprintf("%d definitions have this name: all were scanned, and programs differ on which "+
				"one they show to the model", len(same))
		case same[0].twice != nil && same[0].Subject == scanner.SubjectTool:
			n.Reason = "it is listed more than once, with the same definition"
		default:
			continue
		}

		all = append(all, n)
	}

	slices.SortFunc(all, func(a, b Note) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool))
	})
	return all
}
