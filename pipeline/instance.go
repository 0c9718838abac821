package pipeline

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// builder makes the instances of one stage, cell by cell. Instances are never modified, so values are
// shared with earlier cells as long as nothing that they depend on has changed.
type builder struct {
	*module
	stage *stage
	scope *cellScope

	whole   cellExpr // inputs that are one expression, or else without expr
	inputs  []inputExpr
	command commandExpr
	env     envExpr
	streams streamExprs

	started  bool // whether an instance was built
	outputs  []Output
	made     []Input
	upstream []int
}

// inputExpr is one input, with its value in the last cell.
type inputExpr struct {
	name string
	cellExpr
	in *Input // nil: left out
}

// checkStage checks the expressions that may refer to inputs, outputs and other stages, which are all
// known at this point.
func (l *module) checkStage(s *stage) {
	inspect := func(expr hclsyntax.Expression, what string, allow roots) {
		if expr != nil {
			l.inspected(s, expr, s.place(what, allow))
		}
	}
	inspect(s.inputsWhole, "inputs", scopeInputs)
	for _, e := range s.inputs {
		inspect(e.expr, "inputs", scopeInputs)
	}

	l.refuseNumbers(s.content.expr("command"))
	if tuple, ok := s.content.expr("command").(*hclsyntax.TupleConsExpr); ok {
		for _, expr := range tuple.Exprs {
			inspect(expr, "command", scopeCommand)
		}
	} else {
		inspect(s.content.expr("command"), "command", scopeCommand)
	}

	inspect(s.content.expr("stdin"), "stdin", scopeCommand)
	inspect(s.content.expr("stdout"), "stdout", scopeCommand)
	inspect(s.envWhole, "env", scopeCommand)
	for _, e := range s.env {
		inspect(e.expr, "env", scopeCommand)
		l.checkEnvName(s, e.name, e.at)
	}

	l.checkHostNames(s)
	l.checkDependsOn(s)
}

// checkEnvName reports a variable that is declared twice.
func (l *module) checkEnvName(s *stage, name string, at hcl.Range) {
	if slices.Contains(s.fixed.Passthrough, name) {
		l.errorf(at, "Duplicate name", "The variable %q of stage %q is in both env and passthrough. Remove one of "+
			"the two.", name, s.name)
	}
	if slices.ContainsFunc(s.fixed.Secrets, func(x Secret) bool { return x.Name == name }) {
		l.errorf(at, "Duplicate name", "The variable %q of stage %q is in both env and secrets. Remove one of the two.",
			name, s.name)
	}
}

func (l *module) checkHostNames(s *stage) {
	for _, x := range s.fixed.Secrets {
		if slices.Contains(s.fixed.Passthrough, x.Name) {
			l.errorf(s.content.expr("passthrough").Range(), "Duplicate name",
				"The variable %q of stage %q is in both secrets and passthrough. Remove one of the two.", x.Name,
				s.name)
		}
	}
}

// resolvable reports whether other stages can refer to outputs of this one.
func (s *stage) resolvable() bool {
	return s.cellsKnown && s.cellOutputs != nil && !s.cyclic
}

// stageValue returns the value of stage.NAME: an object of the outputs and, if single instances are
// used, of the instances. It is unknown for a stage with a problem, so that no problem is reported for
// stages that use it.
func stageValue(s *stage) cty.Value {
	if !s.resolvable() {
		return cty.DynamicVal
	}

	if s.value != cty.NilVal && s.valueIndexed == s.indexed {
		return s.value
	}

	s.valueIndexed = s.indexed
	outputs := func(cell int) map[string]cty.Value {
		off := s.isOff()
		if cell >= 0 {
			off = s.offAt(cell) != ""
		}

		attrs := make(map[string]cty.Value, len(s.outputNames))
		for _, name := range s.outputNames {
			if off {
				attrs[name] = cty.NullVal(outputType)
				continue
			}

			attrs[name] = cty.CapsuleVal(outputType, &outputValue{stage: s, cell: cell, name: name})
		}

		return attrs
	}
	if len(s.axes) == 0 {
		s.value = cty.ObjectVal(outputs(0))
		return s.value
	}

	attrs := outputs(-1)
	if s.indexed {
		for i := range s.cells {
			attrs[s.cellName(i)] = cty.ObjectVal(outputs(i))
		}
	}

	s.value = cty.ObjectVal(attrs)
	return s.value
}

// instantiate adds the instances of a stage to the plan. It runs after the stages that this one uses. A
// stage with a problem is also evaluated, to find its other problems, but has no instances.
func (l *module) instantiate(s *stage) {
	b := &builder{module: l, stage: s, scope: l.newCellScope(),
		command: s.commandExpr(), env: s.envExpr(), streams: s.streamExprs()}
	if s.inputsWhole != nil {
		b.whole = s.cellExpr(s.inputsWhole)
	}

	for _, e := range s.inputs {
		b.inputs = append(b.inputs, inputExpr{name: e.name, cellExpr: s.cellExpr(e.expr)})
	}

	if len(s.uses) > 0 || s.usesInclude {
		vals := make(map[string]cty.Value, len(s.uses))
		for _, u := range s.uses {
			if u.module == l {
				vals[u.label] = stageValue(u)
			}
		}

		b.scope.bind(readsStage, cty.ObjectVal(vals))
		b.scope.bind(readsInclude, l.includeValue())
	}

	cells := s.cellsToEvaluate()
	block := make([]Instance, len(cells))
	if s.resolvable() {
		s.first, s.planned = len(l.plan.Instances), true
		l.plan.Instances = slices.Grow(l.plan.Instances, len(block))
	}

	for i := range block {
		b.build(i, &cells[i], &block[i])
		if s.planned {
			l.plan.Instances = append(l.plan.Instances, &block[i])
		}
	}
}

// build fills in the instance of one cell.
func (b *builder) build(i int, c *cell, in *Instance) {
	*in = b.stage.fixed
	in.Matrix = c.axes
	b.scope.enter(c)
	if outputs := b.stage.cellOutputs; outputs != nil {
		in.Outputs = outputs[i]
		if i == 0 || !sameSlice(b.outputs, in.Outputs) {
			b.outputs = in.Outputs
			b.bindOutputs()
		}
	} else if i == 0 {
		b.scope.bind(readsOutput, cty.DynamicVal)
	}

	if in.Off = b.stage.offAt(i); in.Off != "" {
		return // nothing is evaluated for an instance that does not run
	}

	b.buildInputs(!b.started)
	b.started = true
	in.Inputs, in.Upstream = b.made, b.upstream

	b.buildCommand()
	in.Command = b.command.words
	b.buildStreams(in)
	b.buildEnv()
	in.Env = b.env.vars
	in.Sensitive = b.command.sensitive || b.env.sensitive
}

func sameSlice(a, b []Output) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (b *builder) bindOutputs() {
	vals := make(map[string]cty.Value, len(b.outputs))
	for _, o := range b.outputs {
		vals[o.Name] = cty.StringVal(o.Path)
	}
	b.scope.bind(readsOutput, cty.ObjectVal(vals))
}

// buildInputs evaluates the inputs of a cell. It only creates a new object
// "input" if a path differs from that in the last cell, which is rare: paths
// contain the name of the input, not that of the file.
func (b *builder) buildInputs(first bool) {
	fresh, moved := first, first
	if b.whole.expr != nil && b.whole.eval(b.loader, b.scope) {
		b.splitInputs()
		fresh, moved = true, true
	}

	for i := range b.inputs {
		e := &b.inputs[i]
		if e.expr == nil || !e.eval(b.loader, b.scope) {
			continue
		}

		old := e.in
		e.in = nil
		if e.ok {
			e.in, e.ok = b.source(b.stage, e.name, e.val, e.expr.Range())
		}

		fresh = true
		moved = moved || (old == nil) != (e.in == nil) || old != nil && old.Path != e.in.Path
	}

	if fresh {
		b.collectInputs()
	}

	if moved {
		b.bindInputs()
	}
}

// splitInputs splits inputs that are one expression into one entry per
// element.
func (b *builder) splitInputs() {
	b.inputs = nil
	if !b.whole.ok {
		return
	}

	at := b.whole.expr.Range()
	named, ok := b.mapElements(b.whole.val, at, "inputs", b.stage, validInputName)
	b.whole.ok = ok
	for _, n := range named {
		e := inputExpr{name: n.name}
		e.in, e.ok = b.source(b.stage, n.name, n.val, at)
		b.whole.ok = b.whole.ok && e.ok
		b.inputs = append(b.inputs, e)
	}
}

// collectInputs lists the inputs that were not omitted, and the instances that
// they come from.
func (b *builder) collectInputs() {
	b.made, b.upstream = make([]Input, 0, len(b.inputs)), nil
	for i := range b.inputs {
		if in := b.inputs[i].in; in != nil && b.inputs[i].ok {
			b.made = append(b.made, *in)
			for _, u := range in.From {
				b.upstream = append(b.upstream, u.From.Instance)
			}
		}
	}
	slices.Sort(b.upstream)
	b.upstream = slices.Compact(b.upstream)
}

func (b *builder) bindInputs() {
	if b.whole.expr != nil && !b.whole.ok {
		b.scope.bind(readsInput, cty.DynamicVal)
		return
	}

	vals := make(map[string]cty.Value, len(b.inputs))
	for i := range b.inputs {
		e := &b.inputs[i]
		switch {
		case !e.ok:
			vals[e.name] = cty.UnknownVal(cty.String)
		case e.in == nil:
			vals[e.name] = cty.NullVal(cty.String)
		default:
			vals[e.name] = cty.StringVal(e.in.Path)
		}
	}

	b.scope.bind(readsInput, cty.ObjectVal(vals))
}
