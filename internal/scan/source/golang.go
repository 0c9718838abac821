package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// goCalls are the functions that make a definition from a name and options, and the
// options that hold the description and the title.
var goCalls = map[string]Kind{"NewTool": Tool, "NewPrompt": Prompt, "NewResource": Resource,
	"NewResourceTemplate": Resource, "NewToolWithRawSchema": Tool}

var goTypes = map[string]Kind{"Tool": Tool, "Prompt": Prompt, "Resource": Resource, "ResourceTemplate": Resource}

type goFile struct {
	found  *Found
	files  *token.FileSet
	consts map[string]ast.Expr
	values map[string]value // of the constants that were evaluated

	structs  map[string]*goStruct
	funcs    map[string]*ast.FuncType
	assigned map[string]ast.Expr
	takes    map[ast.Node][]string // the types of a tool's handler
}

type value struct {
	text string
	ok   bool
}

// findGo finds calls such as mcp.NewTool("name", mcp.WithDescription("...")), and
// literals such as mcp.Tool{Name: "name", Description: "..."}.
func findGo(text string) (*Found, error) {
	f := &goFile{found: &Found{}, files: token.NewFileSet(), consts: map[string]ast.Expr{}, values: map[string]value{},
		takes: map[ast.Node][]string{}}
	tree, err := parser.ParseFile(f.files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}

	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}

		for _, s := range g.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
				for i, name := range v.Names {
					f.consts[name.Name] = v.Values[i]
				}
			}
		}
	}

	f.readStructs(tree)
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if selected(n.Fun) == "WithInstructions" && len(n.Args) == 1 {
				f.instructions(n.Args[0])
				return false
			}

			kind, ok := goCalls[selected(n.Fun)]
			if ok && len(n.Args) > 0 || f.isToolHelper(n) {
				f.call(kind, n)
				return false
			}
		case *ast.CompositeLit:
			if selected(n.Type) == "ServerOptions" {
				for _, e := range n.Elts {
					if pair, ok := e.(*ast.KeyValueExpr); ok && isIdent(pair.Key, "Instructions") {
						f.instructions(pair.Value)
					}
				}
			}

			if kind, ok := goTypes[selected(n.Type)]; ok {
				f.literal(kind, n)
			}
		}

		return true
	})
	f.reportUnlinkedTags()
	return f.found, nil
}

// toolName is what programs call a tool.
var toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// isToolHelper reports whether a call makes a tool by a function of the program itself, such as
// MustTool("name", "What it does.", handler).
func (f *goFile) isToolHelper(call *ast.CallExpr) bool {
	if !strings.HasSuffix(calledName(call.Fun), "Tool") || len(call.Args) < 3 {
		return false
	}
	name, ok := f.text(call.Args[0], 0)
	description, described := f.text(call.Args[1], 0)
	return ok && described && toolName.MatchString(name) && strings.Contains(description, " ")
}

// selected returns the name after the dot of an expression such as mcp.NewTool.
func selected(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return selected(e.X)
	case *ast.IndexListExpr:
		return selected(e.X)
	}
	return ""
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// instructions reads the instructions of a server.
func (f *goFile) instructions(e ast.Expr) {
	d := Definition{Kind: Instructions, Line: f.line(e)}
	f.lineOf(&d, &d.Description, e)
	var ok bool
	if d.Description, ok = f.text(e, 0); !ok {
		f.found.problem("(instructions)", d.Line, computedInstructions)
	}
	if d.Description != "" {
		f.found.Definitions = append(f.found.Definitions, d)
	}
}

func (f *goFile) line(n ast.Node) int { return f.files.Position(n.Pos()).Line }

// lineOf notes the line of the literal of a title or a description, which may be that of a
// constant.
func (f *goFile) lineOf(d *Definition, into *string, e ast.Expr) {
	if id, ok := e.(*ast.Ident); ok && f.consts[id.Name] != nil {
		e = f.consts[id.Name]
	}
	switch into {
	case &d.Title:
		d.TitleLine = f.line(e)
	case &d.Description:
		d.DescriptionLine = f.line(e)
	}
}

func (f *goFile) call(kind Kind, call *ast.CallExpr) {
	d := Definition{Kind: kind, Line: f.line(call)}
	var ok bool
	if d.Name, ok = f.text(call.Args[0], 0); !ok {
		f.found.problem("", d.Line, computedName)
	}

	used := []ast.Node{call.Args[0]}
	for i, arg := range call.Args[1:] {
		into, what, value := &d.Description, computedDescription, ast.Expr(nil)
		option, isCall := arg.(*ast.CallExpr)
		switch {
		case isCall && len(option.Args) == 1 &&
			slices.Contains([]string{"WithDescription", "WithPromptDescription", "WithResourceDescription",
				"WithTemplateDescription"}, selected(option.Fun)):
			value = option.Args[0]
		case isCall && len(option.Args) == 1 && selected(option.Fun) == "WithTitleAnnotation":
			into, what, value = &d.Title, computedTitle, option.Args[0]
		case i == 0 && (selected(call.Fun) == "NewToolWithRawSchema" || goCalls[selected(call.Fun)] == Tool &&
			f.isToolHelper(call)):
			value = arg
		}

		if value == nil {
			continue
		}

		used = append(used, value)
		f.lineOf(&d, into, value)
		if *into, ok = f.text(value, 0); !ok {
			f.found.problem(d.Name, f.line(value), what)
			d.Texts = append(d.Texts, f.texts(value, nil)...)
		}
	}

	names := f.takes[call]
	for _, arg := range call.Args[1:] {
		d.Texts = append(d.Texts, f.texts(arg, used)...)
		names = append(names, f.handlerTypes(arg, 0)...)
	}

	f.tagged(&d, names)
	f.found.Definitions = append(f.found.Definitions, d)
}

// literal reads mcp.Tool{...}. A literal without a name is one that is filled in later,
// or a type of another library.
func (f *goFile) literal(kind Kind, lit *ast.CompositeLit) {
	d := Definition{Kind: kind, Line: f.line(lit)}
	named := false
	var used []ast.Node
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return
		}

		key, _ := pair.Key.(*ast.Ident)
		if key == nil {
			return
		}

		into, what := (*string)(nil), ""
		switch key.Name {
		case "Name", "URI", "URITemplate":
			if key.Name == "Name" && kind == Resource {
				continue
			}

			named, into, what = true, &d.Name, computedName
		case "Description":
			into, what = &d.Description, computedDescription
		case "Title":
			into, what = &d.Title, computedTitle
		default:
			continue
		}

		used = append(used, pair.Value)
		f.lineOf(&d, into, pair.Value)
		if *into, ok = f.text(pair.Value, 0); !ok {
			f.found.problem(d.Name, f.line(pair.Value), what)
			d.Texts = append(d.Texts, f.texts(pair.Value, nil)...)
		}
	}

	if !named {
		return
	}

	for _, e := range lit.Elts {
		d.Texts = append(d.Texts, f.texts(e, used)...)
	}

	f.tagged(&d, f.takes[lit])
	f.found.Definitions = append(f.found.Definitions, d)
}

// maxConstants bounds the constants that lead to a text.
const maxConstants = 16

// text evaluates an expression of literals and constants of the file. If a part is
// computed, ok is false, and the text lacks it.
func (f *goFile) text(e ast.Expr, depth int) (text string, ok bool) {
	if depth > maxConstants {
		return "", false
	}

	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return f.text(e.X, depth+1)
	case *ast.BinaryExpr:
		a, okA := f.text(e.X, depth+1)
		b, okB := f.text(e.Y, depth+1)
		if len(a)+len(b) > maxText {
			return a, false
		}

		return a + b, okA && okB && e.Op == token.ADD
	case *ast.CallExpr:
		if isTranslator(calledName(e.Fun)) {
			return f.translated(e, depth)
		}
	case *ast.Ident:
		if v, ok := f.values[e.Name]; ok {
			return v.text, v.ok
		}

		if c, ok := f.consts[e.Name]; ok {
			text, ok := f.text(c, depth+1)
			f.values[e.Name] = value{text, ok}
			return text, ok
		}
	}

	return "", false
}

// translated evaluates a call of a translator, whose last argument is the text in the
// language of the source.
func (f *goFile) translated(call *ast.CallExpr, depth int) (text string, ok bool) {
	for _, arg := range call.Args {
		if text, ok = f.text(arg, depth+1); !ok {
			return "", false
		}
	}
	return text, ok
}

// calledName returns the name of a function, without that of its package.
func calledName(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return selected(e)
}

// texts lists the string literals below a node but those in use, and without the
// bodies of functions.
func (f *goFile) texts(n ast.Node, used []ast.Node) (list []Text) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || slices.Contains(used, n) {
			return false
		}

		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if s, ok := f.text(n, 0); ok {
				list = append(list, Text{s, f.line(n)})
				return false
			}
		case *ast.BasicLit:
			if s, ok := f.text(n, 0); ok && s != "" {
				list = append(list, Text{s, f.line(n)})
			}
		}

		return true
	})
	return list
}
