package source

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// scriptCalls are the methods that register something under a name. Other libraries have
// methods of the short names too, so these count only with a name that is known.
var scriptCalls = map[string]struct {
	kind  Kind
	short bool
}{
	"registerTool": {Tool, false}, "registerPrompt": {Prompt, false}, "registerResource": {Resource, false},
	"tool": {Tool, true}, "prompt": {Prompt, true}, "resource": {Resource, true},
	"addTool": {Tool, false}, "addPrompt": {Prompt, false}, "addResource": {Resource, false},
}

// scriptFunctions register something at the server that is their first argument.
var scriptFunctions = map[string]Kind{"registerAppTool": Tool, "registerAppResource": Resource}

// scriptNode reads a definition in TypeScript or JavaScript, and reports whether nothing below
// it is one.
func (r *finder) scriptNode(n *node) bool {
	switch n.form {
	case call:
		return r.scriptCall(n)
	case class:
		r.scriptClass(n)
	case object:
		return r.object(n)
	}

	return false
}

func (r *finder) scriptCall(n *node) bool {
	called := n.called()
	c, ok := scriptCalls[called]
	switch {
	case ok && n.x.form == member:
		return r.scriptRegistration(n, n.args, c.kind, c.short)
	case servers[called] && n.module == "new":
		for _, a := range n.args {
			if v := r.p.value(a.value, nil, 0); v.n != nil && v.n.form == object {
				r.instructions(v.n.get("instructions"))
			}
		}
	case called == "setRequestHandler" && len(n.args) > 1:
		if first := n.args[0].value; first.last() == "ListToolsRequestSchema" || first.text == "tools/list" {
			r.listed(n, r.p.value(n.args[1].value, nil, 0), "tools")
		}
	case len(n.args) > 2:
		if kind, ok := scriptFunctions[called]; ok {
			return r.scriptRegistration(n, n.args[1:], kind, false)
		}
	}

	return false
}

// serverName is what programs call a server.
var serverName = lazyregexp.New(`(?i)server|mcp`)

// scriptRegistration reads a call, and reports whether it is a definition.
func (r *finder) scriptRegistration(n *node, args []arg, kind Kind, short bool) bool {
	if len(args) == 0 {
		return false
	}

	r.p.steps = 0
	if args[0].spread {
		r.found.problem("", n.line, computedTools)
		return false
	}

	first := r.p.value(args[0].value, nil, 0)
	if first.n != nil && first.n.form == object { // addTool({name: ...})
		return args[0].value.form == object && r.objectOf(args[0].value, kind) || args[0].value.form != object &&
			r.defineObject(first)
	}

	d := definition{kind: kind, name: args[0].value, line: n.line, uncertain: short}
	if len(args) == 1 {
		if !short && r.f.sdk() != "" && first.n != nil && first.n.form != literal {
			r.registered(n, args[0].value)
		}

		return false // it fetches a tool
	}

	if short && len(r.knownNames(args[0].value)) == 0 {
		if n.x.form == member && serverName().MatchString(n.x.x.last()) && r.f.sdk() != "" {
			r.found.problem("", n.line, computedTools)
		}

		return false
	}

	sample := r.p.expand(nil, 0, args[0].value)[0]
	for k, a := range args[1:] {
		r.scriptArgument(&d, args, k, a, kind, short, sample)
	}

	return r.define(d, nil)
}

// knownNames lists the environments in which an expression is a text.
func (r *finder) knownNames(n *node) (known []*env) {
	for _, e := range r.p.expand(nil, 0, n) {
		if _, ok := r.p.text(n, e, 0); ok {
			known = append(known, e)
		}
	}
	return known
}

// scriptArgument reads the k-th argument behind the name. sample is an environment in which
// the name is known, if there is one.
func (r *finder) scriptArgument(d *definition, args []arg, k int, a arg, kind Kind, short bool, sample *env) {
	v := r.p.value(a.value, sample, 0)
	_, isText := r.p.text(a.value, sample, 0)
	switch {
	case v.n == nil || v.n.form == function:
	case k == 0 && kind == Resource && v.n.form != object:
		// server.resource("name", "uri", ...)
		if d.name = a.value; isText || a.value.form != call {
			d.rest, d.all = append(d.rest, args[0].value), true
			return
		}

		d.name = args[0].value
		d.rest = append(d.rest, a.value)
	case v.n.form == object && !short && a.value.form == object:
		r.options(d, value{a.value, nil})
	case v.n.form == object && !short && sample != nil: // the options of each element of a table
		for into, text := range map[**node]string{&d.description: "description", &d.title: "title"} {
			if _, ok := r.p.memberOf(v, text, 0); ok && *into == nil {
				*into = &node{form: member, text: text, x: a.value, line: a.value.line, file: r.f}
			}
		}

		d.rest = append(d.rest, a.value)
	case v.n.form == object && !short:
		r.options(d, v)
	case v.n.form == object:
		d.rest = append(d.rest, a.value)
	case k == 0 && (isText || v.n.form == literal || v.n.form == template):
		d.description = a.value
	case k == 0 && kind == Tool && len(args) > 2 && r.unreadable(a.value, v, short) != "":
		d.partly, d.partLine = r.unreadable(a.value, v, short), a.value.line
		d.rest = append(d.rest, a.value)
	default:
		d.rest = append(d.rest, a.value)
	}
}

// unreadable says why an argument that should describe a tool cannot be read, or "".
func (r *finder) unreadable(n *node, v value, short bool) string {
	switch {
	case v.n.form == imported || v.n.form == name:
		return definedElsewhere
	case v.n.form == parameter || v.n.form == element:
		return computedDescription
	case short && (v.n.form == call || v.n.form == sum || v.n.form == template) && n.form != name && !r.isSchema(v.n):
		return computedDescription
	}
	return ""
}

// isSchema reports whether a call is a method of a library for schemas.
func (r *finder) isSchema(n *node) bool {
	for n != nil && (n.form == call || n.form == member) {
		n = n.x
	}
	if n == nil || n.form != name {
		return false
	}
	v := r.p.value(n, nil, 0)
	return n.text == "z" || v.n != nil && v.n.form == imported && r.p.library(v.n)
}

// options reads an object with the description and the schema of a definition.
func (r *finder) options(d *definition, v value) {
	for _, a := range v.n.args {
		switch {
		case a.name == "description" && d.description == nil:
			d.description = a.value
		case a.name == "title":
			d.title = a.value
		case a.name == "name" && d.kind != Resource:
		default:
			d.more = append(d.more, value{a.value, v.e})
			if a.key != nil && a.key.form == literal {
				d.rest = append(d.rest, a.key)
			}
		}
	}

	if d.description == nil {
		if found, ok := r.p.memberOf(v, "description", 0); ok {
			d.description = found.n
		}
	}
}

// object reads an object if it has what a list of tools or prompts has.
func (r *finder) object(n *node) bool {
	schema := r.hasSchema(n)
	if n.get("name") == nil {
		return schema && r.keyedObject(n)
	}

	if schema {
		return r.objectOf(n, Tool)
	}

	if p := n.get("arguments"); p != nil && p.form == list {
		return r.objectOf(n, Prompt)
	}

	return false
}

// hasSchema reports whether an object has the schema of a tool's parameters. A list is none.
func (r *finder) hasSchema(n *node) bool {
	spread := slices.ContainsFunc(n.args, func(a arg) bool { return a.spread })
	for _, key := range []string{"inputSchema", "parameters", "input_schema"} {
		p := n.get(key)
		if spread && p == nil {
			r.p.steps = 0
			found, _ := r.p.memberOf(value{n, nil}, key, 0)
			if p = found.n; p == n {
				p = nil
			}
		}

		if p != nil && p.form != list {
			return true
		}
	}

	return false
}

// keyedObject reads an object that is the value of a member, or the argument of a function
// that is: { add: {description, parameters} } and { add: tool({...}) } name the tool by the
// member. It reports whether it is one.
func (r *finder) keyedObject(n *node) bool {
	key, ok := r.keys[n]
	description := n.get("description")
	if !ok || description == nil || !toolName().MatchString(key.name) {
		return false
	}

	r.p.steps = 0
	if text, ok := r.p.text(description, nil, 0); ok && !strings.Contains(text, " ") || !ok &&
		!(key.of != "" && strings.HasSuffix(strings.ToLower(key.of), "tool")) {
		return false
	}

	d := definition{kind: Tool, name: r.p.keyName(key.arg), line: n.line}
	d.line = d.name.line

	r.options(&d, value{n, nil})
	return r.define(d, nil)
}

// objectOf reads an object that is a definition.
func (r *finder) objectOf(n *node, kind Kind) bool {
	d := definition{kind: kind, line: n.line, name: n.get("name")}
	if uri := n.get("uri"); uri != nil && kind == Resource {
		d.name = uri
	}

	if d.name == nil {
		return false
	}

	for _, a := range n.args {
		switch {
		case a.value == d.name:
		case a.name == "description":
			d.description = a.value
		case a.name == "title":
			d.title = a.value
		case a.value != nil && a.value.form == function:
		default:
			if a.key != nil && a.key.form == literal {
				d.rest = append(d.rest, a.key)
			}

			d.rest = append(d.rest, a.value)
		}
	}

	return r.define(d, nil)
}

// scriptClass reads a class that extends one of tools, and has the name and the description of a
// tool as fields.
func (r *finder) scriptClass(n *node) {
	if slices.ContainsFunc(n.fn.bases, func(b *node) bool { return strings.Contains(b.last(), "Tool") }) {
		r.classOf(n, "toolName", "name")
	}
}
