package source

import (
	"slices"
	"strings"
)

// goCalls are the functions that make a definition from a name and options.
var goCalls = map[string]Kind{"NewTool": Tool, "NewPrompt": Prompt, "NewResource": Resource,
	"NewResourceTemplate": Resource, "NewToolWithRawSchema": Tool}

var goTypes = map[string]Kind{"Tool": Tool, "Prompt": Prompt, "Resource": Resource, "ResourceTemplate": Resource}

var goDescriptions = []string{"WithDescription", "WithPromptDescription", "WithResourceDescription",
	"WithTemplateDescription"}

// goNamed are methods that register something with a name, a description and a handler.
var goNamed = map[string]Kind{"RegisterPrompt": Prompt, "RegisterResource": Resource}

// goRegistrations are the methods that register tools.
var goRegistrations = []string{"AddTool", "AddTools", "RegisterTool", "AddSessionTool", "SetTools", "AddSessionTools"}

// goNode reads a definition in Go, and reports whether nothing below it is one.
func (r *finder) goNode(n *node) bool {
	if n.form != call || n.x == nil {
		return false
	}

	called := n.called()
	selected := n.x.form == member || n.x.form == index && n.x.x.form == member
	if n.module == "new" {
		if called == "ServerOptions" && selected {
			r.instructions(n.get("Instructions"))
		}

		if kind, ok := goTypes[called]; ok && selected {
			r.goLiteral(kind, n)
		}

		return false
	}

	if called == "WithInstructions" && len(n.args) == 1 {
		r.instructions(n.args[0].value)
		return true
	}

	if kind, ok := goCalls[called]; ok && selected && len(n.args) > 0 && !r.wraps(n) || r.isToolHelper(n) {
		return r.goCall(kind, n)
	}

	if kind, ok := goNamed[called]; ok && selected && len(n.args) > 2 && r.isText(n.args[0].value) {
		d := definition{kind: kind, name: n.args[0].value, line: n.line, all: true, description: n.args[1].value}
		for _, a := range n.args[2:] {
			r.option(&d, value{a.value, nil})
		}

		return r.define(d, nil)
	}

	if selected && slices.Contains(goRegistrations, called) && len(n.args) > 0 && !r.isList(n) {
		var what []*node
		for _, a := range n.args {
			what = append(what, a.value)
		}

		r.registered(n, what...)
	}

	return false
}

// wraps reports whether a call is of a function of the project that makes a tool of
// another definition in its arguments.
func (r *finder) wraps(n *node) bool {
	for _, a := range n.args {
		if v := a.value; v.form == call && v.module == "new" && goTypes[v.called()] == Tool && v.called() == "Tool" {
			return true
		}
	}
	return false
}

// isList reports whether a registration is of a method with the same name for something else.
func (r *finder) isList(n *node) bool { return r.packageSDK() == "" }

// packageSDK is the library that the package of the file imports.
func (r *finder) packageSDK() string {
	for _, f := range r.p.inDir[dirOf(r.f.path)] {
		if f.language == r.f.language && f.parsed {
			if sdk := f.sdk(); sdk != "" {
				return sdk
			}
		}
	}
	return ""
}

// isToolHelper reports whether a call makes a tool by a function of the program itself, such as
// MustTool("name", "What it does.", handler).
func (r *finder) isToolHelper(n *node) bool {
	if !strings.HasSuffix(n.called(), "Tool") || len(n.args) < 3 {
		return false
	}

	r.p.steps = 0
	text, ok := r.p.text(n.args[0].value, nil, 0)
	description, described := r.p.text(n.args[1].value, nil, 0)
	return ok && described && toolName().MatchString(text) && strings.Contains(description, " ")
}

func (r *finder) goCall(kind Kind, n *node) bool {
	d := definition{kind: kind, name: n.args[0].value, line: n.line, all: true}
	helper := r.isToolHelper(n)
	for i, a := range n.args[1:] {
		if i == 0 && (n.called() == "NewToolWithRawSchema" || helper && kind == Tool) {
			d.description = a.value
			continue
		}

		if a.spread {
			elements, ok := r.p.elements(a.value, nil, 0)
			if !ok {
				d.rest = append(d.rest, a.value)
				if len(elements) == 0 {
					d.partly, d.partLine = "a part of its options is computed when the server runs", a.value.line
				}
			}

			for _, el := range elements {
				r.option(&d, el)
			}

			continue
		}

		r.option(&d, value{a.value, nil})
	}

	d.handled(r.p.takes[n])
	return r.define(d, nil)
}

// option reads an option of a definition.
func (r *finder) option(d *definition, v value) {
	at := r.p.value(v.n, v.e, 0)
	if at.n != nil && at.n.form == call && len(at.n.args) == 1 && at.e == nil {
		switch called := at.n.called(); {
		case slices.Contains(goDescriptions, called):
			d.description = at.n.args[0].value
			return
		case called == "WithTitleAnnotation":
			d.title = at.n.args[0].value
			return
		}
	}

	d.more = append(d.more, v)
	d.handled(r.p.handlerTypes(v, 0))
}

// handled adds the types that a handler takes and returns.
func (d *definition) handled(types []handled) {
	for _, t := range types {
		if t.result {
			d.results = append(d.results, t.value)
		} else {
			d.more = append(d.more, t.value)
		}
	}
}

// handled is a type that a handler takes, or returns.
type handled struct {
	value
	result bool
}

// goLiteral reads mcp.Tool{...}. A literal without a name is one that is filled in later,
// or a type of another library.
func (r *finder) goLiteral(kind Kind, n *node) {
	d := definition{kind: kind, line: n.line, all: true}
	for _, a := range n.args {
		if a.name == "" {
			return
		}

		switch a.name {
		case "Name", "URI", "URITemplate":
			if a.name == "Name" && kind == Resource {
				d.rest = append(d.rest, a.value)
				continue
			}

			d.name = a.value
		case "Description":
			d.description = a.value
		case "Title":
			d.title = a.value
		default:
			d.rest = append(d.rest, a.value)
		}
	}

	if d.name == nil {
		return
	}

	d.handled(r.p.takes[n])
	r.define(d, nil)
}

// linkHandlers notes the types of the handler for the tool of a call such as
// mcp.AddTool(server, &mcp.Tool{...}, handler) or server.AddTool(tool, handler).
func (p *project) linkHandlers() {
	for _, f := range p.order {
		if f.language != inGo || !f.parsed {
			continue
		}

		for _, c := range f.calls {
			if called := c.called(); !strings.HasSuffix(called, "Tool") && !strings.HasSuffix(called, "Tools") {
				continue
			}

			p.steps = 0
			p.linkHandler(c)
		}
	}
}

func (p *project) linkHandler(c *node) {
	var tools []*node
	var types []handled
	if c.x.form == index {
		types = append(types, handled{value{c.x, nil}, false})
	}

	for _, a := range c.args {
		v := p.value(a.value, nil, 0)
		if v.n == nil {
			continue
		}

		if v.n.form == call {
			called := v.n.called()
			_, made := goCalls[called]
			_, literal := goTypes[called]
			if made || literal && v.n.module == "new" {
				tools = append(tools, v.n)
				continue
			}
		}

		types = append(types, p.handlerTypes(value{a.value, nil}, 0)...)
	}

	for _, t := range tools {
		p.takes[t] = append(p.takes[t], types...)
	}
}

// handlerTypes lists the types that a handler takes and returns.
func (p *project) handlerTypes(v value, depth int) (types []handled) {
	if depth > 4 || v.n == nil {
		return nil
	}

	if v.n.form == call && v.n.module != "new" {
		types = p.handlerTypes(value{v.n.x, v.e}, depth+1)
		for _, a := range v.n.args {
			types = append(types, p.handlerTypes(value{a.value, v.e}, depth+1)...)
		}

		return types
	}

	at := p.value(v.n, v.e, 0)
	switch {
	case at.n == nil:
	case at.n.form == function:
		for _, q := range at.n.fn.params {
			types = append(types, handled{value{q.annotation, at.e}, false})
		}

		for _, b := range at.n.fn.bases {
			types = append(types, handled{value{b, at.e}, true})
		}
	case v.n.form == index:
		types = append(types, handled{v, false})
	}

	return types
}

// reportUnlinkedTags lists the structs whose tags describe parameters of no tool. A file
// without tools may have such structs for other purposes.
func (p *project) reportUnlinkedTags(f *file, found *Found) {
	if len(found.Definitions) == 0 || f.root == nil {
		return
	}

	f.root.each(func(n *node) bool {
		if n.form != class || n.text == "" || p.taken[n] {
			return true
		}

		if slices.ContainsFunc(n.fn.params, func(q param) bool { return len(described(q.tag)) > 0 }) {
			found.problem("", n.line, "the tags of "+n.text+
				" describe parameters, and no tool of the source takes it: scan the running server")
		}

		return true
	})
}
