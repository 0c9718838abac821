package pipeline

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// local is one attribute of a locals block.
type local struct {
	name string
	at   hcl.Range
	expr hclsyntax.Expression
	uses []int // other locals, by position in loader.localOrder
	val  cty.Value
}

func (l *module) decodeLocals(b *hclsyntax.Block) {
	c := l.decode(b.Body, localsSchema, "the locals block", b.DefRange())
	for _, a := range c.free {
		if prev := l.locals[a.Name]; prev != nil {
			l.errorf(a.NameRange, "Duplicate local",
				"The local %q is already declared, at %s. Rename or remove one of the two.",
				a.Name, where(prev.at, a.NameRange))
			continue
		}

		v := &local{name: a.Name, at: a.NameRange, expr: a.Expr, val: cty.DynamicVal}
		l.locals[a.Name] = v
		l.localOrder = append(l.localOrder, v)
	}
}

func (l *module) localNames() []string {
	names := make([]string, len(l.localOrder))
	for i, v := range l.localOrder {
		names[i] = v.name
	}
	return names
}

// evalLocals evaluates each local after the locals that it refers to.
func (l *module) evalLocals() {
	index := make(map[string]int, len(l.localOrder))
	for i, v := range l.localOrder {
		index[v.name] = i
	}

	sound := make([]bool, len(l.localOrder))
	edges := make([][]int, len(l.localOrder))
	for i, v := range l.localOrder {
		sound[i] = l.check(v.expr, exprContext{allow: scopeStatic, what: "a local"})
		for _, t := range v.expr.Variables() {
			if t.RootName() != "local" {
				continue
			}

			if name, _, ok := step(t, 1); ok {
				if j, ok := index[name]; ok && !slices.Contains(v.uses, j) {
					v.uses = append(v.uses, j)
				}
			} else {
				// A reference to all locals cannot be distinguished from a cycle.
				l.errorf(t.SourceRange(), "Incomplete reference",
					"A local cannot refer to all locals, because it is one of them: write local.NAME.")
				sound[i] = false
			}
		}

		slices.Sort(v.uses)
		edges[i] = v.uses
	}

	cyclic := map[int]bool{}
	for _, cycle := range cycles(edges) {
		names := make([]string, 0, len(cycle)+1)
		for _, i := range cycle {
			names = append(names, "local."+l.localOrder[i].name)
			cyclic[i] = true
		}

		l.errorf(l.localOrder[cycle[0]].at, "Cycle of locals",
			"These locals refer to one another, so none has a value: %s. Remove one of the references.",
			strings.Join(append(names, names[0]), " -> "))
	}

	// Locals on a cycle stay unknown, and so do locals that depend on them.
	vals := make(map[string]cty.Value, len(l.localOrder))
	for _, i := range order(edges) {
		v := l.localOrder[i]
		if !cyclic[i] && sound[i] {
			if val, ok := l.eval(v.expr, l.localContext(v)); ok {
				v.val = val
			}
		}

		vals[v.name] = v.val
	}

	l.base.Variables["local"] = cty.ObjectVal(vals)
}

// localContext returns a scope with only the locals that one local refers to: an object of all
// locals for each local would take quadratic time.
func (l *module) localContext(v *local) *hcl.EvalContext {
	if len(v.uses) == 0 {
		return l.base
	}
	vals := make(map[string]cty.Value, len(v.uses))
	for _, i := range v.uses {
		vals[l.localOrder[i].name] = l.localOrder[i].val
	}
	ctx := &hcl.EvalContext{Variables: maps.Clone(l.base.Variables), Functions: l.base.Functions}
	ctx.Variables["local"] = cty.ObjectVal(vals)
	return ctx
}
