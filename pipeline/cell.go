package pipeline

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// A matrix may have a hundred thousand cells, and most expressions of a stage
// read little of what differs between them. So an expression is evaluated
// again only when something that it reads was set anew since the cell before.

// cellScope is the evaluation context of one stage, moved from cell to cell.
type cellScope struct {
	ctx *hcl.EvalContext
	// set counts how often each root was set anew, by its bit's position.
	set [len(rootNames)]int
}

func (l *loader) newCellScope() *cellScope {
	ctx := l.base.NewChild()
	ctx.Variables = make(map[string]cty.Value, 4)
	return &cellScope{ctx: ctx}
}

// bind gives a root its value from here on.
func (c *cellScope) bind(root roots, val cty.Value) {
	for i, r := range rootNames {
		if r.root == root {
			c.ctx.Variables[r.name] = val
			c.set[i]++
		}
	}
}

// cellExpr is an expression of a stage with the value of the last cell.
type cellExpr struct {
	expr  hclsyntax.Expression
	reads roots
	val   cty.Value
	ok    bool // val is the value; otherwise a problem was reported
	done  bool
	set   [len(rootNames)]int // the scope's counts when val was computed
}

// cellExpr prepares an expression that was checked; one that failed the check
// never has a value.
func (s *stage) cellExpr(expr hclsyntax.Expression) cellExpr {
	reads, ok := s.reading[expr]
	return cellExpr{expr: expr, reads: reads, done: !ok}
}

// eval brings the value up to date and tells whether it was computed anew. An
// expression that failed in one cell is not tried in the others: the problem
// would be the same a thousand times.
func (e *cellExpr) eval(l *loader, c *cellScope) (fresh bool) {
	if e.done && (!e.ok || !e.stale(c)) {
		return false
	}
	e.done, e.set = true, c.set
	e.val, e.ok = l.evalCell(e.expr, c.ctx)
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

// evalCell is eval without the search for unknown parts where there are none.
func (l *loader) evalCell(expr hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, bool) {
	val, diags := expr.Value(ctx)
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

// text is a value as a string, the way HCL converts it.
type text struct {
	s         string
	null      bool
	sensitive bool
}

// toText converts a value to text; problem says why it cannot be.
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
			return t, "it holds a NUL byte, which no argument, variable or path can"
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
