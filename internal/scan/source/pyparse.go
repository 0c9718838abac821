package source

import (
	"slices"
	"strings"
)

// python parses a file of Python into nodes: its definitions, assignments, imports, calls
// and literals. What it does not know is read as an expression without meaning, so that
// every file can be parsed.
type python struct {
	file  *file
	toks  []lexeme
	i     int
	depth int // of brackets
	deep  int // of expressions
	scope *scope
	fn    *body // of the innermost function or module
	class *node // of the methods that are read
	self  string
	after []*node // decorators
}

// maxDepth bounds the nesting of expressions and blocks.
const maxDepth = 200

func parsePython(f *file, text string) {
	p := &python{file: f, toks: lex(text), scope: f.scope, fn: f.root.fn}
	p.block(0)
}

func (p *python) tok() lexeme { return p.at(0) }

func (p *python) at(k int) lexeme {
	if p.i+k >= len(p.toks) {
		return lexeme{kind: sign, first: true}
	}
	return p.toks[p.i+k]
}

func (p *python) eof() bool { return p.i >= len(p.toks) }

func (p *python) accept(text string) bool {
	if p.tok().is(text) && !p.eof() {
		p.i++
		return true
	}
	return false
}

// ended reports whether the logical line has no more tokens.
func (p *python) ended() bool {
	return p.eof() || p.depth == 0 && p.tok().first || p.tok().is(";")
}

func (p *python) node(f form, line int) *node { return &node{form: f, line: line, file: p.file} }

// block reads the statements that are indented by at least a column.
func (p *python) block(column int) {
	for !p.eof() && (p.tok().column >= column || !p.tok().first) {
		from := p.i
		p.statement()
		p.accept(";")
		if p.i == from {
			p.i++
		}
	}
}

// suite reads the block behind a colon. column is that of its heading.
func (p *python) suite(column int) {
	p.depth = 0
	for !p.ended() && !p.tok().is(":") {
		p.i++
	}

	p.accept(":")
	p.simpleOrBlock(column)
}

func (p *python) simpleOrBlock(column int) {
	p.deep++
	defer func() { p.deep-- }()
	switch {
	case p.deep > maxDepth:
		for !p.eof() && !(p.tok().first && p.tok().column <= column) {
			p.i++
		}
	case p.tok().first && p.tok().column > column:
		p.block(column + 1)
	case !p.tok().first:
		for !p.eof() && !p.tok().first {
			from := p.i
			p.statement()
			p.accept(";")
			if p.i == from {
				p.i++
			}
		}
	}
}

// add adds a node to the body.
func (p *python) add(n *node) *node {
	if n != nil {
		p.fn.nodes = append(p.fn.nodes, n)
	}
	return n
}

func (p *python) statement() {
	t := p.tok()
	p.depth = 0
	if !p.eof() {
		p.toks[p.i].first = false // the line begins here, and does not end
	}

	if t.kind != word {
		if p.accept("@") {
			p.after = append(p.after, p.expression())
			return
		}

		p.expressionStatement()
		return
	}

	switch t.text {
	case "async":
		p.i++
	case "def":
		p.function()
	case "class":
		p.classOf()
	case "if", "elif", "while", "with", "except", "match", "case":
		if next := p.at(1); t.text == "match" || t.text == "case" {
			if next.first || next.is("=") || next.is(".") || next.is("(") && t.text == "match" && !p.heads() {
				p.expressionStatement()
				return
			}
		}

		p.i++
		for !p.ended() && !p.tok().is(":") {
			value := p.add(p.expression())
			if p.accept("as") {
				p.target(p.expression(), value)
			}

			if !p.accept(",") && !p.tok().is(":") {
				p.i++
			}
		}

		p.suite(t.column)
	case "for":
		p.i++
		target := p.targets()
		p.accept("in")
		e := p.node(element, t.line)
		e.x = p.add(p.expressions())
		p.target(target, e)
		p.suite(t.column)
	case "else", "try", "finally":
		p.i++
		p.suite(t.column)
	case "return", "yield":
		p.i++
		if !p.ended() {
			p.fn.returns = append(p.fn.returns, p.add(p.expressions()))
		}
	case "import":
		p.imports()
	case "from":
		p.importsFrom()
	case "pass", "break", "continue", "global", "nonlocal", "del", "raise", "assert":
		p.i++
		for !p.ended() {
			p.add(p.expression())
			if !p.ended() {
				p.i++
			}
		}
	default:
		p.expressionStatement()
	}
}

// heads reports whether the line ends with a colon: it is the head of a block.
func (p *python) heads() bool {
	for k := 1; p.i+k < len(p.toks); k++ {
		if p.at(k + 1).first {
			return p.at(k).is(":")
		}
	}
	return false
}

func (p *python) expressionStatement() {
	first := p.expressions()
	if first == nil {
		return
	}

	targets := []*node{first}
	var annotation *node
	if p.tok().is(":") && !p.at(1).is("=") {
		p.i++
		annotation = p.expression()
	}

	for {
		augmented := !p.ended() && !p.tok().is("=") && p.tok().kind == sign && p.at(1).is("=")
		if augmented {
			p.i++
		}

		if !p.accept("=") {
			break
		}

		value := p.expressions()
		if value == nil {
			break
		}

		if p.tok().is("=") {
			targets = append(targets, value)
			continue
		}

		p.add(value)
		for _, t := range targets {
			p.target(t, value)
		}

		p.field(first, annotation, value)
		return
	}

	if annotation != nil {
		p.add(annotation)
		p.field(first, annotation, nil)
		return
	}

	p.add(first)
}

// field notes a field of a class.
func (p *python) field(target, annotation, value *node) {
	if p.scope.class && target.form == name {
		p.class.fn.params = append(p.class.fn.params, param{name: target.text, annotation: annotation, fallback: value})
	}
}

// target declares what is assigned to an expression.
func (p *python) target(t, value *node) {
	switch {
	case t == nil || value == nil:
	case t.form == name:
		if value.fn != nil && value.text == "" {
			value.text = t.text
		}

		p.scope.declare(t.text, value)
	case t.form == list:
		for i, a := range t.args {
			n := p.node(index, t.line)
			n.x, n.args = value, []arg{{value: &node{form: other, text: number(i), line: t.line, file: p.file}}}
			p.target(a.value, n)
		}
	case t.form == member && t.x != nil && t.x.form == name && p.class != nil && t.x.text == p.self:
		p.class.scope.declare(t.text, value)
	}
}

// targets reads the names between for and in.
func (p *python) targets() *node {
	n := p.node(list, p.tok().line)
	for !p.ended() && !p.tok().is("in") && !p.tok().is(":") {
		if t := p.primary(); t != nil {
			n.args = append(n.args, arg{value: t})
		} else {
			p.i++
		}

		p.accept(",")
	}

	if len(n.args) == 1 {
		return n.args[0].value
	}

	return n
}

func (p *python) function() {
	line, column := p.tok().line, p.tok().column
	if p.i > 0 && p.toks[p.i-1].is("async") {
		column = p.toks[p.i-1].column
	}

	p.i++
	n := p.node(function, line)
	n.text = p.tok().text
	n.fn = &body{decorators: p.after}
	p.after = nil
	n.scope = newScope(p.scope)
	p.i++
	if p.scope.class {
		n.fn.class = p.class
	}

	saved := *p
	p.parameters(n, ")")
	if p.tok().is("-") && p.at(1).is(">") {
		p.i += 2
		n.fn.bases = append(n.fn.bases, p.expression())
	}

	p.scope, p.fn = n.scope, n.fn
	if n.fn.class != nil && len(n.fn.params) > 0 {
		p.self = n.fn.params[0].name
	}

	n.fn.doc = p.docstring()

	p.suite(column)
	p.scope, p.fn, p.self, p.class = saved.scope, saved.fn, saved.self, saved.class
	p.scope.declare(n.text, n)
	if p.scope.class {
		p.class.fn.params = append(p.class.fn.params, param{name: n.text, fallback: n})
	}

	p.add(n)
}

// docstring returns the text behind the colon of a definition, or nil.
func (p *python) docstring() *node {
	doc := p.at(1)
	if !p.tok().is(":") || p.i+1 >= len(p.toks) || doc.kind != str || len(doc.parts) > 0 {
		return nil
	}
	n := p.node(literal, doc.line)
	n.text = doc.text
	return n
}

// parameters reads the parameters of a function up to a closing token.
func (p *python) parameters(n *node, end string) {
	if end == ")" && !p.accept("(") {
		return
	}

	if end == ")" {
		p.depth++
		defer func() { p.depth-- }()
	}

	for !p.eof() && !p.accept(end) {
		from := p.i
		star := false
		for p.accept("*") || p.accept("/") {
			star = true
		}

		if t := p.tok(); t.kind == word {
			p.i++
			q := param{name: t.text, node: p.node(parameter, t.line), rest: star}
			q.node.text, q.node.x = t.text, n
			if end == ")" && p.accept(":") {
				q.annotation = p.expression()
			}

			if p.accept("=") {
				q.fallback = p.expression()
			}

			if len(n.fn.params) == 0 && n.fn.class != nil && (t.text == "self" || t.text == "cls") {
				q.self, q.node.x = true, n.fn.class
			}

			n.fn.params = append(n.fn.params, q)
			n.scope.declare(q.name, q.node)
		}

		p.accept(",")
		if p.i == from {
			p.i++
		}
	}
}

func (p *python) classOf() {
	line, column := p.tok().line, p.tok().column
	p.i++
	n := p.node(class, line)
	n.text, n.fn, n.scope = p.tok().text, &body{decorators: p.after}, newScope(p.scope)
	n.scope.class = true
	p.after = nil
	p.i++
	if p.tok().is("[") {
		p.primaryOf(p.node(other, line))
	}

	if p.tok().is("(") {
		bases := p.arguments()
		for _, b := range bases {
			n.fn.bases = append(n.fn.bases, b.value)
		}
	}

	saved := *p
	p.scope, p.fn, p.class = n.scope, n.fn, n
	n.fn.doc = p.docstring()

	p.suite(column)
	p.scope, p.fn, p.class, p.self = saved.scope, saved.fn, saved.class, saved.self
	p.scope.declare(n.text, n)
	p.add(n)
}

func (p *python) imports() {
	p.i++
	for !p.ended() {
		path := p.dotted()
		n := p.node(imported, p.tok().line)
		n.module = path
		p.file.imports = append(p.file.imports, path)
		if p.accept("as") {
			p.scope.declare(p.tok().text, n)
			p.i++
		} else if first, _, more := strings.Cut(path, "."); more {
			n.module = first
			p.scope.declare(first, n)
		} else {
			p.scope.declare(path, n)
		}

		if !p.accept(",") {
			break
		}
	}
}

func (p *python) dotted() string {
	var b strings.Builder
	for !p.ended() && (p.tok().is(".") || p.tok().kind == word && !p.tok().is("import") && !p.tok().is("as")) {
		b.WriteString(p.tok().text)
		p.i++
	}
	return b.String()
}

func (p *python) importsFrom() {
	p.i++
	module := p.dotted()
	if module != "mcp" {
		p.file.imports = append(p.file.imports, module)
	}

	if !p.accept("import") {
		return
	}

	if p.accept("(") {
		p.depth++
	}

	for !p.ended() && !p.tok().is(")") {
		if p.accept("*") {
			p.file.stars = append(p.file.stars, module)
			continue
		}

		n := p.node(imported, p.tok().line)
		n.module, n.text = module, p.tok().text
		if module == "mcp" { // which is for clients and for servers
			p.file.imports = append(p.file.imports, module+"."+n.text)
		}

		p.i++
		as := n.text
		if p.accept("as") {
			as = p.tok().text
			p.i++
		}

		p.scope.declare(as, n)
		if !p.accept(",") && !p.tok().is(")") && !p.ended() {
			p.i++
		}
	}

	if p.depth > 0 {
		p.depth--
		p.accept(")")
	}
}

// expressions reads expressions joined by commas: a tuple if there are several.
func (p *python) expressions() *node {
	first := p.expression()
	if !p.tok().is(",") || p.ended() || first == nil {
		return first
	}

	n := p.node(list, first.line)
	n.args = []arg{{value: first}}
	for !p.ended() && p.accept(",") {
		if p.ended() || p.tok().is("=") {
			break
		}

		if e := p.expression(); e != nil {
			n.args = append(n.args, arg{value: e})
		}
	}

	return n
}

// pyOperators are signs between two operands.
const pyOperators = "+-*/%|&^<>@~!"

// expression reads an expression, or returns nil.
func (p *python) expression() *node {
	if p.deep++; p.deep > maxDepth {
		p.deep--
		p.skipExpression()
		return nil
	}

	defer func() { p.deep-- }()
	if p.ended() {
		return nil
	}

	if p.tok().is("lambda") {
		return p.lambda()
	}

	line := p.tok().line
	n := p.operands()
	switch {
	case n == nil:
		return nil
	case p.tok().is("if") && !p.ended():
		p.i++
		p.operands()
		c := p.node(choice, line)
		c.args = []arg{{value: n}}
		if p.accept("else") {
			if e := p.expression(); e != nil {
				c.args = append(c.args, arg{value: e})
			}
		}

		return c
	case p.tok().is(":") && p.at(1).is("="):
		p.i += 2
		v := p.expression()
		p.target(n, v)
		return v
	}

	return n
}

// skipExpression moves to the end of what is nested too deep.
func (p *python) skipExpression() {
	for open := 0; !p.eof(); p.i++ {
		switch t := p.tok(); {
		case t.is("(") || t.is("[") || t.is("{"):
			open++
		case t.is(")") || t.is("]") || t.is("}"):
			if open--; open < 0 {
				return
			}
		}
	}
}

func (p *python) lambda() *node {
	n := p.node(function, p.tok().line)
	n.fn, n.scope = &body{}, newScope(p.scope)
	p.i++
	p.parameters(n, ":")
	saved, fn := p.scope, p.fn
	p.scope, p.fn = n.scope, n.fn
	if e := p.expression(); e != nil {
		n.fn.returns, n.fn.nodes = []*node{e}, []*node{e}
	}
	p.scope, p.fn = saved, fn
	return n
}

// operands reads operands and the operators between them.
func (p *python) operands() *node {
	line := p.tok().line
	var parts []arg
	sums, alternatives, others := 0, 0, 0
	for {
		for p.tok().kind == sign && strings.Contains("-+~*", p.tok().text) && p.tok().text != "" || p.tok().is("not") ||
			p.tok().is("await") {
			p.i++
		}

		operand := p.primary()
		if operand == nil {
			break
		}

		parts = append(parts, arg{value: operand})
		if p.ended() {
			break
		}

		switch t := p.tok(); {
		case t.is("+") && !p.at(1).is("="):
			sums++
			p.i++
		case t.is("or") || t.is("and"):
			alternatives++
			p.i++
		case t.is("in") || t.is("is") || t.is("not"):
			others++
			for p.tok().is("in") || p.tok().is("is") || p.tok().is("not") {
				p.i++
			}
		case t.is("=") && p.at(1).is("="), t.is("!") && p.at(1).is("="), t.is("<") && p.at(1).is("="),
			t.is(">") && p.at(1).is("="):
			others++
			p.i += 2
		case t.kind == sign && t.text != "" && strings.Contains(pyOperators, t.text) && !p.at(1).is("=") &&
			!(t.is("-") && p.at(1).is(">")):
			others++
			for p.tok().is(t.text) {
				p.i++
			}
		default:
			return p.joined(parts, line, sums, alternatives, others)
		}
	}

	return p.joined(parts, line, sums, alternatives, others)
}

func (p *python) joined(parts []arg, line, sums, alternatives, others int) *node {
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1:
		return parts[0].value
	}

	n := p.node(other, line)
	n.args = parts
	switch {
	case sums > 0 && alternatives+others == 0:
		n.form = sum
	case alternatives > 0 && sums+others == 0:
		n.form = choice
	}

	return n
}

// primary reads an operand, or returns nil.
func (p *python) primary() *node {
	if p.ended() {
		return nil
	}

	t := p.tok()
	switch {
	case t.kind == str:
		return p.primaryOf(p.strings())
	case t.kind == word && !slices.Contains(pyKeywords, t.text):
		p.i++
		n := p.node(name, t.line)
		n.text, n.scope = t.text, p.scope
		if t.text[0] >= '0' && t.text[0] <= '9' {
			n.form = other
			for p.tok().is(".") && p.at(1).kind == word {
				p.i += 2
			}
		}

		return p.primaryOf(n)
	case t.is("yield"):
		p.i++
		return p.primary()
	case t.is("("):
		n := p.bracket(")", list)
		return p.primaryOf(n)
	case t.is("["):
		n := p.bracket("]", list)
		return p.primaryOf(n)
	case t.is("{"):
		return p.primaryOf(p.braces())
	case t.is("."): // an ellipsis
		for p.accept(".") {
		}
		return p.node(other, t.line)
	}

	return nil
}

var pyKeywords = []string{"if", "else", "for", "in", "is", "and", "or", "not", "import", "from", "as", "lambda", "with",
	"while", "def", "class", "return", "yield", "await", "async"}

// primaryOf reads what follows an operand: members, calls and indices.
func (p *python) primaryOf(n *node) *node {
	for !p.ended() {
		switch t := p.tok(); {
		case t.is(".") && p.at(1).kind == word:
			m := p.node(member, p.at(1).line)
			m.text, m.x, m.scope = p.at(1).text, n, p.scope
			p.i += 2
			n = m
		case t.is("("):
			c := p.node(call, n.line)
			c.x, c.scope = n, p.scope
			c.args = p.arguments()
			p.file.calls = append(p.file.calls, c)
			n = c
		case t.is("["):
			x := p.node(index, n.line)
			x.x = n
			in := p.bracket("]", list)
			if x.args = in.args; in.form != list {
				x.args = []arg{{value: in}}
			}

			n = x
		default:
			return n
		}
	}

	return n
}

// strings reads adjacent strings.
func (p *python) strings() *node {
	n := p.node(literal, p.tok().line)
	var parts []arg
	computed := false
	for !p.eof() && p.tok().kind == str && (len(parts) == 0 || !p.ended()) {
		t := p.tok()
		p.i++
		computed = computed || len(t.parts) > 0
		if len(t.parts) == 0 {
			t.parts = []piece{{text: t.text}}
		}

		for _, part := range t.parts {
			if part.expression {
				parts = append(parts, arg{value: p.inner(part.text, t.line)})
				continue
			}

			l := p.node(literal, t.line)
			l.text = part.text
			n.text += part.text
			parts = append(parts, arg{value: l})
		}
	}

	if computed {
		n.form, n.args, n.text = template, parts, ""
	}

	return n
}

// inner parses an expression in a string.
func (p *python) inner(text string, line int) *node {
	if at := strings.LastIndexAny(text, "!:"); at > 0 && !strings.ContainsAny(text, "[(") {
		text = text[:at]
	}

	if p.deep > maxDepth/2 {
		return p.node(other, line)
	}

	q := &python{file: p.file, toks: lex(text), scope: p.scope, fn: &body{}, class: p.class, deep: p.deep + 10,
		depth: 1}
	for i := range q.toks {
		q.toks[i].line = line
	}

	if n := q.expression(); n != nil && q.eof() {
		return n
	}

	return p.node(other, line)
}

// arguments reads the arguments of a call, from the bracket.
func (p *python) arguments() []arg {
	p.i++
	p.depth++
	defer func() { p.depth-- }()
	var args []arg
	for !p.eof() && !p.accept(")") {
		from := p.i
		var a arg
		for p.accept("*") {
			a.spread = true
		}

		if p.tok().kind == word && p.at(1).is("=") && !p.at(2).is("=") {
			a.name = p.tok().text
			p.i += 2
		}

		if a.value = p.expression(); a.value != nil {
			if p.tok().is("for") || p.tok().is("async") {
				a.value = p.comprehension(a.value, ")")
			}

			args = append(args, a)
		}

		p.accept(",")
		if p.i == from {
			if p.tok().is("]") || p.tok().is("}") {
				break
			}

			p.i++
		}
	}

	return args
}

// bracket reads what is in brackets: a group, a list or a comprehension.
func (p *python) bracket(end string, f form) *node {
	n := p.node(f, p.tok().line)
	p.i++
	p.depth++
	defer func() { p.depth-- }()
	commas := 0
	for !p.eof() && !p.accept(end) {
		from := p.i
		spread := p.tok().is("*")
		if e := p.expression(); e != nil {
			if p.tok().is("for") || p.tok().is("async") {
				e = p.comprehension(e, end)
				p.accept(end)
				return e
			}

			n.args = append(n.args, arg{value: e, spread: spread})
		}

		if p.accept(",") || p.accept(":") {
			commas++
		}

		if p.i == from {
			if p.tok().is(")") || p.tok().is("]") || p.tok().is("}") {
				break
			}

			p.i++
		}
	}

	if end == ")" && commas == 0 && len(n.args) == 1 {
		return n.args[0].value
	}

	return n
}

// braces reads a dictionary or a set.
func (p *python) braces() *node {
	n := p.node(object, p.tok().line)
	p.i++
	p.depth++
	defer func() { p.depth-- }()
	for !p.eof() && !p.accept("}") {
		from := p.i
		if p.tok().is("*") && p.at(1).is("*") {
			p.i += 2
			n.args = append(n.args, arg{value: orOther(p, p.expression()), spread: true})
		} else if key := p.expression(); key != nil {
			a := arg{key: key}
			if key.form == literal {
				a.name = key.text
			}

			if p.accept(":") {
				a.value = orOther(p, p.expression())
			} else {
				a = arg{value: key}
				n.form = list
			}

			if p.tok().is("for") || p.tok().is("async") {
				c := p.comprehension(a.value, "}")
				p.accept("}")
				return c
			}

			n.args = append(n.args, a)
		}

		p.accept(",")
		if p.i == from {
			if p.tok().is(")") || p.tok().is("]") {
				break
			}

			p.i++
		}
	}

	return n
}

func orOther(p *python, n *node) *node {
	if n == nil {
		return p.node(other, p.tok().line)
	}
	return n
}

// comprehension reads the loops behind the value of a comprehension. The names of the
// value were read before they were declared, which their scope allows.
func (p *python) comprehension(value *node, end string) *node {
	n := p.node(comprehension, value.line)
	n.args = []arg{{value: value}}
	s := newScope(p.scope)
	value.each(func(v *node) bool {
		if v.form == name && v.scope == p.scope {
			v.scope = s
		}
		return true
	})
	saved := p.scope
	p.scope = s
	for !p.eof() && !p.tok().is(end) {
		p.accept("async")
		switch {
		case p.accept("for"):
			target := p.targets()
			p.accept("in")
			e := p.node(element, value.line)
			e.x = orOther(p, p.operands())
			p.target(target, e)
			n.args = append(n.args, arg{value: e})
		case p.accept("if"):
			p.operands()
		default:
			p.i++
		}
	}

	p.scope = saved
	return n
}
