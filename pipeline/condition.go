package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// maxConditionText limits the text of a condition in a reason, in characters.
const maxConditionText = 80

// resolveCondition evaluates the condition of a stage for every cell of its matrix.
// A cell whose condition is false is off.
func (l *module) resolveCondition(s *stage) {
	if s.empty != "" {
		s.off = slices.Repeat([]string{s.empty}, len(s.cells))
		return
	}

	expr := s.content.expr("when")
	if expr == nil {
		return
	}

	p := s.place("when", scopeOutputs)
	p.condition = true
	e := l.inspected(s, expr, p)
	cells := s.cellsToEvaluate()
	off := make([]string, len(cells))
	scope := l.newCellScope()
	var last string
	for i := range cells {
		scope.enter(&cells[i])
		if e.eval(l.loader, scope) && e.ok {
			var on bool
			if on, e.ok = l.condition(s, e.val, expr); on {
				last = ""
			} else {
				last = l.offReason(expr)
			}
		}

		if !e.ok {
			// Unknown whether on or off: stages that use the outputs report nothing.
			s.cellsKnown = false
			return
		}

		off[i] = last
	}

	if s.cellsKnown {
		s.off = off
	}
}

// condition converts the value of a condition.
func (l *module) condition(s *stage, val cty.Value, expr hclsyntax.Expression) (on, ok bool) {
	if val.ContainsMarked() {
		l.errorf(expr.Range(), "Sensitive value",
			"The condition of stage %q depends on a sensitive value. Whether a stage is off is printed, which would "+
				"reveal the value. Use sensitive values only in command or env.", s.name)
		return false, false
	}

	val, err := convert.Convert(val, cty.Bool)
	if err != nil || val.IsNull() {
		l.errorf(expr.Range(), "Bad type", "The attribute when of stage %q must be true or false.", s.name)
		return false, false
	}

	return val.True(), true
}

// offReason returns the reason why a stage is off: the text of its condition, and its place.
func (l *module) offReason(expr hclsyntax.Expression) string {
	at := expr.Range()
	text := ""
	if f := l.files[at.Filename]; f != nil && at.CanSliceBytes(f.Bytes) {
		text = strings.Join(strings.Fields(string(at.SliceBytes(f.Bytes))), " ")
	}
	if runes := []rune(text); len(runes) > maxConditionText {
		text = string(runes[:maxConditionText]) + "..."
	}
	return fmt.Sprintf("when = %s is false (%s:%d)", text, at.Filename, at.Start.Line)
}

// offAt returns the reason why a cell is off, or "".
func (s *stage) offAt(cell int) string {
	if cell < len(s.off) {
		return s.off[cell]
	}
	return ""
}

// isOff reports whether every instance of a stage is off.
func (s *stage) isOff() bool {
	for _, why := range s.off {
		if why == "" {
			return false
		}
	}
	return len(s.off) > 0
}

// resolveOnDemand evaluates on_demand.
func (l *module) resolveOnDemand(s *stage) {
	expr := s.content.expr("on_demand")
	if expr == nil {
		return
	}
	if val, ok := l.setting(expr, cty.Bool, s.place("on_demand", scopeStatic)); ok {
		s.fixed.OnDemand = val.True()
	}
}

// checkOnDemand reports stages that are part of every run but need a manual stage.
func (l *loader) checkOnDemand() {
	for _, s := range l.allStages {
		if s.fixed.OnDemand {
			continue
		}

		for _, need := range append(append([]*stage{}, s.uses...), s.after...) {
			if need.fixed.OnDemand {
				l.errorf(s.at, "Needs a manual stage",
					"The stage %q is part of every run, but it depends on the stage %q (%s), which is a "+
						"manual stage. Set on_demand = true here too, or remove it there.",
					s.name, need.name, where(need.at, s.at))
			}
		}
	}
}

// checkDependsOn reads the dependencies of a stage in depends_on.
func (l *module) checkDependsOn(s *stage) {
	expr := s.content.expr("depends_on")
	if expr == nil {
		return
	}

	list, diags := hcl.ExprList(expr)
	if diags.HasErrors() {
		l.errorf(expr.Range(), "Bad type", "depends_on of stage %q must be a literal list of stages: [stage.NAME, "+
			"stage.OTHER].", s.name)
		return
	}

	for _, e := range list {
		t, diags := hcl.AbsTraversalForExpr(e)
		name, at, ok := "", e.Range(), false
		if !diags.HasErrors() && len(t) == 2 {
			name, at, ok = step(t, 1)
		}

		switch {
		case ok && t.RootName() == "stage":
			if target := l.stages[name]; target != nil {
				s.waitFor(target)
			} else {
				l.errorf(at, "Unknown stage", "There is no stage %q.%s", name, didYouMean(name, l.stageNames()))
			}
		case ok && t.RootName() == "include":
			if n := l.includes[name]; n != nil {
				s.waitForAll(n)
			} else {
				l.errorf(at, "Unknown include", "There is no include %q.%s", name, didYouMean(name, l.includeNames()))
			}
		default:
			l.errorf(e.Range(), "Invalid dependency",
				"depends_on of stage %q must list whole stages or includes: write stage.NAME or include.NAME.", s.name)
		}
	}
}

// waitFor makes a stage wait for another one.
func (s *stage) waitFor(target *stage) {
	if !slices.Contains(s.after, target) {
		s.after = append(s.after, target)
	}
}

// waitForAll makes a stage wait for all stages of an include and of those that it contains.
func (s *stage) waitForAll(n *include) {
	for _, m := range n.modules {
		for _, target := range m.stageOrder {
			s.waitFor(target)
		}
		for _, inner := range m.includeOrder {
			s.waitForAll(inner)
		}
	}
}

// resolveDependsOn lists the instances that the instances of a stage wait for. It runs after all
// stages are in the plan.
func (l *loader) resolveDependsOn(s *stage) {
	if !s.planned || len(s.after) == 0 {
		return
	}

	var all []int
	for _, target := range s.after {
		for i := range target.cells {
			if target.planned && target.offAt(i) == "" {
				all = append(all, target.first+i)
			}
		}
	}

	slices.Sort(all)
	for i := range s.cells {
		in := l.plan.Instances[s.first+i]
		switch {
		case in.Off != "":
		case len(in.Upstream) == 0:
			in.After = all // shared: instances are never modified
		default:
			for _, j := range all {
				if _, read := slices.BinarySearch(in.Upstream, j); !read {
					in.After = append(in.After, j)
				}
			}
		}
	}
}
