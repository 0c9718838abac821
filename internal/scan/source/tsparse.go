//go:build !containers

package source

import (
	"bytes"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// typescript turns a file of TypeScript or JavaScript into nodes. esbuild takes the types
// away and keeps the texts, and its source map leads back to the lines.
type typescript struct {
	file  *file
	code  []byte
	lines *lineMap
	line  int // of the last token with a known place
	scope *scope
	fn    *body
	class *node
}

const tooLong = "it is too long or nested too deeply to be parsed"

// maxScript bounds the size of a script in bytes, and maxNesting what may nest in it.
const (
	maxScript  = 4 << 20
	maxNesting = 2_000
	maxChain   = 20_000
)

func parseTypeScript(f *file, text string) {
	if len(text) > maxScript || tooDeep(text) {
		f.problem = tooLong
		return
	}

	loader := api.LoaderJSX
	switch strings.ToLower(filepath.Ext(f.path)) {
	case ".ts", ".mts", ".cts":
		loader = api.LoaderTS
	case ".tsx":
		loader = api.LoaderTSX
	}

	result := stripTypes(text, loader)
	if loader == api.LoaderJSX && len(result.Errors) > 0 {
		result = stripTypes(text, api.LoaderTSX) // some scripts have types all the same
	}

	if len(result.Errors) > 0 {
		f.problem = noParse
		f.problemText = result.Errors[0].Text
		if at := result.Errors[0].Location; at != nil {
			f.problemLine = at.Line
		}
		return
	}

	in := parse.NewInputBytes(withoutAttributes(result.Code))
	tree, err := js.Parse(in, js.Options{})
	if err != nil {
		f.problem, f.problemText = noParse, err.Error()
		return
	}

	t := &typescript{file: f, code: in.Bytes(), lines: newLineMap(result.Code, result.Map), line: 1, scope: f.scope,
		fn: f.root.fn}
	t.statements(tree.List)
}

// attributes are those of an import, such as with { type: "json" }, which the parser does not know.
var attributes = lazyregexp.New(`(?m)^((?:import|export) .*")( with \{[^}\n]*\});$`)

// withoutAttributes blanks the attributes of imports, so that nothing moves.
func withoutAttributes(code []byte) []byte {
	if !bytes.Contains(code, []byte(" with {")) {
		return code
	}

	for _, m := range attributes().FindAllSubmatchIndex(code, -1) {
		for i := m[4]; i < m[5]; i++ {
			code[i] = ' '
		}
	}
	return code
}

func stripTypes(text string, loader api.Loader) api.TransformResult {
	return api.Transform(text, api.TransformOptions{
		Loader: loader, Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelSilent, Target: api.ESNext,
		TsconfigRaw: `{"compilerOptions": {"experimentalDecorators": true, "useDefineForClassFields": true}}`,
	})
}

// tooDeep reports whether a text could nest so deeply that no parser should try. It
// counts more than a parser would.
func tooDeep(text string) bool {
	depth, chain := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return true
			}
		case c == ')' || c == ']' || c == '}':
			depth = max(0, depth-1)
			chain = 0
		case c == ',' || c == ';':
			chain = 0
		case c <= '~' && !isAlphanumeric(c):
			if chain++; chain > maxChain {
				return true
			}
		}
	}

	for _, word := range [...]string{"=>", "?", "if", "while", "for", "else", "**", ")=", "]=", "}="} {
		if strings.Count(text, word) > 4*maxChain {
			return true
		}
	}

	return false
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// at notes the place of a token, and returns its line.
func (t *typescript) at(token []byte) int {
	if offset := t.offset(token); offset >= 0 {
		t.line = t.lines.line(offset)
	}
	return t.line
}

// offset is that of a token in the code, or -1. Tokens are parts of the code, and
// have no other place.
func (t *typescript) offset(token []byte) int {
	if len(token) == 0 {
		return -1
	}
	begin, at := uintptr(unsafe.Pointer(unsafe.SliceData(t.code))), uintptr(unsafe.Pointer(unsafe.SliceData(token)))
	if at < begin || at >= begin+uintptr(len(t.code)) {
		return -1
	}
	return int(at - begin)
}

func (t *typescript) node(f form) *node {
	return &node{form: f, line: t.line, file: t.file, scope: t.scope}
}

func (t *typescript) add(n *node) {
	if n != nil {
		t.fn.nodes = append(t.fn.nodes, n)
	}
}

func (t *typescript) block(list []js.IStmt) {
	saved := t.scope
	t.scope = newScope(saved)
	t.statements(list)
	t.scope = saved
}

func (t *typescript) statements(list []js.IStmt) {
	for _, s := range list {
		t.statement(s)
	}
}

func (t *typescript) statement(s js.IStmt) {
	switch s := s.(type) {
	case *js.ExprStmt:
		t.add(t.expression(s.Value))
	case *js.VarDecl:
		t.variables(s)
	case *js.FuncDecl:
		t.add(t.functionOf(s))
	case *js.ClassDecl:
		t.add(t.classOf(s))
	case *js.ReturnStmt:
		if s.Value != nil {
			n := t.expression(s.Value)
			t.fn.returns = append(t.fn.returns, n)
			t.add(n)
		}
	case *js.ImportStmt:
		t.importOf(s)
	case *js.ExportStmt:
		t.export(s)
	case *js.BlockStmt:
		t.block(s.List)
	case *js.IfStmt:
		t.add(t.expression(s.Cond))
		t.statement(s.Body)
		if s.Else != nil {
			t.statement(s.Else)
		}
	case *js.DoWhileStmt:
		t.statement(s.Body)
	case *js.WhileStmt:
		t.add(t.expression(s.Cond))
		t.statement(s.Body)
	case *js.ForStmt:
		t.add(t.expression(s.Init))
		t.block(s.Body.List)
	case *js.ForInStmt:
		t.loop(s.Init, s.Value, s.Body, "keys")
	case *js.ForOfStmt:
		t.loop(s.Init, s.Value, s.Body, "")
	case *js.SwitchStmt:
		t.add(t.expression(s.Init))
		for _, c := range s.List {
			t.add(t.expression(c.Cond))
			t.block(c.List)
		}
	case *js.LabelledStmt:
		t.statement(s.Value)
	case *js.ThrowStmt:
		t.add(t.expression(s.Value))
	case *js.TryStmt:
		for _, b := range [...]*js.BlockStmt{s.Body, s.Catch, s.Finally} {
			if b != nil {
				t.block(b.List)
			}
		}
	}
}

// loop declares the variable of a loop, and reads its body.
func (t *typescript) loop(init, over js.IExpr, b *js.BlockStmt, method string) {
	e := t.node(element)
	e.x = t.expression(over)
	t.add(e.x)
	if method != "" {
		c := t.node(call)
		c.x = &node{form: member, text: method, x: e.x, line: t.line, file: t.file}
		e.x = c
	}

	saved := t.scope
	t.scope = newScope(saved)
	if v, ok := init.(*js.VarDecl); ok {
		for _, d := range v.List {
			t.bind(d.Binding, e)
		}
	}

	t.statements(b.List)
	t.scope = saved
}

func (t *typescript) variables(d *js.VarDecl) {
	for _, v := range d.List {
		if v.Default == nil {
			continue
		}

		n := t.expression(v.Default)
		t.add(n)
		t.bind(v.Binding, n)
	}
}

// bind declares the names of a binding.
func (t *typescript) bind(b js.IBinding, value *node) {
	switch b := b.(type) {
	case *js.Var:
		if value.fn != nil && value.text == "" {
			value.text = string(b.Data)
		}

		t.scope.declare(string(b.Data), value)
	case *js.BindingArray:
		for i, e := range b.List {
			if e.Binding != nil {
				t.bind(e.Binding, t.indexed(value, i))
			}
		}
	case *js.BindingObject:
		for _, e := range b.List {
			m := t.node(member)
			m.x = value
			if e.Key != nil && e.Key.IsSet() {
				m.text = unquoted(e.Key.Literal.Data)
			} else if v, ok := e.Value.Binding.(*js.Var); ok {
				m.text = string(v.Data)
			}

			if e.Value.Binding != nil {
				t.bind(e.Value.Binding, m)
			}
		}
	}
}

func (t *typescript) indexed(value *node, i int) *node {
	n, at := t.node(index), t.node(other)
	at.text = number(i)
	n.x, n.args = value, []arg{{value: at}}
	return n
}

func (t *typescript) importOf(s *js.ImportStmt) {
	module := unquoted(s.Module)
	t.file.imports = append(t.file.imports, module)
	t.at(s.Module)
	declare := func(as, symbol string) {
		n := t.node(imported)
		n.module, n.text = module, symbol
		t.scope.declare(as, n)
	}
	if s.Default != nil {
		declare(string(s.Default), "default")
	}
	for _, a := range s.List {
		switch {
		case string(a.Name) == "*":
			declare(string(a.Binding), "")
		case a.Name != nil:
			declare(string(a.Binding), unquoted(a.Name))
		case a.Binding != nil:
			declare(string(a.Binding), string(a.Binding))
		}
	}
}

func (t *typescript) export(s *js.ExportStmt) {
	if s.Decl != nil {
		switch d := s.Decl.(type) {
		case *js.VarDecl:
			t.variables(d)
		default:
			n := t.expression(s.Decl)
			t.add(n)
			if s.Default {
				t.file.exports["default"] = n
			}
		}
		return
	}

	if s.Module == nil {
		for _, a := range s.List {
			if a.Name == nil {
				continue
			}

			// export {name as binding}
			n := t.node(name)
			n.text = string(a.Name)
			t.file.exports[string(a.Binding)] = n
		}
		return
	}

	module := unquoted(s.Module)
	t.file.imports = append(t.file.imports, module)
	for _, a := range s.List {
		n := t.node(imported)
		n.module, n.text = module, string(a.Binding)
		switch {
		case string(a.Binding) == "*" && a.Name == nil:
			t.file.stars = append(t.file.stars, module)
			continue
		case string(a.Name) == "*":
			n.text = ""
		case a.Name != nil:
			n.text = string(a.Name)
		}

		t.file.exports[string(a.Binding)] = n
	}
}

func (t *typescript) functionOf(d *js.FuncDecl) *node {
	n := t.node(function)
	if d.Name != nil {
		n.text = string(d.Name.Data)
		t.scope.declare(n.text, n)
	}
	t.bodyOf(n, d.Params, d.Body.List)
	return n
}

// bodyOf reads the parameters and statements of a function.
func (t *typescript) bodyOf(n *node, params js.Params, list []js.IStmt) {
	n.fn, n.scope = &body{class: t.class}, newScope(t.scope)
	saved, fn := t.scope, t.fn
	t.scope, t.fn = n.scope, n.fn
	for _, e := range params.List {
		p := param{node: t.node(parameter)}
		p.node.x = n
		if v, ok := e.Binding.(*js.Var); ok {
			p.name, p.node.text = string(v.Data), string(v.Data)
		}

		if e.Default != nil {
			p.fallback = t.expression(e.Default)
		}

		if e.Binding != nil {
			t.bind(e.Binding, p.node)
		}

		n.fn.params = append(n.fn.params, p)
	}

	if params.Rest != nil {
		p := param{node: t.node(parameter), rest: true}
		p.node.x = n
		t.bind(params.Rest, p.node)
		n.fn.params = append(n.fn.params, p)
	}

	t.statements(list)
	t.scope, t.fn = saved, fn
}

func (t *typescript) classOf(d *js.ClassDecl) *node {
	n := t.node(class)
	n.fn, n.scope = &body{}, newScope(t.scope)
	n.scope.class = true
	if d.Name != nil {
		n.line = t.at(d.Name.Data)
		n.text = string(d.Name.Data)
		t.scope.declare(n.text, n)
	}

	if d.Extends != nil {
		n.fn.bases = append(n.fn.bases, t.expression(d.Extends))
	}

	saved, fn, of := t.scope, t.fn, t.class
	t.scope, t.fn, t.class = n.scope, n.fn, n
	for _, e := range d.List {
		switch {
		case e.StaticBlock != nil:
			t.block(e.StaticBlock.List)
		case e.Method != nil:
			m := t.node(function)
			m.text = propertyName(e.Method.Name.PropertyName)
			t.bodyOf(m, e.Method.Params, e.Method.Body.List)
			t.add(m)
			value := m
			if e.Method.Get && len(m.fn.returns) == 1 {
				value = m.fn.returns[0]
			}

			n.fn.params = append(n.fn.params, param{name: m.text, fallback: value})
			n.scope.declare(m.text, value)
		case e.Field.Init != nil:
			field := propertyName(e.Field.Name.PropertyName)
			if lit := e.Field.Name.Literal.Data; lit != nil {
				t.at(lit)
			}

			value := t.expression(e.Field.Init)
			t.add(value)
			n.fn.params = append(n.fn.params, param{name: field, fallback: value})
			n.scope.declare(field, value)
		}
	}

	t.scope, t.fn, t.class = saved, fn, of
	return n
}

func propertyName(p js.PropertyName) string {
	if p.Computed != nil {
		return ""
	}
	return unquoted(p.Literal.Data)
}

// unquoted is the value of a string, or the text of any other token.
func unquoted(data []byte) string {
	s := string(data)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'' || s[0] == '`') && s[len(s)-1] == s[0] {
		return unescaped(s[1 : len(s)-1])
	}
	return s
}

func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		var part string
		part, i = escape(s, i+1)
		b.WriteString(part)
	}
	return b.String()
}

func (t *typescript) expression(e js.IExpr) *node {
	switch e := e.(type) {
	case nil:
		return nil
	case *js.LiteralExpr:
		return t.literalOf(e)
	case *js.Var:
		n := t.node(name)
		n.text = string(e.Data)
		return n
	case *js.TemplateExpr:
		return t.templateOf(e)
	case *js.GroupExpr:
		return t.expression(e.X)
	case *js.DotExpr:
		return t.memberOf(e)
	case *js.IndexExpr:
		n := t.node(index)
		n.x = t.expression(e.X)
		n.args = []arg{{value: t.expression(e.Y)}}
		return n
	case *js.ArrayExpr:
		return t.listOf(e)
	case *js.ObjectExpr:
		return t.objectOf(e)
	case *js.CallExpr:
		return t.callOf(e.X, e.Args.List)
	case *js.NewExpr:
		var args []js.Arg
		if e.Args != nil {
			args = e.Args.List
		}

		n := t.callOf(e.X, args)
		n.module = "new"
		return n
	case *js.UnaryExpr:
		if e.Op == js.AwaitToken {
			return t.expression(e.X)
		}

		return t.parts(e.X)
	case *js.BinaryExpr:
		return t.binary(e)
	case *js.CondExpr:
		n := t.parts(e.X, e.Y)
		n.form = choice
		return n
	case *js.YieldExpr:
		return t.expression(e.X)
	case *js.ArrowFunc:
		n := t.node(function)
		t.bodyOf(n, e.Params, e.Body.List)
		return n
	case *js.FuncDecl:
		return t.functionOf(e)
	case *js.MethodDecl:
		n := t.node(function)
		t.bodyOf(n, e.Params, e.Body.List)
		return n
	case *js.ClassDecl:
		return t.classOf(e)
	case *js.CommaExpr:
		return t.parts(e.List...)
	case *js.VarDecl:
		t.variables(e)
	}

	return t.node(other)
}

// memberOf reads x.y. Within a class, this is an object of the class.
func (t *typescript) memberOf(e *js.DotExpr) *node {
	n := t.node(member)
	n.x = t.expression(e.X)
	switch y := e.Y.(type) {
	case *js.LiteralExpr:
		n.text, n.line = string(y.Data), t.at(y.Data)
	case js.LiteralExpr:
		n.text, n.line = string(y.Data), t.at(y.Data)
	case *js.Var:
		n.text = string(y.Data)
	}

	if n.x != nil && n.x.form == name && n.x.text == "this" && t.class != nil {
		n.x.form, n.x.x = parameter, t.class
	}

	return n
}

func (t *typescript) listOf(e *js.ArrayExpr) *node {
	n := t.node(list)
	for _, el := range e.List {
		if v := t.expression(el.Value); v != nil {
			n.args = append(n.args, arg{value: v, spread: el.Spread})
		}
	}

	return n
}

func (t *typescript) parts(list ...js.IExpr) *node {
	n := t.node(other)
	for _, e := range list {
		if v := t.expression(e); v != nil {
			n.args = append(n.args, arg{value: v})
		}
	}
	return n
}

func (t *typescript) literalOf(e *js.LiteralExpr) *node {
	t.at(e.Data)
	if e.TokenType == js.StringToken {
		n := t.node(literal)
		n.text = unquoted(e.Data)
		return n
	}

	n := t.node(other)
	n.text = string(e.Data)
	return n
}

func (t *typescript) templateOf(e *js.TemplateExpr) *node {
	n := t.node(template)
	if e.Tag != nil {
		t.expression(e.Tag)
	}

	part := func(data []byte) {
		if len(data) == 0 {
			return
		}

		t.at(data)
		s := string(data[1:])
		s = strings.TrimSuffix(strings.TrimSuffix(s, "${"), "`")
		l := t.node(literal)
		l.text = strings.ReplaceAll(unescaped(s), "\r\n", "\n")
		n.args = append(n.args, arg{value: l})
	}
	for i, p := range e.List {
		part(p.Value)
		if i == 0 {
			n.line = t.line
		}

		if v := t.expression(p.Expr); v != nil {
			n.args = append(n.args, arg{value: v})
		}
	}

	part(e.Tail)
	if len(e.List) == 0 && len(n.args) == 1 {
		return n.args[0].value
	}

	return n
}

func (t *typescript) objectOf(e *js.ObjectExpr) *node {
	n := t.node(object)
	for i, p := range e.List {
		a := arg{spread: p.Spread}
		if p.Name != nil {
			if p.Name.Computed != nil {
				a.key = t.expression(p.Name.Computed)
			} else {
				a.name = unquoted(p.Name.Literal.Data)
				t.at(p.Name.Literal.Data)
				a.key = t.node(name)
				a.key.text, a.key.scope = a.name, nil
				if p.Name.Literal.TokenType == js.StringToken {
					a.key.form = literal
				}
			}

			if i == 0 {
				n.line = t.opening(p.Name.Literal.Data)
			}
		}

		if m, ok := p.Value.(*js.MethodDecl); ok && a.name == "" {
			a.name = propertyName(m.Name.PropertyName)
		}

		if a.value = t.expression(p.Value); a.value == nil {
			a.value = t.node(other)
		}

		if a.value.fn != nil && a.value.text == "" {
			a.value.text = a.name
		}

		n.args = append(n.args, a)
	}

	return n
}

// opening returns the line of the brace before a token.
func (t *typescript) opening(token []byte) int {
	for at := t.offset(token) - 1; at >= 0; at-- {
		if t.code[at] == '{' {
			return t.lines.line(at)
		}
	}
	return t.line
}

func (t *typescript) callOf(callee js.IExpr, args []js.Arg) *node {
	n := t.node(call)
	n.x = t.expression(callee)
	placed := n.x != nil && n.x.form == member
	if placed {
		n.line = n.x.line
	}

	for _, a := range args {
		if v := t.expression(a.Value); v != nil {
			n.args = append(n.args, arg{value: v, spread: a.Rest})
		}
	}

	if len(n.args) > 0 && !placed {
		n.line = n.args[0].value.line
	}

	if enum := enumeration(n); enum != nil {
		return enum
	}

	elementsOf(n)
	t.file.calls = append(t.file.calls, n)
	return n
}

// elementsOf makes the parameter of a function that is called for each element of a list
// that element.
func elementsOf(n *node) {
	if n.x == nil || n.x.form != member || len(n.args) == 0 || n.args[0].value.form != function {
		return
	}
	switch n.x.text {
	case "forEach", "map", "flatMap", "filter":
		if params := n.args[0].value.fn.params; len(params) > 0 {
			params[0].node.form, params[0].node.x = element, n.x.x
		}
	}
}

// enumeration returns the object that an enumeration of TypeScript becomes, or nil:
// ((E) => { E["A"] = "a"; return E; })(E || {}).
func enumeration(n *node) *node {
	if n.x == nil || n.x.form != function || len(n.x.fn.params) != 1 || len(n.args) != 1 ||
		n.args[0].value.form != choice {
		return nil
	}
	o := &node{form: object, line: n.line, file: n.file}
	for _, s := range n.x.fn.nodes {
		if s.form == other && s.text == "=" && len(s.args) == 2 && s.args[0].value.form == index {
			if key := s.args[0].value.args[0].value; key.form == literal {
				o.args = append(o.args, arg{name: key.text, value: s.args[1].value})
			}
		}
	}
	if len(o.args) == 0 {
		return nil
	}
	return o
}

func (t *typescript) binary(e *js.BinaryExpr) *node {
	// A chain of operators is a deep tree to the left.
	var right []js.IExpr
	at := js.IExpr(e)
	for {
		b, ok := at.(*js.BinaryExpr)
		if !ok || b.Op != e.Op {
			break
		}

		right = append(right, b.Y)
		at = b.X
		if e.Op == js.EqToken {
			break
		}
	}

	n := t.parts(at)
	for i := len(right) - 1; i >= 0; i-- {
		if v := t.expression(right[i]); v != nil {
			n.args = append(n.args, arg{value: v})
		}
	}

	if len(n.args) > 0 {
		n.line = n.args[0].value.line
	}

	switch e.Op {
	case js.AddToken:
		n.form = sum
	case js.OrToken, js.NullishToken, js.AndToken:
		n.form = choice
	case js.EqToken:
		n.text = "="
		t.assign(n)
	}

	return n
}

// assign declares what an assignment assigns to: a name, a member of this, or an export.
func (t *typescript) assign(n *node) {
	if len(n.args) != 2 {
		return
	}

	to, value := n.args[0].value, n.args[1].value
	switch {
	case to.form == name:
		if _, s := t.scope.lookup(to.text); s != nil {
			s.declare(to.text, value)
		}
	case to.form != member || to.x == nil:
	case to.x.form == parameter && t.class != nil:
		t.class.scope.declare(to.text, value)
	case to.x.form == name && to.x.text == "exports", to.x.form == member && to.x.text == "module" &&
		to.text != "exports":
		t.file.exports[to.text] = value
	case to.x.form == name && to.x.text == "module" && to.text == "exports":
		t.file.exports[""] = value
	}
}
