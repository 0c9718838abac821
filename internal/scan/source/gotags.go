package source

import (
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Libraries make the schema of a tool from the struct that its handler takes or
// returns. Tags of the fields describe the parameters.

// goStruct is a struct of the file with tags that describe parameters.
type goStruct struct {
	line  int
	texts []Text
	// parts are the named types of its fields.
	parts []string
	taken bool
}

// maxTagged bounds the structs of one tool.
const maxTagged = 64

// readStructs collects the structs, functions and variables of the file.
func (f *goFile) readStructs(tree *ast.File) {
	f.structs, f.funcs, f.assigned = map[string]*goStruct{}, map[string]*ast.FuncType{}, map[string]ast.Expr{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.funcs[n.Name.Name] = n.Type
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				f.structs[n.Name.Name] = f.structOf(n, s)
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if name, ok := to.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					f.assigned[name.Name] = n.Rhs[i]
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if len(n.Names) == len(n.Values) {
					f.assigned[name.Name] = n.Values[i]
				}
			}
		}

		return true
	})
	ast.Inspect(tree, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && selected(call.Fun) == "AddTool" {
			f.linkHandler(call)
		}

		return true
	})
}

// structOf reads the tags of a struct, with those of the structs inside it.
func (f *goFile) structOf(n ast.Node, s *ast.StructType) *goStruct {
	g := &goStruct{line: f.line(n)}
	ast.Inspect(s, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok {
			return true
		}

		g.parts = append(g.parts, typesIn(field.Type)...)
		if field.Tag == nil {
			return true
		}

		tag, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			return true
		}

		for _, key := range [...]string{"jsonschema_description", "jsonschema"} {
			for _, text := range described(reflect.StructTag(tag).Get(key)) {
				g.texts = append(g.texts, Text{text, f.line(field.Tag)})
			}
		}

		return true
	})
	return g
}

// described returns the texts of a tag: all of it, or the values of a list such as
// "required,description=The city\, by name,enum=a".
func described(tag string) []string {
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

// linkHandler notes the structs of the handler for the tool of a call such as
// mcp.AddTool(server, &mcp.Tool{...}, handler) or server.AddTool(tool, handler).
func (f *goFile) linkHandler(call *ast.CallExpr) {
	names := typesIn(call.Fun)
	var tools []ast.Node
	for _, arg := range call.Args {
		e := arg
		if name, ok := e.(*ast.Ident); ok && f.assigned[name.Name] != nil && f.funcs[name.Name] == nil {
			e = f.assigned[name.Name]
		}

		if u, ok := e.(*ast.UnaryExpr); ok {
			e = u.X
		}

		switch e := e.(type) {
		case *ast.CompositeLit:
			tools = append(tools, e)
			continue
		case *ast.CallExpr:
			if _, ok := goCalls[selected(e.Fun)]; ok {
				tools = append(tools, e)
				continue
			}
		}

		names = append(names, f.handlerTypes(e, 0)...)
	}

	for _, n := range tools {
		f.takes[n] = append(f.takes[n], names...)
	}
}

// handlerTypes lists the types that a handler takes and returns.
func (f *goFile) handlerTypes(e ast.Expr, depth int) (names []string) {
	if depth > maxConstants {
		return nil
	}

	switch e := e.(type) {
	case *ast.Ident:
		if t := f.funcs[e.Name]; t != nil {
			return typesIn(t)
		}
	case *ast.SelectorExpr:
		if t := f.funcs[e.Sel.Name]; t != nil {
			return typesIn(t)
		}
	case *ast.FuncLit:
		return typesIn(e.Type)
	case *ast.IndexExpr, *ast.IndexListExpr:
		return typesIn(e)
	case *ast.CallExpr:
		names = f.handlerTypes(e.Fun, depth+1)
		for _, arg := range e.Args {
			names = append(names, f.handlerTypes(arg, depth+1)...)
		}
	}

	return names
}

// typesIn lists the identifiers of an expression that may name types of the file.
func typesIn(e ast.Node) (names []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			names = append(names, n.Name)
		}
		return true
	})
	return names
}

// tagged adds the texts of the structs of a tool to its definition.
func (f *goFile) tagged(d *Definition, names []string) {
	seen := map[string]bool{}
	for len(names) > 0 && len(seen) < maxTagged {
		name := names[0]
		names = names[1:]
		g := f.structs[name]
		if g == nil || seen[name] {
			continue
		}

		seen[name], g.taken = true, true
		d.Texts = append(d.Texts, g.texts...)
		names = append(names, g.parts...)
	}
}

// reportUnlinkedTags lists the structs whose tags describe parameters of no tool in the
// file. A file without tools may have such structs for other purposes.
func (f *goFile) reportUnlinkedTags() {
	if len(f.found.Definitions) == 0 {
		return
	}

	var stray []Problem
	for name, g := range f.structs {
		if len(g.texts) > 0 && !g.taken {
			stray = append(stray, Problem{Line: g.line, Reason: "the tags of " + name +
				" describe parameters, and no tool of the file takes it: scan the running server"})
		}
	}

	slices.SortFunc(stray, func(a, b Problem) int { return a.Line - b.Line })
	f.found.Problems = append(f.found.Problems, stray...)
}
