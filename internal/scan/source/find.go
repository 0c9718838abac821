package source

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// finder finds the definitions of a file.
type finder struct {
	p     *project
	f     *file
	found *Found
	// keys are the members of objects by their values, and by the objects that functions
	// make the values of.
	keys map[*node]keyed
	// decorators are calls that decorate what follows them.
	decorators map[*node]bool
}

// keyed is a member whose value is an object, or made of one by a function.
type keyed struct {
	arg
	of string // the function, or ""
}

// toolName is what programs call a tool.
var toolName = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// servers are the constructors of servers, whose options hold the instructions.
var servers = map[string]bool{"McpServer": true, "MCPServer": true, "FastMCP": true, "Server": true}

// visit reads a definition at a node. It reports whether there may be others below it.
func (r *finder) visit(n *node) bool {
	if n.form == object {
		r.noteKeys(n)
	}

	switch r.f.language {
	case inGo:
		return !r.goNode(n)
	case inPython:
		return !r.pyNode(n)
	}

	return !r.scriptNode(n)
}

func (r *finder) noteKeys(n *node) {
	for _, a := range n.args {
		if a.name == "" || a.value == nil {
			continue
		}

		r.keys[a.value] = keyed{a, ""}
		if first := a.value.positional(0); a.value.form == call && first != nil && first.form == object {
			r.keys[first] = keyed{a, a.value.called()}
		}
	}
}

// definition is a definition that is read: its parts, and what else describes it.
type definition struct {
	kind                     Kind
	name, title, description *node
	// doc is a text beside it, which counts if it has no description.
	doc *node
	// fixed is its name if no expression has it.
	fixed string
	line  int
	// rest are the expressions with its further texts; skip are those in them that are not.
	rest []*node
	more []value
	// results are the types that its function returns.
	results []value
	skip    []*node
	all     bool // also texts like its name and description
	again   bool // it may be registered more than once
	// partly says why a part of it cannot be read, which is at partLine.
	partly    string
	partLine  int
	uncertain bool // a definition only if its name is known
}

// define reads a definition in each environment in which its parts are known. It reports
// whether it is one.
func (r *finder) define(d definition, e *env) bool {
	r.p.steps = 0
	for _, in := range r.p.expand(e, 0, d.name) {
		all := []*env{in}
		r.p.blocked = nil
		if _, ok := r.p.text(d.description, in, 0); !ok && r.p.blocked != nil && r.p.blocked.form == element {
			all = r.p.expand(in, 0, d.description)
		}

		for _, in := range all {
			if !r.defineIn(&d, in) {
				return false
			}
		}
	}

	return true
}

func (r *finder) defineIn(d *definition, e *env) bool {
	r.p.steps = 0
	out := Definition{Kind: d.kind, Name: d.fixed, Line: d.line}
	of := r.f
	key := emission{r.p.value(d.name, e, 0).n, r.p.value(d.description, e, 0).n}
	site := e.called()
	if site == nil && e != nil && key.name != nil && key.name.form == literal {
		site = key.name // an element of a table
	}

	if site != nil {
		out.Line = site.line
		if site.file != r.f {
			of, out.File = site.file, site.file.path
		}
	}

	if key.name != nil && (key.name.form == literal || key.name.form == template) && !d.again {
		if r.p.emitted[key] {
			return true
		}

		r.p.emitted[key] = true
	}

	if d.uncertain {
		if _, ok := r.p.text(d.name, e, 0); !ok {
			return false
		}
	}

	c := &collector{p: r.p, d: &out, file: of, seen: map[*node]bool{}, skip: d.skip, all: d.all}
	problems := len(r.found.Problems)
	r.field(c, &out.Name, d.name, e, computedName)
	r.field(c, &out.Description, d.description, e, computedDescription)
	r.field(c, &out.Title, d.title, e, computedTitle)
	for i := problems; i < len(r.found.Problems); i++ {
		r.found.Problems[i].Name = out.Name
	}

	if d.doc != nil && out.Description == "" && isAbsent(d.description) {
		out.Description = strings.TrimSpace(d.doc.text)
		if d.doc.file == of {
			out.DescriptionLine = d.doc.line
		}
	}

	c.skip = append(slices.Clone(d.skip), d.name, d.description, d.title)
	for _, n := range d.rest {
		c.walk(n, e, 0)
	}

	for _, v := range d.more {
		if v.e == nil {
			v.e = e
		}

		c.walk(v.n, v.e, 0)
	}

	c.quiet++
	for _, v := range d.results {
		c.walk(v.n, v.e, 0)
	}

	r.found.Definitions = append(r.found.Definitions, out)
	switch {
	case d.partly != "":
		r.problemAt(of, out.Name, d.partLine, d.partly)
	case c.unread != nil:
		reason := "a part of its schema was not read: " + c.why
		r.found.Problems = append(r.found.Problems, Problem{Name: out.Name, Line: c.unread.line, Reason: reason,
			File: r.other(c.unread.file)})
	}

	return true
}

func (r *finder) problemAt(f *file, name string, line int, reason string) {
	r.found.Problems = append(r.found.Problems, Problem{Name: name, Line: line, Reason: reason, File: r.other(f)})
}

// other is the path of another file than the one that is read.
func (r *finder) other(f *file) string {
	if f == nil || f == r.f {
		return ""
	}
	return f.path
}

// isAbsent reports whether an argument is not given.
func isAbsent(n *node) bool {
	return n == nil || n.form == name && slices.Contains([]string{"None", "undefined", "nil", "null"}, n.text) ||
		n.form == other && (n.text == "null" || n.text == "undefined")
}

// field reads a text of a definition, and lists a problem if it is computed.
func (r *finder) field(c *collector, into *string, n *node, e *env, problem string) {
	if isAbsent(n) {
		return
	}

	v := r.p.value(n, e, 0)
	if v.n != nil && v.n.file == c.file {
		switch into {
		case &c.d.Title:
			c.d.TitleLine = v.n.line
		case &c.d.Description:
			c.d.DescriptionLine = v.n.line
		}
	}

	text, ok := r.p.text(n, e, 0)
	if *into = text; ok {
		return
	}

	// The text may lack literals of the expression.
	r.found.Problems = append(r.found.Problems, Problem{Line: n.line, Reason: problem, File: r.other(n.file)})
	before := c.unread
	from := len(c.d.Texts)
	if into != &c.d.Name {
		c.walk(n, e, 0)
	}

	c.d.Texts = slices.DeleteFunc(c.d.Texts, func(t Text) bool {
		return strings.Contains(c.d.Description+c.d.Title+c.d.Name, t.Text) && slices.Index(c.d.Texts, t) >= from
	})
	if v.n != nil && v.n.form == function { // that makes the text
		for _, ret := range v.n.fn.returns {
			c.walk(ret, v.e, 0)
		}
	}

	c.unread = before
}

// instructions reads the instructions of a server.
func (r *finder) instructions(n *node) {
	if isAbsent(n) {
		return
	}

	d := Definition{Kind: Instructions, Line: n.line}
	r.p.steps = 0
	c := &collector{p: r.p, d: &d, file: r.f, seen: map[*node]bool{}}
	for _, e := range r.p.expand(nil, 0, n) {
		problems := len(r.found.Problems)
		r.field(c, &d.Description, n, e, computedInstructions)
		for i := problems; i < len(r.found.Problems); i++ {
			r.found.Problems[i].Name = "(instructions)"
		}

		if d.Description != "" || len(d.Texts) > 0 {
			r.found.Definitions = append(r.found.Definitions, d)
		}
	}
}

// registered looks at what is registered without being defined there. It lists a problem
// unless all of it is a definition that is read elsewhere.
func (r *finder) registered(n *node, what ...*node) {
	r.p.steps = 0
	for _, w := range what {
		for _, v := range r.valuesOf(w) {
			if r.isDefinition(v, 0) {
				return
			}
		}
	}

	r.found.problem("", n.line, computedTools)
}

// valuesOf lists what an expression can stand for.
func (r *finder) valuesOf(n *node) (list []value) {
	r.p.blocked = nil
	v := r.p.value(n, nil, 0)
	if r.p.blocked == nil || v.n == nil {
		return []value{v}
	}

	for _, e := range r.p.alternatives(r.p.blocked, nil, 1) {
		list = append(list, r.p.value(n, e, 0))
	}

	return list
}

// isDefinition reports whether a value is read as a definition where it is written.
func (r *finder) isDefinition(v value, depth int) bool {
	if v.n == nil || depth > 3 {
		return false
	}

	switch v.n.form {
	case call:
		last := v.n.called()
		if _, ok := goCalls[last]; ok {
			return true
		}

		if _, ok := goTypes[last]; ok {
			return true
		}

		if v.n.file.language == inPython && (pyTypes[last] == Tool && last == "Tool" || last == "from_function") {
			return true
		}

		for _, a := range v.n.args {
			if r.isDefinition(r.p.value(a.value, v.e, 0), depth+1) {
				return true
			}
		}
	case object:
		_, named := r.p.memberOf(v, "name", 0)
		return named
	case list:
		return len(v.n.args) > 0 && r.isDefinition(r.p.value(v.n.args[0].value, v.e, 0), depth+1)
	case class:
		return v.n.file.language == inScript && len(v.n.fn.bases) > 0
	}

	return false
}

// listed reads the tools that a handler for tools/list returns, and lists a problem if
// some of them are computed.
func (r *finder) listed(n *node, v value, within string) {
	if v.n == nil || v.n.form != function {
		r.found.problem("", n.line, "the function that lists the tools was not found in the source")
		return
	}

	r.p.steps = 0
	for _, ret := range v.n.fn.returns {
		e := v.e
		tools := ret
		if within != "" {
			of := r.p.value(ret, v.e, 0)
			found, ok := r.p.memberOf(of, within, 0)
			if !ok {
				r.found.problem("", ret.line,
					"the list of tools that is returned here is computed when the server runs")
				continue
			}

			tools, e = found.n, found.e
		}

		elements, complete := r.p.elements(tools, e, 0)
		for _, el := range elements {
			at := r.p.value(el.n, el.e, 0)
			if at.n != nil && at.n.form == object {
				r.p.steps = 0
				complete = r.defineObject(at) && complete
			} else {
				complete = r.isDefinition(at, 0) && complete
			}
		}

		if !complete {
			r.found.problem("", ret.line,
				"the list of tools that is returned here is computed in part when the server runs")
		}
	}
}

// defineObject reads an element of a list of tools.
func (r *finder) defineObject(v value) bool {
	part := func(names ...string) *node {
		for _, text := range names {
			if found, ok := r.p.memberOf(v, text, 0); ok {
				// The member may belong to another environment than the object.
				held := &node{form: element, line: found.n.line, file: found.n.file, scope: found.n.scope}
				v.e = &env{of: held, is: found, next: v.e}
				return held
			}
		}
		return nil
	}
	d := definition{name: part("name"), description: part("description"), title: part("title"), line: v.n.line,
		rest: []*node{part("inputSchema", "parameters", "input_schema")}}
	if d.name == nil {
		return false
	}

	if _, ok := r.p.text(d.name, v.e, 0); !ok {
		return false
	}

	if name := r.p.value(d.name, v.e, 0); name.n.file == r.f {
		d.line = name.n.line
	}

	return r.define(d, v.e)
}
