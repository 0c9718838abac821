package input

import (
	"cmp"
	"fmt"
	"slices"
)

// Lists of the tools of several servers have one of these shapes, at the top or in a member of any name, such as
// items or servers:
//
//   - [{"name": "weather", "tools": [...]}]
//   - {"weather": {"tools": [...]}}
//   - {"weather": [...]}, whose tools have schemas
//
// Each server is read as an answer of its own. What stands beside its tools is what it says about itself.

// holdsTools reports whether an object holds the list of tools of a server.
func holdsTools(v value) bool {
	members := v.object()
	if !hasName(members, kinds[0].list, "result") || isDefinition(v) {
		return false // a definition is a tool, whatever else it has
	}

	tools, ok, err := get(members, kinds[0].list)
	if ok && err == nil && tools.is('[') {
		return slices.ContainsFunc(tools.array(), looksLikeTool)
	}

	return isAnswer(resultOf(v).object()) || ok && err == nil && isToolMap(tools.value)
}

// isDefinition reports whether a value is a tool with a name and a schema: a list of such is one of tools, whatever
// its name is.
func isDefinition(v value) bool {
	members := v.object()
	named, isTool := false, false
	for _, m := range members {
		named = named || slices.Contains(nameKeys, m.name) && m.is('"')
		isTool = isTool || (m.name == "inputSchema" || m.name == "input_schema") && m.is('{')
	}

	function, ok := wrapped(v)
	return named && isTool || ok && kinds[0].looksLike(function.value)
}

// isToolMap reports whether a value is an object that has tools with schemas by their names.
func isToolMap(v value) bool {
	members := v.object()
	return len(members) > 0 && !slices.ContainsFunc(members, func(m member) bool {
		return !slices.ContainsFunc(m.object(), func(f member) bool {
			return (f.name == "inputSchema" || f.name == "input_schema") && f.is('{')
		})
	})
}

// isListOf reports whether a value is a list of objects of which one is wanted.
func isListOf(v value, wanted func(value) bool) bool {
	elements := v.array()
	return slices.ContainsFunc(elements, wanted) &&
		!slices.ContainsFunc(elements, func(e value) bool { return !e.is('{') })
}

// nested reads the tools of several servers in the members that are not known. It returns the names of those that
// it read.
func (d *document) nested(members []member, known []string, server string) (read []string, err error) {
	for _, m := range members {
		if slices.Contains(known, m.name) {
			continue
		}

		switch {
		case isListOf(m.value, holdsTools):
			err = d.serverList(m.array())
		case isListOf(m.value, isDefinition):
			err = d.list(&kinds[0], m.value, m.array(), d.ofServer(m.name, server))
		case m.name != "result" && holdsTools(m.value):
			err = d.as(m.name, m.value)
		case slices.ContainsFunc(m.object(), func(e member) bool { return holdsTools(e.value) }):
			err = d.serverMap(m.object())
		case m.name == kinds[0].list && isToolMap(m.value):
			err = d.toolMap(m.object(), server)
		default:
			continue
		}

		if err != nil {
			return nil, err
		}

		read = append(read, m.name)
	}

	return read, nil
}

// wrappers are names for the elements of an answer of any API. A list of another name is named after its server.
var wrappers = []string{"items", "data", "results", "records", "values", "entries", "list", "functions", "catalog"}

// ofServer returns the server of a list of tools with schemas in a member of another name than tools.
func (d *document) ofServer(name, server string) string {
	if slices.Contains(wrappers, name) {
		return server
	}
	return name
}

// serverList reads a list of servers with their tools. Elements that are tools are read as such.
func (d *document) serverList(elements []value) error {
	var tools []value
	for i, e := range elements {
		switch {
		case holdsTools(e):
			if err := d.as(cmp.Or(nameOf(e), d.server), e); err != nil {
				return err
			}
		case isDefinition(e):
			tools = append(tools, e)
		default:
			d.withoutTools(e, nameOf(e), fmt.Sprintf("element %d of the list of servers", i+1))
		}
	}

	if len(tools) == 0 {
		return nil
	}

	return d.list(&kinds[0], tools[0], tools, d.server)
}

// serverMap reads an object that has servers with their tools by their names.
func (d *document) serverMap(members []member) error {
	for _, m := range members {
		switch {
		case holdsTools(m.value):
			if err := d.as(m.name, m.value); err != nil {
				return err
			}
		case m.is('{') || m.is('['):
			d.withoutTools(m.value, m.name, "the entry "+m.name)
		}
	}

	return nil
}

// toolMap reads an object that has tools by their names.
func (d *document) toolMap(members []member, server string) error {
	for _, m := range members {
		tool, err := kinds[0].read(m.value, server)
		if tool.Name == "" {
			tool.Name = m.name
		}

		if err != nil {
			d.unreadable(Unscanned{Server: server, Tool: tool.Name, Place: d.place(m.at),
				Reason: "it is not a readable tool: " + err.Error(),
				Remedy: "correct it, or ask the server's author to"})
			continue
		}

		tool.Place = d.place(m.at)
		tool.Place.Column = d.lines.column(m.at)
		d.in.Tools = append(d.in.Tools, tool)
	}

	d.listed = true
	return nil
}

// as reads the answer of a server.
func (d *document) as(server string, v value) error {
	of, answers := d.server, d.answers
	d.server = server
	defer func() { d.server, d.answers = of, answers }()
	return d.object(v)
}

// withoutTools records an element among servers that has no tools which can be read.
func (d *document) withoutTools(v value, server, what string) {
	tools, ok, _ := get(v.object(), kinds[0].list)
	if ok && tools.is('[') && len(tools.array()) == 0 {
		return // it has none
	}

	d.unreadable(Unscanned{Server: server, Place: d.place(v.start),
		Reason: what + " has no tools in a shape that is known",
		Remedy: `write them as its member "tools", a list of definitions, or remove it`})
}

// nameOf returns the name of a server among others, or "".
func nameOf(v value) string {
	names := []string{"server", "name", "id", "title"}
	if resultOf(v).end > 0 {
		names = names[:2] // the id is that of a message
	}

	for _, name := range names {
		if m, ok, err := get(v.object(), name); ok && err == nil {
			if s, isText := m.str(); isText && s != "" {
				return s
			}
		}
	}
	return ""
}

// tellingKeys are the members that only tools have.
var tellingKeys = slices.Concat([]string{"function", "_meta", "icons", "tool"}, declarationKeys, parameterKeys,
	slices.DeleteFunc(kinds[0].keys(), func(name string) bool {
		return slices.Contains(nameKeys, name) || name == "server"
	}))

// isOtherList reports whether the elements of a list without a name are no tools: they have names, and members that
// only other things have.
func isOtherList(elements []value) bool {
	other := false
	for _, e := range elements {
		for _, m := range e.object() {
			switch {
			case slices.Contains(tellingKeys, m.name):
				return false
			case !slices.Contains(nameKeys, m.name) && m.name != "server":
				other = true
			}
		}
	}

	return other
}
