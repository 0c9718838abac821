package source

import (
	"cmp"
	"fmt"
	"strings"
)

// collector adds the texts below a definition to it, and notes what it cannot read.
type collector struct {
	p    *project
	d    *Definition
	file *file // of the definition
	seen map[*node]bool
	skip []*node // what was read otherwise
	// all is whether to add texts that the definition has as its name or description.
	all    bool
	unread *node
	why    string
	quiet  int // what is missing does not matter
}

// maxTexts bounds the further texts of a definition.
const maxTexts = 10_000

func (c *collector) add(text string, n *node) {
	if strings.TrimSpace(text) == "" || len(c.d.Texts) >= maxTexts ||
		!c.all && (text == c.d.Name || text == c.d.Title || text == c.d.Description) {
		return
	}

	if parsed, ok := jsonTexts(text); ok {
		for _, t := range parsed {
			t.Line += n.line
			c.d.Texts = append(c.d.Texts, c.placed(t, n.file))
		}
		return
	}

	c.d.Texts = append(c.d.Texts, c.placed(Text{Text: text, Line: n.line}, n.file))
}

// placed leaves out the line of a text of another file than that of the definition.
func (c *collector) placed(t Text, f *file) Text {
	if f != c.file {
		t.File = f.path
	}
	return t
}

// miss notes something that cannot be read.
func (c *collector) miss(n *node, why string) {
	if c.unread == nil && c.quiet == 0 {
		c.unread, c.why = n, why
	}
}

// walk adds the texts of an expression and of everything that it names.
func (c *collector) walk(n *node, e *env, depth int) {
	if n == nil || depth > 4*maxSteps || len(c.d.Texts) >= maxTexts {
		return
	}

	for _, s := range c.skip {
		if s == n {
			return
		}
	}

	if c.p.steps++; c.p.steps > maxWork {
		c.miss(n, "it is too large")
		return
	}

	switch n.form {
	case literal:
		c.add(n.text, n)
	case template, sum:
		c.walkSum(n, e, depth)
	case name, member, index, parameter, element, imported:
		c.walkName(n, e, depth)
	case call:
		c.walkCall(n, e, depth)
	case class:
		c.walkClass(n, e, depth)
	case function: // what runs later is no text of the definition
	default:
		c.walkParts(n, e, depth)
	}
}

func (c *collector) walkParts(n *node, e *env, depth int) {
	c.walk(n.x, e, depth+1)
	for _, a := range n.args {
		if a.key != nil && a.key.scope == nil && a.key.form == name {
			c.walk(a.value, e, depth+1)
			continue // a plain key
		}

		c.walk(a.key, e, depth+1)
		c.walk(a.value, e, depth+1)
	}
}

func (c *collector) walkSum(n *node, e *env, depth int) {
	text, ok := c.p.text(n, e, 0)
	if ok || n.form == template {
		c.add(text, n)
	}

	if ok {
		return
	}

	for _, a := range n.args {
		if n.form != template || a.value.form != literal {
			c.walk(a.value, e, depth+1)
		}
	}
}

// walkName follows a name, a member or an index.
func (c *collector) walkName(n *node, e *env, depth int) {
	v := c.p.value(n, e, 0)
	if v.n == nil {
		return
	}

	if v.n != n {
		if v.n.form == parameter || v.n.form == element || v.n.form == imported {
			c.unresolved(v, depth)
			return
		}

		if c.seen[v.n] && v.n.form != literal {
			return
		}

		c.seen[v.n] = true
		c.walk(v.n, v.e, depth+1)
		return
	}

	switch n.form {
	case member:
		base := c.p.value(n.x, e, 0)
		if base.n != nil && base.n.form == imported {
			if !c.p.library(base.n) {
				c.external(base.n, n.text)
			}

			return
		}

		if base.n != nil && (base.n.form == parameter || base.n.form == element) {
			c.unresolved(base, depth)
			return
		}

		c.walk(n.x, e, depth+1)
	case index:
		c.walkParts(n, e, depth)
	default:
		c.unresolved(v, depth)
	}
}

// unresolved notes what only the running program knows.
func (c *collector) unresolved(v value, depth int) {
	switch n := v.n; n.form {
	case parameter:
		if n.x != nil && n.x.form == function {
			c.miss(n, "the parameter "+cmp.Or(n.text, "of a function")+" is known when the server runs")
		}
	case element:
		c.walk(n.x, v.e, depth+1)
	case imported:
		if !c.p.library(n) {
			c.external(n, n.text)
		}
	}
}

func (c *collector) external(n *node, symbol string) {
	what := fmt.Sprintf("%s of %s", symbol, n.module)
	if symbol == "" || symbol == "default" || symbol == "embed" {
		what = n.module
	}
	c.miss(n, what+" is not in the source")
}

func (c *collector) walkCall(n *node, e *env, depth int) {
	if text, ok := c.p.text(n, e, 0); ok {
		c.add(text, n)
		return
	}

	f := c.p.value(n.x, e, 0)
	switch {
	case n.module == "new" && n.file.language == inGo: // a literal of a struct
		if n.x != nil && n.x.form == index {
			c.walkParts(n.x, e, depth)
		}
	case f.n == nil:
	case f.n.form == function:
		c.walkFunction(f, value{n, e}, depth)
	case f.n.form == class:
		if !c.seen[f.n] {
			c.seen[f.n] = true
			c.walkClass(f.n, f.e, depth+1)
		}
	case n.x.form == call:
		c.walk(n.x, e, depth+1)
	case n.x.form == index:
		c.walkParts(n.x, e, depth) // type arguments
	case n.x.form == member:
		c.walkReceiver(n, e, depth)
	case f.n.form == imported && len(n.args) == 0 && !c.p.library(f.n):
		c.external(f.n, f.n.text)
	case f.n.form == parameter && f.n.x != nil && f.n.x.form == function:
		c.unresolved(f, depth)
	}

	if f.n != nil && f.n.form == function {
		c.quiet++ // what the function makes of them is read
		defer func() { c.quiet-- }()
	}

	args := n.args
	if isTranslator(n.called()) && len(args) > 0 {
		args = args[len(args)-1:] // the others are keys
	}

	for _, a := range args {
		if v := c.p.value(a.value, e, 0); v.n != nil && v.n.form == function && a.value.form != call {
			continue
		}

		c.walk(a.key, e, depth+1)
		c.walk(a.value, e, depth+1)
	}
}

// walkReceiver reads what a method is called of, such as schema in schema.describe("...").
func (c *collector) walkReceiver(n *node, e *env, depth int) {
	of := c.p.value(n.x.x, e, 0)
	if of.n != nil && of.n.form == imported {
		if !c.p.library(of.n) && (!c.p.known(of.n) || len(n.args) == 0) {
			c.external(of.n, n.x.text)
		}
		return
	}
	c.walk(n.x.x, e, depth+1)
}

// walkFunction reads what a function of the project makes of its arguments: what it
// returns, and all of it if it returns a function.
func (c *collector) walkFunction(f, called value, depth int) {
	if c.seen[f.n] && len(called.n.args) == 0 {
		return
	}

	c.seen[f.n] = true
	e := c.p.bind(f, called)
	for _, r := range f.n.fn.returns {
		v := c.p.value(r, e, 0)
		if v.n == nil || v.n.form != function {
			c.walk(r, e, depth+1)
			continue
		}

		c.quiet++
		for _, n := range v.n.fn.nodes {
			c.walk(n, e, depth+1)
		}

		c.quiet--
	}
}

// walkClass reads the fields of a class or struct: types, tags, defaults and the text
// beside it.
func (c *collector) walkClass(n *node, e *env, depth int) {
	c.p.taken[n] = true
	if n.file.language == inPython {
		c.walk(n.fn.doc, e, depth+1)
	}

	for _, b := range n.fn.bases {
		c.walk(b, e, depth+1)
	}

	for _, f := range n.fn.params {
		for _, text := range described(f.tag) {
			c.add(text, &node{line: f.tagLine, file: n.file})
		}

		if f.fallback != nil && f.fallback.form == function {
			continue
		}

		c.walk(f.annotation, e, depth+1)
		c.walk(f.fallback, e, depth+1)
	}
}
