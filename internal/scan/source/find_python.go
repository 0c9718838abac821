package source

import (
	"slices"
	"strings"
)

var pyDecorators = map[string]Kind{"tool": Tool, "prompt": Prompt, "resource": Resource}

var pyTypes = map[string]Kind{"Tool": Tool, "Prompt": Prompt, "Resource": Resource, "ResourceTemplate": Resource}

// pyGenerators are functions that make tools of something else than functions.
var pyGenerators = []string{"from_openapi", "from_fastapi", "as_proxy", "from_client", "import_server"}

// pyNode reads a definition in Python, and reports whether nothing below it is one.
func (r *finder) pyNode(n *node) bool {
	switch n.form {
	case function:
		r.pyDecorated(n)
	case class:
		for _, d := range n.fn.decorators {
			r.decorators[d] = true
		}

		r.pyClass(n)
	case object:
		return r.object(n)
	case call:
		return r.pyCall(n)
	}

	return false
}

// pyDecorated reads a function with a decorator such as @mcp.tool().
func (r *finder) pyDecorated(n *node) {
	for _, d := range n.fn.decorators {
		r.decorators[d] = true
		of, options := d, []arg(nil)
		if d != nil && d.form == call {
			of, options = d.x, d.args
		}

		if of == nil {
			continue
		}

		if of.form == member && of.text == "list_tools" {
			r.listed(n, value{n, nil}, "")
		}

		kind, ok := pyDecorators[of.last()]
		if !ok || of.form != member && !r.isImported(of) {
			continue
		}

		r.pyFunction(value{n, nil}, kind, d.line, options, nil)
	}
}

// isImported reports whether a name is that of a library for servers.
func (r *finder) isImported(n *node) bool {
	v := r.p.value(n, nil, 0)
	return v.n != nil && v.n.form == imported && within(v.n.module, sdks[inPython])
}

// pyFunction reads a function that is registered with options.
func (r *finder) pyFunction(f value, kind Kind, line int, options []arg, e *env) {
	d := definition{kind: kind, fixed: f.n.text, line: line, doc: f.n.fn.doc, again: true}
	named := "name"
	if kind == Resource {
		named = "uri"
	}

	for i, a := range options {
		switch {
		case a.name == "" && i == 0 && !a.spread && (kind != Tool || !r.isFunctionArgument(a.value)):
			d.name = a.value
		case a.name == named:
			d.name = a.value
		case a.name == "title":
			d.title = a.value
		case a.name == "description":
			d.description = a.value
		case a.spread:
			d.partly, d.partLine = "a part of its options is computed when the server runs", a.value.line
			d.rest = append(d.rest, a.value)
		default:
			d.rest = append(d.rest, a.value)
		}
	}

	for _, q := range f.n.fn.params {
		if q.self {
			continue
		}

		d.more = append(d.more, value{q.annotation, f.e}, value{q.fallback, f.e})
	}

	if f.n.file != r.f {
		e = &env{next: e, site: &node{line: f.n.line, file: f.n.file}}
	}

	r.define(d, e)
}

func (r *finder) isFunctionArgument(n *node) bool {
	v := r.p.value(n, nil, 0)
	return v.n != nil && v.n.form == function
}

// pyCall reads a call, and reports whether nothing below it is a definition.
func (r *finder) pyCall(n *node) bool {
	called := n.called()
	switch {
	case servers[called] || r.isServer(n.x):
		r.instructions(n.get("instructions"))
		for _, a := range listArgs(n.get("tools")) {
			r.pyRegister(n, Tool, a.value, nil)
		}
	case slices.Contains(pyGenerators, called) && r.f.sdk() != "":
		r.found.problem("", n.line, generatedTools+": "+called)
	case called == "from_function" && len(n.args) > 0 && n.x.form == member:
		kind, ok := pyTypes[strings.TrimPrefix(n.x.x.last(), "Function")]
		if f := firstOf(n, "fn"); ok && f != nil {
			r.pyRegister(n, kind, f, without(n.args, f))
			return true
		}
	}

	if r.pyRegistration(n, called) {
		return false
	}

	if kind, ok := pyTypes[called]; ok {
		return r.pyTyped(n, kind)
	}

	return false
}

// isServer reports whether a name is a class of the project that extends a server.
func (r *finder) isServer(n *node) bool {
	v := r.p.value(n, nil, 0)
	return v.n != nil && v.n.form == class &&
		slices.ContainsFunc(v.n.fn.bases, func(b *node) bool { return servers[b.last()] })
}

func listArgs(n *node) []arg {
	if n == nil || n.form != list {
		return nil
	}
	return n.args
}

// firstOf returns the first argument, or the one with a name.
func firstOf(n *node, named string) *node {
	if a := n.positional(0); a != nil {
		return a
	}
	return n.get(named)
}

func without(args []arg, n *node) (rest []arg) {
	for _, a := range args {
		if a.value != n {
			rest = append(rest, a)
		}
	}
	return rest
}

// pyRegistration reads a function that is registered by a call: mcp.add_tool(f), mcp.tool(f) or
// mcp.tool()(f).
func (r *finder) pyRegistration(n *node, called string) bool {
	if n.x != nil && n.x.form == call && n.x.x != nil && n.x.x.form == member {
		if kind, ok := pyDecorators[n.x.x.text]; ok && len(n.args) > 0 {
			r.pyRegister(n, kind, n.args[0].value, n.x.args)
			return true
		}
	}

	if n.x == nil || n.x.form != member || len(n.args) == 0 || n.x.x.called() == "super" {
		return false
	}

	kind, ok := pyDecorators[strings.TrimPrefix(called, "add_")]
	if !ok {
		return false
	}

	added := strings.HasPrefix(called, "add_")
	f := firstOf(n, "fn")
	if f == nil {
		return false
	}

	options := without(n.args, f)
	if r.decorators[n] {
		return false
	}

	if !added && !r.isFunctionArgument(f) && (len(options) == 0 || f.form != name) {
		if !r.isText(f) && f == n.positional(0) && serverName().MatchString(n.x.x.last()) && r.f.sdk() != "" {
			r.found.problem("", n.line, computedTools)
		}

		return false // what it returns is called, or another method of that name
	}

	if !added && f.form == name && len(n.args) > 0 && n.args[0].value == f && r.isText(f) {
		return false
	}

	r.pyRegister(n, kind, f, options)
	return true
}

func (r *finder) isText(n *node) bool {
	_, ok := r.p.text(n, nil, 0)
	return ok
}

// pyRegister reads a function that is registered with options.
func (r *finder) pyRegister(n *node, kind Kind, f *node, options []arg) {
	r.p.steps = 0
	r.p.blocked = nil
	r.functionOf(r.p.value(f, nil, 0))
	envs := []*env{nil}
	if r.p.blocked != nil {
		if list := r.p.alternatives(r.p.blocked, nil, 1); len(list) > 0 {
			envs = list
		}
	}

	line := f.line
	if n.x != nil && n.x.form == call {
		line = n.x.line
	}

	if n.x != nil && n.x.form == member {
		line = n.x.line
	}

	for _, e := range envs {
		v := r.p.value(f, e, 0)
		if v.n != nil && v.n.form == call && r.isDefinition(v, 0) {
			continue
		}

		v = r.functionOf(v)
		if v.n != nil && (v.n.form == name || v.n.form == imported || v.n.form == member) {
			v = r.functionNamed(f.last(), v)
		}

		switch {
		case v.n != nil && v.n.form == function:
			if site := e.called(); site != nil && site.fn == nil {
				e = &env{next: e}
			}

			r.pyFunction(v, kind, line, options, e)
		default:
			what := f.last()
			if what == "" {
				what = "a function"
			}

			r.found.Problems = append(r.found.Problems, Problem{Name: what, Line: f.line, Reason: definedElsewhere})
		}
	}
}

// functionNamed returns the function of the project with a name, if imports do not lead to
// it: the one that shares the most directories with the file, if there is only one.
func (r *finder) functionNamed(text string, otherwise value) value {
	best, most, several := otherwise, -1, false
	for _, f := range r.p.order {
		if f.language != inPython || f.outside {
			continue
		}

		if !f.parsed {
			if source, err := f.load(); err != nil || !strings.Contains(source, "def "+text) {
				continue
			}

			r.p.parse(f)
		}

		d := f.scope.decls[text]
		if len(d) != 1 || d[0].form != function {
			continue
		}

		if n := shared(f.path, r.f.path); n >= most {
			several = n == most
			best, most = value{d[0], nil}, n
		}
	}

	if several {
		return otherwise
	}

	return best
}

// functionOf looks through what wraps a function: partial(f) and decorators as calls.
func (r *finder) functionOf(v value) value {
	for range 3 {
		wrapped := v.n
		if v.n != nil && v.n.form == function {
			for _, d := range v.n.fn.decorators {
				if d.called() == "wraps" {
					wrapped = d
				}
			}
		}

		if wrapped == nil || wrapped.form != call || len(wrapped.args) == 0 {
			return v
		}

		inner := r.p.value(wrapped.args[0].value, v.e, 0)
		if inner.n == nil || inner.n.form != function && inner.n.form != call {
			return v
		}

		v = inner
	}

	return v
}

// pyTyped reads a call with keyword arguments that has a name and a description or a
// schema, and reports whether it is one.
func (r *finder) pyTyped(n *node, kind Kind) bool {
	named := "name"
	if kind == Resource {
		named = "uri"
		if n.get("uriTemplate") != nil {
			named = "uriTemplate"
		}
	}

	d := definition{kind: kind, name: n.get(named), line: n.line}
	for _, a := range n.args {
		switch {
		case a.spread:
			d.partly, d.partLine = "a part of its options is computed when the server runs", a.value.line
			d.rest = append(d.rest, a.value)
		case a.name == "title":
			d.title = a.value
		case a.name == "description":
			d.description = a.value
		case a.name != named:
			d.rest = append(d.rest, a.value)
		}
	}

	if d.name == nil {
		if d.partly != "" && r.f.sdk() != "" {
			r.found.problem("", n.line, computedTools)
		}

		return false
	}

	return r.define(d, nil)
}

// pyClass reads a class that extends one of tools, and has the name and the description of a
// tool as fields.
func (r *finder) pyClass(n *node) {
	if !slices.ContainsFunc(n.fn.bases, func(b *node) bool { return strings.HasSuffix(b.last(), "Tool") }) {
		return
	}

	r.classOf(n, "name")
}

// classOf reads the fields of a class of a tool.
func (r *finder) classOf(n *node, names ...string) {
	field := func(names ...string) *node {
		for _, text := range names {
			if d := n.scope.decls[text]; len(d) > 0 && d[0].form != function {
				return r.p.together(d)
			}
		}
		return nil
	}
	d := definition{kind: Tool, name: field(names...), description: field("description"),
		title: field("title"), line: n.line}
	if d.name == nil || d.description == nil {
		return
	}

	if text, ok := r.p.text(d.name, nil, 0); ok && text == "" {
		return // it is a base of tools
	}

	for _, key := range []string{"argsShape", "inputSchema", "parameters", "schema", "args_schema", "input_schema"} {
		if p := field(key); p != nil {
			d.rest = append(d.rest, p)
		}
	}

	r.define(d, nil)
}
