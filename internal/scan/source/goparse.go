package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// golang turns the syntax tree of a file of Go into nodes. What is declared at the top
// belongs to the scope of its package.
type golang struct {
	file  *file
	set   *token.FileSet
	scope *scope
	fn    *body
}

func parseGo(f *file, text string) {
	g := &golang{file: f, set: token.NewFileSet(), scope: f.scope, fn: f.root.fn}
	mode := parser.SkipObjectResolution
	if strings.Contains(text, "//go:embed") {
		mode |= parser.ParseComments
	}

	tree, err := parser.ParseFile(g.set, "", text, mode)
	if err != nil {
		f.problem, f.err = noParse, err
		return
	}

	for _, s := range tree.Imports {
		module, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			continue
		}

		n := g.node(imported, s)
		n.module = module
		f.imports = append(f.imports, module)
		as := packageName(module)
		if s.Name != nil {
			as = s.Name.Name
		}

		f.scope.declare(as, n)
	}

	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			g.declarations(d, f.scope.parent)
		case *ast.FuncDecl:
			g.function(d)
		}
	}
}

// packageName guesses the name of a package by its path.
func packageName(module string) string {
	base := path.Base(module)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(module))
	}
	base = strings.TrimPrefix(base, "go-")
	return strings.ReplaceAll(strings.TrimSuffix(base, "-go"), "-", "")
}

func (g *golang) node(f form, at ast.Node) *node {
	return &node{form: f, line: g.set.Position(at.Pos()).Line, file: g.file, scope: g.scope}
}

func (g *golang) add(n *node) *node {
	if n != nil {
		g.fn.nodes = append(g.fn.nodes, n)
	}
	return n
}

func (g *golang) declarations(d *ast.GenDecl, into *scope) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			embedded := embeddedFile(s.Doc)
			if embedded == "" {
				embedded = embeddedFile(d.Doc)
			}

			if embedded != "" && len(s.Names) == 1 {
				n := g.node(imported, s)
				n.module, n.text = embedded, "embed"
				into.declare(s.Names[0].Name, n)
			}

			g.assign(identifiers(s.Names), s.Values, into)
			if s.Type != nil {
				g.add(g.expression(s.Type))
			}
		case *ast.TypeSpec:
			n := g.typeOf(s.Type)
			if n.form != class {
				c := g.node(class, s)
				c.fn, c.scope = &body{bases: []*node{n}}, newScope(g.scope)
				n = c
			}

			n.text, n.line = s.Name.Name, g.set.Position(s.Pos()).Line
			into.declare(s.Name.Name, n)
			g.add(n)
		}
	}
}

// embeddedFile is the one file that a variable embeds, or "".
func embeddedFile(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if name, ok := strings.CutPrefix(c.Text, "//go:embed "); ok &&
			!strings.ContainsAny(strings.TrimSpace(name), " *") {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

func identifiers(names []*ast.Ident) []ast.Expr {
	list := make([]ast.Expr, len(names))
	for i, n := range names {
		list[i] = n
	}
	return list
}

// assign declares names with their values.
func (g *golang) assign(to, values []ast.Expr, into *scope) {
	if len(values) == 1 && len(to) > 1 {
		v := g.add(g.expression(values[0]))
		for i, e := range to {
			if id, ok := e.(*ast.Ident); ok && v != nil {
				n := g.node(index, e)
				at := g.node(other, e)
				at.text = number(i)
				n.x, n.args = v, []arg{{value: at}}
				into.declare(id.Name, n)
			}
		}
		return
	}

	for i, e := range values {
		v := g.add(g.expression(e))
		if v == nil || i >= len(to) {
			continue
		}

		if id, ok := to[i].(*ast.Ident); ok {
			if v.fn != nil && v.text == "" {
				v.text = id.Name
			}

			into.declare(id.Name, v)
		} else {
			g.add(g.expression(to[i]))
		}
	}
}

func (g *golang) function(d *ast.FuncDecl) {
	n := g.node(function, d)
	n.text = d.Name.Name
	of := g.file.scope.parent
	key := n.text
	n.fn, n.scope = &body{}, newScope(g.scope)
	if d.Recv != nil && len(d.Recv.List) == 1 {
		receiver := g.expression(d.Recv.List[0].Type)
		key = receiver.last() + "." + key
		for _, name := range d.Recv.List[0].Names {
			p := g.node(parameter, name)
			p.text, p.x = name.Name, receiver
			n.scope.declare(name.Name, p)
		}
	}

	of.declare(key, n)
	g.bodyOf(n, d.Type, d.Body)
	g.add(n)
}

func (g *golang) bodyOf(n *node, t *ast.FuncType, b *ast.BlockStmt) {
	for _, field := range t.Params.List {
		annotation := g.expression(field.Type)
		_, rest := field.Type.(*ast.Ellipsis)
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{{Name: "_", NamePos: field.Pos()}}
		}

		for _, name := range names {
			p := param{name: name.Name, node: g.node(parameter, name), annotation: annotation, rest: rest}
			p.node.text, p.node.x = name.Name, n
			n.fn.params = append(n.fn.params, p)
			n.scope.declare(name.Name, p.node)
		}
	}

	if t.Results != nil {
		for _, field := range t.Results.List {
			n.fn.bases = append(n.fn.bases, g.expression(field.Type))
		}
	}

	if b == nil {
		return
	}

	saved, fn := g.scope, g.fn
	g.scope, g.fn = n.scope, n.fn
	g.statements(b.List)
	g.scope, g.fn = saved, fn
}

func (g *golang) block(list []ast.Stmt) {
	saved := g.scope
	g.scope = newScope(saved)
	g.statements(list)
	g.scope = saved
}

func (g *golang) statements(list []ast.Stmt) {
	for _, s := range list {
		g.statement(s)
	}
}

func (g *golang) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		g.add(g.expression(s.X))
	case *ast.AssignStmt:
		into := g.scope
		if s.Tok == token.ASSIGN && len(s.Lhs) == 1 {
			if id, ok := s.Lhs[0].(*ast.Ident); ok {
				if _, at := g.scope.lookup(id.Name); at != nil {
					into = at
				}
			}
		}

		g.assign(s.Lhs, s.Rhs, into)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			g.declarations(d, g.scope)
		}
	case *ast.ReturnStmt:
		g.returnOf(s)
	case *ast.BlockStmt:
		g.block(s.List)
	case *ast.IfStmt:
		saved := g.scope
		g.scope = newScope(saved)
		if s.Init != nil {
			g.statement(s.Init)
		}

		g.add(g.expression(s.Cond))
		g.block(s.Body.List)
		if s.Else != nil {
			g.statement(s.Else)
		}

		g.scope = saved
	case *ast.ForStmt:
		g.block(s.Body.List)
	case *ast.RangeStmt:
		g.rangeOf(s)
	case *ast.SwitchStmt:
		if s.Tag != nil {
			g.add(g.expression(s.Tag))
		}

		g.clauses(s.Body)
	case *ast.TypeSwitchStmt:
		g.clauses(s.Body)
	case *ast.SelectStmt:
		g.clauses(s.Body)
	case *ast.LabeledStmt:
		g.statement(s.Stmt)
	case *ast.DeferStmt:
		g.add(g.expression(s.Call))
	case *ast.GoStmt:
		g.add(g.expression(s.Call))
	}
}

func (g *golang) clauses(b *ast.BlockStmt) {
	for _, c := range b.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			g.block(c.Body)
		case *ast.CommClause:
			g.block(c.Body)
		}
	}
}

func (g *golang) returnOf(s *ast.ReturnStmt) {
	var n *node
	switch len(s.Results) {
	case 0:
		return
	case 1:
		n = g.expression(s.Results[0])
	default:
		n = g.node(list, s)
		for _, e := range s.Results {
			n.args = append(n.args, arg{value: g.expression(e)})
		}
	}

	g.fn.returns = append(g.fn.returns, n)
	g.add(n)
}

// rangeOf reads a loop over a slice or a map.
func (g *golang) rangeOf(s *ast.RangeStmt) {
	over := g.add(g.expression(s.X))
	c := g.node(call, s)
	c.x = &node{form: member, text: "entries", x: over, line: c.line, file: g.file}
	e := g.node(element, s)
	e.x = c
	saved := g.scope
	g.scope = newScope(saved)
	for i, v := range [...]ast.Expr{s.Key, s.Value} {
		if id, ok := v.(*ast.Ident); ok {
			n, at := g.node(index, v), g.node(other, v)
			at.text = number(i)
			n.x, n.args = e, []arg{{value: at}}
			g.scope.declare(id.Name, n)
		}
	}

	g.statements(s.Body.List)
	g.scope = saved
}

func (g *golang) expression(e ast.Expr) *node {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.BasicLit:
		n := g.node(other, e)
		n.text = e.Value
		if e.Kind == token.STRING {
			n.form = literal
			n.text, _ = strconv.Unquote(e.Value)
		}

		return n
	case *ast.Ident:
		n := g.node(name, e)
		n.text = e.Name
		return n
	case *ast.ParenExpr:
		return g.expression(e.X)
	case *ast.StarExpr:
		return g.expression(e.X)
	case *ast.TypeAssertExpr:
		return g.expression(e.X)
	case *ast.SliceExpr:
		return g.expression(e.X)
	case *ast.UnaryExpr:
		return g.expression(e.X)
	case *ast.SelectorExpr:
		n := g.node(member, e)
		n.x, n.text = g.expression(e.X), e.Sel.Name
		return n
	case *ast.IndexExpr:
		n := g.node(index, e)
		n.x, n.args = g.expression(e.X), []arg{{value: g.expression(e.Index)}}
		return n
	case *ast.IndexListExpr:
		n := g.node(index, e)
		n.x = g.expression(e.X)
		for _, i := range e.Indices {
			n.args = append(n.args, arg{value: g.expression(i)})
		}

		return n
	case *ast.BinaryExpr:
		n := g.node(other, e)
		if e.Op == token.ADD {
			n.form = sum
		}

		n.args = []arg{{value: g.expression(e.X)}, {value: g.expression(e.Y)}}
		return n
	case *ast.CallExpr:
		n := g.node(call, e)
		n.x = g.expression(e.Fun)
		for i, a := range e.Args {
			n.args = append(n.args, arg{value: g.expression(a), spread: e.Ellipsis.IsValid() && i == len(e.Args)-1})
		}

		g.file.calls = append(g.file.calls, n)
		return n
	case *ast.FuncLit:
		n := g.node(function, e)
		n.fn, n.scope = &body{}, newScope(g.scope)
		g.bodyOf(n, e.Type, e.Body)
		return n
	case *ast.CompositeLit:
		return g.composite(e, e.Type)
	}

	return g.typeOf(e)
}

// composite reads a literal of a struct, a slice or a map. The type of an element may be
// left out in it.
func (g *golang) composite(e *ast.CompositeLit, t ast.Expr) *node {
	n := g.node(call, e)
	n.module = "new"
	var inner, key ast.Expr
	switch t := t.(type) {
	case *ast.ArrayType:
		n.form, inner = list, t.Elt
	case *ast.MapType:
		n.form, inner, key = object, t.Value, t.Key
	case *ast.StarExpr:
		n.x = g.expression(t.X)
	default:
		n.x = g.expression(t)
	}

	element := func(v, t ast.Expr) *node {
		if lit, ok := v.(*ast.CompositeLit); ok && lit.Type == nil && t != nil {
			return g.composite(lit, t)
		}
		return g.expression(v)
	}
	for _, el := range e.Elts {
		pair, ok := el.(*ast.KeyValueExpr)
		if !ok {
			n.args = append(n.args, arg{value: element(el, inner)})
			continue
		}

		a := arg{value: element(pair.Value, inner)}
		if id, ok := pair.Key.(*ast.Ident); ok && n.form == call {
			a.name = id.Name
		} else if n.form != list {
			a.key = element(pair.Key, key)
			if a.key.form == literal {
				a.name = a.key.text
			}
		}

		n.args = append(n.args, a)
	}

	return n
}

// typeOf reads a type.
func (g *golang) typeOf(e ast.Expr) *node {
	n := g.node(other, e)
	switch e := e.(type) {
	case *ast.StructType:
		n.form, n.fn, n.scope = class, &body{}, newScope(g.scope)
		for _, f := range e.Fields.List {
			p := param{annotation: g.expression(f.Type)}
			if f.Tag != nil {
				p.tag, _ = strconv.Unquote(f.Tag.Value)
				p.tagLine = g.set.Position(f.Tag.Pos()).Line
			}

			if len(f.Names) == 0 {
				n.fn.params = append(n.fn.params, p)
			}

			for i, id := range f.Names {
				p.name = id.Name
				if i > 0 {
					p.tag = "" // it was read
				}

				n.fn.params = append(n.fn.params, p)
			}
		}
	case *ast.ArrayType:
		n.args = []arg{{value: g.expression(e.Elt)}}
	case *ast.MapType:
		n.args = []arg{{value: g.expression(e.Key)}, {value: g.expression(e.Value)}}
	case *ast.Ellipsis:
		n.args = []arg{{value: g.expression(e.Elt)}}
	case *ast.ChanType:
		n.args = []arg{{value: g.expression(e.Value)}}
	case *ast.FuncType:
		for _, l := range [...]*ast.FieldList{e.Params, e.Results} {
			if l == nil {
				continue
			}

			for _, f := range l.List {
				n.args = append(n.args, arg{value: g.expression(f.Type)})
			}
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr, *ast.IndexListExpr:
		return g.expression(e)
	}

	return n
}

// described returns the texts of the tags of a field that describe a parameter.
func described(tag string) (texts []string) {
	for _, key := range [...]string{"jsonschema_description", "jsonschema"} {
		texts = append(texts, describedIn(reflect.StructTag(tag).Get(key))...)
	}
	return texts
}

// describedIn returns the texts of a tag: all of it, or the values of a list such as
// "required,description=The city\, by name,enum=a".
func describedIn(tag string) []string {
	const comma = "\x00" // one that belongs to a text
	var texts []string
	continues := false
	for part := range strings.SplitSeq(strings.ReplaceAll(tag, "\\,", comma), ",") {
		name, value, listed := strings.Cut(part, "=")
		switch {
		case part == "required":
		case listed && !strings.ContainsAny(name, " "):
			if continues = !slices.Contains([]string{"type", "format", "minLength", "maxLength", "minimum", "maximum"},
				name); continues {
				texts = append(texts, value)
			}
		case continues:
			texts[len(texts)-1] += "," + part
		default:
			texts = append(texts, part)
			continues = true
		}
	}

	for i := range texts {
		texts[i] = strings.TrimSpace(strings.ReplaceAll(texts[i], comma, ","))
	}

	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}
