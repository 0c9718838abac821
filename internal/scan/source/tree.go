package source

import "strconv"

// form is what a node is. The languages share the forms, so that one evaluator serves
// all of them.
type form uint8

const (
	other         form = iota // anything else: only its parts matter
	literal                   // a string, as text
	template                  // a string with values: its args are literals and expressions
	sum                       // its args, joined by +
	choice                    // one of its args, which the running program chooses
	name                      // text, looked up in scope
	member                    // the member text of x
	index                     // the element of x at args[0]
	call                      // of x with args
	object                    // members
	list                      // elements
	comprehension             // args[0] for each value of the element args[1]
	function                  // with fn and its own scope
	class                     // the same; its fields are fn.params
	parameter                 // of the function x, unless x is the class whose object it is
	element                   // each element of x in turn
	imported                  // the symbol text of the module, or all of it if text is ""
)

// node is an expression or a declaration.
type node struct {
	form   form
	text   string
	module string // of an import
	line   int    // from 1
	file   *file
	x      *node
	args   []arg
	scope  *scope
	fn     *body
}

// arg is an argument, a member or an element. The key of a member is there unless it is a
// plain name; name is "" if it is computed.
type arg struct {
	name   string
	key    *node
	value  *node
	spread bool
}

// body is what a function or a class has.
type body struct {
	params     []param
	returns    []*node
	nodes      []*node // of the statements, in order
	doc        *node
	decorators []*node
	bases      []*node // of a class; of a function, its results
	class      *node   // of a method
}

// param is a parameter of a function, or a field of a class.
type param struct {
	name       string
	node       *node // of form parameter, or nil for a field
	annotation *node
	fallback   *node
	tag        string // of a field in Go
	tagLine    int
	self, rest bool
}

// scope holds what is declared in a block: each name with all that is assigned to it.
type scope struct {
	parent *scope
	decls  map[string][]*node
	class  bool // names in it are not visible to the functions inside it
}

func newScope(parent *scope) *scope { return &scope{parent: parent, decls: map[string][]*node{}} }

func (s *scope) declare(name string, n *node) {
	if n != nil && name != "" {
		s.decls[name] = append(s.decls[name], n)
	}
}

// lookup returns what is assigned to a name, and the scope that declares it.
func (s *scope) lookup(name string) ([]*node, *scope) {
	for at := s; at != nil; at = at.parent {
		if d := at.decls[name]; len(d) > 0 && (!at.class || at == s) {
			return d, at
		}
	}
	return nil, nil
}

// each calls visit for a node and all nodes below it, in the order of the source. Nodes
// below one for which visit returns false are left out.
func (n *node) each(visit func(*node) bool) {
	if n == nil || !visit(n) {
		return
	}

	if n.form != parameter {
		n.x.each(visit)
	}

	if n.fn != nil {
		for _, d := range n.fn.decorators {
			d.each(visit)
		}

		for _, p := range n.fn.params {
			if n.form == class {
				break // its fields are among the nodes
			}

			p.annotation.each(visit)
			p.fallback.each(visit)
		}

		for _, b := range n.fn.bases {
			b.each(visit)
		}

		for _, b := range n.fn.nodes {
			b.each(visit)
		}
	}

	for _, a := range n.args {
		a.key.each(visit)
		a.value.each(visit)
	}
}

// called is the last name of what a call calls, such as tool for a.b.tool(), or "".
func (n *node) called() string {
	if n == nil || n.form != call {
		return ""
	}
	return n.x.last()
}

// last is the last name of a name or a member.
func (n *node) last() string {
	for n != nil && n.form == index { // type arguments
		n = n.x
	}
	if n != nil && (n.form == name || n.form == member) {
		return n.text
	}
	return ""
}

// get returns the value of a named argument or member that is written out, or nil.
func (n *node) get(name string) *node {
	for i := len(n.args) - 1; i >= 0; i-- {
		if a := n.args[i]; a.name == name && !a.spread {
			return a.value
		}
	}
	return nil
}

// positional returns the i-th argument without a name, or nil.
func (n *node) positional(i int) *node {
	for _, a := range n.args {
		if a.name != "" || a.spread || a.key != nil {
			continue
		}
		if i--; i < 0 {
			return a.value
		}
	}
	return nil
}

// number is the name of the i-th member of a list.
func number(i int) string { return strconv.Itoa(i) }
