package pipeline

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// A matrix may have a hundred thousand cells, and most expressions of a stage use few of
// the values that differ between cells. So an expression is only evaluated again if a value
// that it uses was set since the previous cell.

// cellScope is the evaluation context of one stage, moved from cell to cell.
type cellScope struct {
	ctx  *hcl.EvalContext
	cell *cell // the current cell
	buf  []byte
	// set counts, by the position of its bit, how often each root was set.
	set [len(rootNames)]int
}

// enter moves to a cell.
func (c *cellScope) enter(cell *cell) {
	c.cell = cell
	c.set[matrixRoot]++ // bound when an expression is evaluated
}

// matrixRoot is the position of "matrix" among the roots.
var matrixRoot = func() int {
	for i, r := range rootNames {
		if r.root == readsMatrix {
			return i
		}
	}
	panic("matrix is no root")
}()

func (c *cellScope) join(parts []part) string {
	c.buf = c.buf[:0]
	for _, p := range parts {
		if p.axis < 0 {
			c.buf = append(c.buf, p.literal...)
		} else {
			c.buf = append(c.buf, c.cell.axes[p.axis].Value...)
		}
	}
	return string(c.buf)
}

func (l *module) newCellScope() *cellScope {
	ctx := l.base.NewChild()
	ctx.Variables = make(map[string]cty.Value, 4)
	return &cellScope{ctx: ctx}
}

// bind sets the value of a root.
func (c *cellScope) bind(root roots, val cty.Value) {
	for i, r := range rootNames {
		if r.root == root {
			c.ctx.Variables[r.name] = val
			c.set[i]++
		}
	}
}

// cellExpr is an expression of a stage, with its value in the last cell.
type cellExpr struct {
	expr  hclsyntax.Expression
	reads roots
	val   cty.Value
	parts []part // of an expression that needs no evaluation
	ok    bool   // whether val is the value; otherwise a problem was reported
	done  bool
	set   [len(rootNames)]int // the counts of the scope when val was computed
}

// cellExpr prepares an expression that was checked. An expression that failed the check has
// no value.
func (s *stage) cellExpr(expr hclsyntax.Expression) cellExpr {
	reads, ok := s.reading[expr]
	return cellExpr{expr: expr, reads: reads, done: !ok, parts: s.parts(expr)}
}

// part is a piece of text: a literal, or the value of an axis.
type part struct {
	literal string
	axis    int // -1: literal
}

// parts splits a template that only consists of literals and axes, such as
// "data/${matrix.file}.json". These are nearly all expressions that differ between cells.
// The texts of the axes are known, so joining them gives the value at a tenth of the cost of
// an evaluation. Other expressions have no parts.
func (s *stage) parts(expr hclsyntax.Expression) []part {
	template, ok := expr.(*hclsyntax.TemplateExpr)
	if !ok || !s.cellsKnown {
		return nil
	}

	parts := make([]part, 0, len(template.Parts))
	for _, e := range template.Parts {
		switch e := e.(type) {
		case *hclsyntax.LiteralValueExpr:
			if e.Val.Type() != cty.String || e.Val.IsNull() {
				return nil
			}

			parts = append(parts, part{literal: e.Val.AsString(), axis: -1})
		case *hclsyntax.ScopeTraversalExpr:
			name, _, ok := step(e.Traversal, 1)
			if len(e.Traversal) != 2 || !ok || e.Traversal.RootName() != "matrix" ||
				!slices.Contains(s.axisNames(), name) {
				return nil
			}

			parts = append(parts, part{axis: slices.Index(s.axisNames(), name)})
		default:
			return nil
		}
	}

	return parts
}

// eval updates the value and reports whether it was computed again. An expression that failed
// in one cell is not evaluated in others, because the same problem would be reported for
// each.
func (e *cellExpr) eval(l *loader, c *cellScope) (fresh bool) {
	if e.done && (!e.ok || !e.stale(c)) {
		return false
	}

	e.done, e.set = true, c.set
	if e.parts != nil {
		e.val, e.ok = cty.StringVal(c.join(e.parts)), true
		if n := int64(len(e.val.AsString())); !l.budget.keep(n + elementSize) {
			e.ok = false
			if !l.budget.full {
				l.budget.full = true
				l.diags = append(l.diags, l.budget.tooMany(e.expr))
			}
		}
	} else {
		if e.reads&readsMatrix != 0 {
			c.ctx.Variables["matrix"] = c.cell.matrix()
		}

		e.val, e.ok = l.evalCell(e.expr, c.ctx)
	}

	return true
}

func (e *cellExpr) stale(c *cellScope) bool {
	if e.reads&(readsMatrix|readsInput|readsOutput) == 0 {
		return false
	}
	for i, r := range rootNames {
		if e.reads&r.root != 0 && e.set[i] != c.set[i] {
			return true
		}
	}
	return false
}

// evalCell is eval, but only looks for unknown values if there may be any.
func (l *loader) evalCell(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	val, diags := l.budget.value(expr, ctx)
	if len(diags) > 0 {
		l.addEval(diags, expr, ctx)
		if diags.HasErrors() {
			return cty.DynamicVal, false
		}
	}
	if val.Type() == cty.String {
		return val, val.IsKnown()
	}
	return val, val.IsWhollyKnown()
}

// text is a value as a string, as converted by HCL.
type text struct {
	s         string
	null      bool
	sensitive bool
}

// toText converts a value to text. If it cannot, problem is the reason.
func toText(val cty.Value) (t text, problem string) {
	if val.IsMarked() {
		t.sensitive = true
		val, _ = val.Unmark()
	}

	if val.IsNull() {
		t.null = true
		return t, ""
	}

	switch ty := val.Type(); {
	case ty == cty.String:
		t.s = val.AsString()
	case ty.IsPrimitiveType():
		if n, ok := smallInt(val); ok {
			t.s = strconv.FormatInt(n, 10)
			return t, ""
		}

		if hugeNumber(val) {
			return t, errHugeNumber.Error()
		}

		val, err := convert.Convert(val, cty.String)
		if err != nil {
			return t, err.Error()
		}

		t.s = val.AsString()
	case ty == outputType:
		return t, "it is an output of a stage"
	default:
		return t, "it is " + article(ty.FriendlyName())
	}

	for i := 0; i < len(t.s); i++ {
		if t.s[i] == 0 {
			return t, "it contains a NUL byte, which arguments, variables and paths cannot contain"
		}
	}

	return t, ""
}

func article(s string) string {
	switch s[0] {
	case 'a', 'e', 'i', 'o', 'u':
		return "an " + s
	}
	return "a " + s
}
