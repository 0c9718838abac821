package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flag that no code reads does nothing, and its description is false.
func TestEveryFlagIsRead(t *testing.T) {
	declared := map[string]bool{}
	for _, dir := range flagDirectories(t) {
		for _, f := range declaredFlags(t, dir) {
			declared[f.name] = true
			if !f.read {
				t.Errorf("%s: no code reads the variable of --%s", f.at, f.name)
			}
		}
	}
	// The check is worth nothing if it does not see where verbs declare their flags.
	seen := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if seen++; !declared[f.Name] {
				t.Errorf("%s --%s is declared where this test does not look, or by a call that it does not know", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRootCommand())
	if seen < 100 {
		t.Errorf("%d flags, want those of all verbs", seen)
	}
}

// The check finds a flag that nothing reads.
func TestUnreadFlagIsFound(t *testing.T) {
	dir := t.TempDir()
	saveText(t, filepath.Join(dir, "verb.go"), `package verb

type options struct{ used, unused string }

func add(p *pflag.FlagSet) {
	var o options
	var local, ignored string
	p.StringVar(&o.used, "used", "", "")
	p.StringVar(&o.unused, "unused", "", "")
	p.StringVarP(&local, "local", "l", "", "")
	p.StringVar(&ignored, "ignored", "", "")
	only := p.Bool("only", false, "")
	no := p.Bool("no", false, "")
	no = nil
	ignored = "x"
	println(o.used, local, *only)
}
`)
	var unread []string
	for _, f := range declaredFlags(t, dir) {
		if !f.read {
			unread = append(unread, f.name)
		}
	}
	if slices.Sort(unread); !slices.Equal(unread, []string{"ignored", "no", "unused"}) {
		t.Errorf("%v", unread)
	}
}

// flagDirectories are those of the packages whose code declares flags of this program.
func flagDirectories(t *testing.T) []string {
	dirs := []string{"."}
	for _, root := range []string{"../../internal", "../../stages"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				dirs = append(dirs, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dirs
}

type declaredFlag struct {
	name string
	at   token.Position
	read bool
}

// declaredFlags finds the flags that a package declares. A field is read if other code of the package, or of
// another if it is exported, selects one of its name; a variable, if other code of its function uses it.
func declaredFlags(t *testing.T, dir string) []declaredFlag {
	t.Helper()
	set := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	type target struct {
		declaredFlag
		variable *ast.Object //nolint:staticcheck // within one function, syntax is enough; nil for a field
		field    string
	}
	var targets []target
	var flags []declaredFlag
	written := map[ast.Node]bool{} // what is not a read
	add := func(name string, at ast.Expr) {
		found := target{declaredFlag: declaredFlag{name: name, at: set.Position(at.Pos())}}
		switch x := at.(type) {
		case *ast.Ident:
			found.variable = x.Obj
		case *ast.SelectorExpr:
			found.field = x.Sel.Name
			written[x.Sel] = true
		default:
			return
		}
		written[at] = true
		targets = append(targets, found)
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch name, to := varCall(n); {
				case to != nil:
					add(name, to)
				case name != "":
					flags = append(flags, declaredFlag{name: name, read: true})
				}
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					written[left] = n.Tok == token.ASSIGN || n.Tok == token.DEFINE
					if sel, ok := left.(*ast.SelectorExpr); ok {
						written[sel.Sel] = n.Tok == token.ASSIGN
					}
					if i < len(n.Rhs) {
						if call, ok := n.Rhs[i].(*ast.CallExpr); ok {
							if name := valueCall(call); name != "" {
								add(name, left)
							}
						}
					}
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					written[name] = true
				}
			}
			return true
		})
	}
	variables, fields := map[*ast.Object]bool{}, map[string]bool{} //nolint:staticcheck // as above
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Obj != nil && !written[n] {
					variables[n.Obj] = true
				}
			case *ast.SelectorExpr:
				if !written[n.Sel] {
					fields[n.Sel.Name] = true
				}
			}
			return true
		})
	}
	for _, f := range targets {
		f.read = f.variable != nil && variables[f.variable] || f.field != "" && (fields[f.field] || ast.IsExported(f.field))
		flags = append(flags, f.declaredFlag)
	}
	return flags
}

// varCall returns the name and the variable of a flag that a call declares, such as
// p.StringVar(&variable, "name", ...) or oneOfVar(p, &variable, "name", ...).
func varCall(call *ast.CallExpr) (string, ast.Expr) {
	function := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		function = f.Name
	case *ast.SelectorExpr:
		function = f.Sel.Name
	}
	if !strings.HasSuffix(function, "Var") && !strings.HasSuffix(function, "VarP") {
		return "", nil
	}
	for i, arg := range call.Args {
		if conversion, ok := arg.(*ast.CallExpr); ok && len(conversion.Args) == 1 { // (*atLeastOne)(&variable)
			arg = conversion.Args[0]
		}
		to, ok := arg.(*ast.UnaryExpr)
		if !ok || to.Op != token.AND || i+1 >= len(call.Args) {
			continue
		}
		return literal(call.Args[i+1]), to.X
	}
	if len(call.Args) >= 3 {
		return literal(call.Args[1]), nil // the caller has the variable
	}
	return "", nil
}

// valueCall returns the name of a flag that a call declares and whose variable it returns.
func valueCall(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 3 || !slices.Contains([]string{"Bool", "BoolP", "Int", "IntP", "String", "StringP", "StringArray", "Duration", "Float64"}, f.Sel.Name) {
		return ""
	}
	return literal(call.Args[0])
}

func literal(e ast.Expr) string {
	if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
		name, _ := strconv.Unquote(text.Value)
		return name
	}
	return ""
}
