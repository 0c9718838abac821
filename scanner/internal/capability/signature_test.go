package capability

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// TestWordSignatures extracts the words that a function looks for from its
// switch statements, and checks that the signature tested first contains all of
// them.
func TestWordSignatures(t *testing.T) {
	for _, c := range []struct {
		file, function string
		signs          *token.Signature
	}{
		{"power.go", "pairPower", &pairWords},
	} {
		file, err := parser.ParseFile(gotoken.NewFileSet(), c.file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		words := 0
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.Name != c.function {
				continue
			}
			for _, list := range switchedWords(fn) {
				words++
				if !c.signs.May(list) {
					t.Errorf("%s: %q is not in the signature", c.function, list)
				}
			}
		}
		if words == 0 {
			t.Errorf("%s has no words in %s", c.function, c.file)
		}
	}
}

// switchedWords returns the strings in the cases of a function's outermost
// switch on the word itself.
func switchedWords(fn *ast.FuncDecl) (words []string) {
	done := false
	ast.Inspect(fn, func(n ast.Node) bool {
		sw, ok := n.(*ast.SwitchStmt)
		if !ok || done {
			return !done
		}
		done = true
		for _, clause := range sw.Body.List {
			for _, e := range clause.(*ast.CaseClause).List {
				if lit, ok := e.(*ast.BasicLit); ok {
					if w, err := strconv.Unquote(lit.Value); err == nil && strings.TrimSpace(w) != "" {
						words = append(words, w)
					}
				}
			}
		}
		return false
	})
	return words
}
