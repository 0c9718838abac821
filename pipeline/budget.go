package pipeline

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Expressions multiply: setproduct of a few lists, a local that names another one twice, a width in
// format. A small pipeline could exhaust the memory of the machine, and Go has no way to survive
// that. So everything that an evaluation makes is counted, in bytes of a value that is written out.
// A value that is used twice counts twice, because conversions and encodings copy it.
const (
	// maxMade limits what one expression makes, with all intermediate values.
	maxMade = 32 << 20
	// maxKept limits the values of all expressions of a pipeline together. A hundred thousand
	// cells may have 5 KB each.
	maxKept = 512 << 20
	// elementSize is the size of a value without the text in it.
	elementSize = 64
	// conditionSize is the size of a condition that is tested, which bounds the steps of a "for"
	// expression that drops most elements.
	conditionSize = 8
	// manyParts is the number of parts beyond which each part of a template is counted.
	manyParts = 8
)

var errTooMuch = fmt.Errorf("the result is larger than %d MiB", maxMade>>20)

// budget counts what is left of the limits.
type budget struct {
	made   int64 // by the current expression
	kept   int64 // by all expressions so far
	spent  bool  // whether the current expression made too much
	at     hcl.Range
	placed bool // whether at is the place where it was noticed
	full   bool // whether it was reported that too much is kept
}

// budgetExceeded is the panic that ends an evaluation: a "for" expression would go on after an error.
type budgetExceeded struct{}

// value evaluates an expression within the budget.
func (b *budget) value(expr hcl.Expression, ctx *hcl.EvalContext) (val cty.Value, diags hcl.Diagnostics) {
	b.made, b.spent, b.placed = 0, false, false
	defer func() {
		if r := recover(); r != nil && r != (budgetExceeded{}) {
			panic(r)
		}

		if b.spent {
			val, diags = cty.DynamicVal, hcl.Diagnostics{b.tooMuch(expr, diags)}
		}
	}()
	val, diags = expr.Value(ctx)
	if diags.HasErrors() {
		return val, diags
	}

	n := sizeOf(val, maxMade)
	if b.make(n); b.spent {
		return val, nil
	}

	if !b.keep(n) {
		if b.full {
			return cty.DynamicVal, nil
		}

		b.full = true
		return cty.DynamicVal, hcl.Diagnostics{b.tooMany(expr)}
	}

	return val, diags
}

// keep counts a value of n bytes that the plan holds. It returns false if there are too many.
func (b *budget) keep(n int64) bool {
	b.kept += n
	return b.kept <= maxKept
}

func (b *budget) make(n int64) {
	b.made += n
	b.spent = b.spent || b.made > maxMade
}

// tooMuch is the diagnostic for an expression that made too much. diags may tell the function call
// at which it was noticed.
func (b *budget) tooMuch(expr hcl.Expression, diags hcl.Diagnostics) *hcl.Diagnostic {
	at := expr.Range()
	if b.placed {
		at = b.at
	} else {
		for _, d := range diags {
			if d.Severity == hcl.DiagError && d.Subject != nil {
				at = *d.Subject
				break
			}
		}
	}

	return &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Value too large", Subject: &at,
		Detail: fmt.Sprintf("The evaluation makes values of more than %d MiB here. Use fewer or shorter elements, "+
			"or let a stage write the data to a file.", maxMade>>20),
	}
}

func (b *budget) tooMany(expr hcl.Expression) *hcl.Diagnostic {
	at := expr.Range()
	return &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Values too large", Subject: &at,
		Detail: fmt.Sprintf("With the value of this expression, the values of the pipeline have more than %d MiB. "+
			"Use fewer instances or shorter values, or let a stage write the data to a file.", maxKept>>20),
	}
}

// sizeOf returns the size in bytes of a value that is written out, or a number above limit as soon
// as it is larger.
func sizeOf(v cty.Value, limit int64) int64 {
	v, _ = v.Unmark()
	ty := v.Type()
	switch {
	case !v.IsKnown() || v.IsNull():
		return elementSize
	case ty == cty.String:
		return elementSize + int64(len(v.AsString()))
	case !v.CanIterateElements():
		return elementSize
	case ty.IsCollectionType() && (ty.ElementType() == cty.Number || ty.ElementType() == cty.Bool) && !ty.IsMapType():
		return elementSize * (1 + int64(v.LengthInt()))
	}

	n := int64(elementSize)
	for it := v.ElementIterator(); it.Next() && n <= limit; {
		key, element := it.Element()
		if key.Type() == cty.String && !ty.IsSetType() {
			n += int64(len(key.AsString()))
		}

		n += sizeOf(element, limit-n)
	}

	return n
}

// metered is an expression whose values are counted each time that it is evaluated. It has the
// expression as its child, as parentheses have.
type metered struct {
	*hclsyntax.ParenthesesExpr
	budget    *budget
	condition bool
}

func (m *metered) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if m.budget.spent {
		panic(budgetExceeded{})
	}

	val, diags := m.Expression.Value(ctx)
	switch {
	case diags.HasErrors():
	case m.condition:
		m.budget.make(conditionSize)
	default:
		m.budget.make(sizeOf(val, maxMade))
	}

	if m.budget.spent {
		if !m.budget.placed {
			m.budget.at, m.budget.placed = m.Expression.Range(), true
		}

		panic(budgetExceeded{})
	}

	return val, diags
}

// meter arranges for the values to be counted that the parts of an expression or a file make: those
// of each step of a "for" expression, and of the parts of long templates. Functions are counted by
// counted. Everything else makes no more than its source and its operands have.
func (b *budget) meter(node hclsyntax.Node) {
	wrap := func(e hclsyntax.Expression, condition bool) hclsyntax.Expression {
		if e == nil {
			return nil
		}

		return &metered{&hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}, b, condition}
	}
	// The visit cannot fail, because the callback returns no diagnostics.
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n := n.(type) {
		case *hclsyntax.ForExpr:
			n.KeyExpr, n.ValExpr, n.CondExpr = wrap(n.KeyExpr, false), wrap(n.ValExpr, false), wrap(n.CondExpr, true)
		case *hclsyntax.TemplateExpr:
			if len(n.Parts) <= manyParts {
				break
			}

			for i, p := range n.Parts {
				if _, literal := p.(*hclsyntax.LiteralValueExpr); !literal {
					n.Parts[i] = wrap(p, false)
				}
			}
		}

		return nil
	})
}

// counted returns a function that fails if the budget does not suffice for its result. Where the
// result may be much larger than the arguments, estimate tells its size before it is made.
func (b *budget) counted(name string, f function.Function) function.Function {
	affordable := func(args []cty.Value) error {
		n := int64(0)
		if !readsPart[name] {
			for _, a := range args {
				n += sizeOf(a, maxMade-n)
			}
		}

		if estimate := estimates[name]; estimate != nil && n <= maxMade && allKnown(args) {
			n = estimate(args)
		}

		if b.spent = b.spent || n > maxMade-b.made; b.spent {
			return errTooMuch
		}

		return nil
	}
	return function.New(&function.Spec{
		Params: f.Params(), VarParam: f.VarParam(),
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := affordable(args); err != nil {
				return cty.NilType, err
			}

			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			val, err := f.Call(args)
			if err != nil {
				return val, err
			}

			if b.make(sizeOf(val, maxMade)); b.spent {
				return cty.NilVal, errTooMuch
			}

			return val, nil
		},
	})
}

// allKnown reports whether the arguments can be examined.
func allKnown(args []cty.Value) bool {
	for _, a := range args {
		if a.IsNull() || !a.IsWhollyKnown() || a.ContainsMarked() {
			return false
		}
	}
	return true
}

var errAliases = errors.New("the aliases of the YAML multiply its size: write it out, or use fewer of them")
