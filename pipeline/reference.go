package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// exprContext describes an expression: what it may refer to, and its name for messages. stage is its stage,
// or nil. matrix is the matrix whose axes it may read, or nil.
type exprContext struct {
	allow  roots
	what   string
	stage  *stage
	matrix *matrix
	// condition means that the expression only tests values, so that it may test
	// whether a variable that holds an output is null.
	condition bool
}

// check reports references and functions of an expression that do not exist or are not allowed here.
// An expression that fails is not evaluated, so that nothing is reported twice.
func (l *module) check(expr hclsyntax.Expression, p exprContext) bool {
	_, ok := l.inspect(expr, p)
	return ok
}

// inspect is check, and also returns the roots that the expression uses.
func (l *module) inspect(expr hclsyntax.Expression, p exprContext) (roots, bool) {
	if _, literal := expr.(*hclsyntax.LiteralValueExpr); literal {
		return 0, true
	}

	var reads roots
	before := len(l.diags)
	for _, t := range expr.Variables() {
		reads |= l.checkTraversal(t, p)
	}

	// The visit cannot fail, because the callback returns no diagnostics.
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			if _, known := l.base.Functions[call.Name]; !known {
				names := sortedKeys(l.base.Functions)
				l.errorf(call.NameRange, "Unknown function",
					"There is no function named %q.%s The language reference lists all functions.",
					call.Name, didYouMean(call.Name, names))
			}
		}

		return nil
	})
	return reads, len(l.diags) == before
}

func (l *module) checkTraversal(t hcl.Traversal, p exprContext) roots {
	root := t.RootName()
	var reads roots
	for _, r := range rootNames {
		if r.name == root {
			reads = r.root
		}
	}

	at := t.SourceRange()
	if reads == 0 {
		l.unknownRoot(t, p)
		return 0
	}

	if p.allow&reads == 0 {
		l.misplaced(reads, at, p)
		return 0
	}

	name, nameAt, ok := step(t, 1)
	if !ok {
		if len(t) == 1 && (reads == readsStage || reads == readsInput || reads == readsOutput || reads == readsMatrix ||
			reads == readsInclude || reads == readsPath) {
			l.errorf(at, "Incomplete reference", "%q must be followed by a name: write %s.NAME.", root, root)
		}

		return reads
	}

	switch reads {
	case readsVar:
		l.checkVariable(name, nameAt, p)
	case readsLocal:
		if l.locals[name] == nil {
			l.errorf(nameAt, "Unknown local", "There is no local %q.%s Declare it in a locals block.", name,
				didYouMean(name, l.localNames()))
		}
	case readsMatrix:
		if axes := p.matrix.axisNames(); !slices.Contains(axes, name) {
			if len(axes) == 0 {
				l.errorf(at, "Unknown axis", "The %s has no matrix. Give it one: matrix { %s = [...] }.", p.matrix.of,
					name)
			} else {
				l.errorf(nameAt, "Unknown axis", "The matrix of %s has no axis %q.%s It has %s.", p.matrix.of, name,
					didYouMean(name, axes), anyOf(axes))
			}
		}
	case readsInput:
		if names, known := p.stage.inputNames(); known && !slices.Contains(names, name) {
			l.errorf(nameAt, "Unknown input", "The stage %q has no input %q.%s Declare it in inputs.", p.stage.name,
				name, didYouMean(name, names))
		}
	case readsOutput:
		if names := p.stage.outputNames; p.stage.outputsKnown && !slices.Contains(names, name) {
			l.errorf(nameAt, "Unknown output", "The stage %q has no output %q.%s Declare it in outputs.", p.stage.name,
				name, didYouMean(name, names))
		}
	case readsStage:
		l.checkStageReference(t, p)
	case readsInclude:
		l.checkIncludeReference(t, p)
	case readsPath:
		if name != "module" {
			l.errorf(nameAt, "Unknown name", "There is no path.%s. Write path.module, the directory of this file.",
				name)
		}
	}

	return reads
}

// checkVariable checks var.NAME. A variable that holds an output is only allowed where outputs are,
// and is an edge there.
func (l *module) checkVariable(name string, at hcl.Range, p exprContext) {
	v := l.variables[name]
	switch {
	case v == nil:
		l.errorf(at, "Unknown variable", "There is no variable %q.%s Declare it with variable %q { ... }.%s",
			name, didYouMean(name, l.variableNames()), name, l.unreadFiles())
	case len(v.stages) == 0:
	case p.condition:
	case p.allow&readsStage == 0:
		l.errorf(at, "Reference out of place", "The variable %q holds an output of a stage, which %s cannot refer "+
			"to. Declare it as an input, inputs = { NAME = var.%s }, and write input.NAME.", name, p.what, name)
	case p.stage != nil:
		for _, target := range v.stages {
			p.stage.reads(target)
		}
	}
}

// unreadFiles returns a sentence about pipeline files that were not read because another file was
// given.
func (l *module) unreadFiles() string {
	if len(l.src.files) > 1 || filepath.Base(l.src.main) == MainFile {
		return ""
	}
	return fmt.Sprintf(" Only %s was read: the other files of its directory belong to %s.", l.src.main, MainFile)
}

// checkIncludeReference checks include.NAME.OUTPUT.
func (l *module) checkIncludeReference(t hcl.Traversal, p exprContext) {
	name, at, _ := step(t, 1)
	n := l.includes[name]
	if n == nil {
		l.errorf(at, "Unknown include", "There is no include %q.%s", name, didYouMean(name, l.includeNames()))
		return
	}

	if p.stage != nil {
		p.stage.usesInclude = true
	}

	if n.child == nil {
		return // reported
	}

	output, at, ok := step(t, 2)
	modules, shown := n.modules, "include."+name
	if cell := n.cell(output); ok && len(n.axes) > 0 && n.child.outputs[output] == nil && cell >= 0 {
		modules, shown = n.modules[cell:cell+1], fmt.Sprintf("include.%s[%q]", name, output)
		output, at, ok = step(t, 3)
	}

	switch {
	case !ok:
		l.errorf(t.SourceRange(), "Incomplete reference", "An include is not an output: write %s.OUTPUT.", shown)
	case n.child.outputs[output] == nil:
		has := "They declare no outputs. Add one there: output \"NAME\" { value = stage.NAME.OUTPUT }."
		if names := n.child.moduleOutputNames(); len(names) > 0 {
			has = fmt.Sprintf("It declares %s.", anyOf(names))
		}

		if len(n.axes) > 0 && n.cellsKnown {
			has += fmt.Sprintf(" Its instances are named like %q.", n.cellNames()[0])
		}

		l.errorf(at, "Unknown output", "The files of include %q declare no output %q.%s %s", n.name, output,
			didYouMean(output, n.child.moduleOutputNames()), has)
	case p.stage != nil:
		for _, m := range modules {
			for _, target := range stagesIn(m.outputs[output].val) {
				p.stage.reads(target)
			}
		}
	}
}

// checkStageReference checks the part after "stage". A reference to an existing stage is an edge, even
// if the rest of the reference is wrong.
func (l *module) checkStageReference(t hcl.Traversal, p exprContext) {
	name, at, _ := step(t, 1)
	target := l.stages[name]
	if target == nil {
		l.errorf(at, "Unknown stage", "There is no stage %q.%s", name, didYouMean(name, l.stageNames()))
		return
	}

	if p.stage != nil {
		p.stage.reads(target)
	}

	if len(t) < 3 {
		target.indexed = true
		return // an index with an expression as key may follow; evaluation checks it
	}

	output, at, ok := step(t, 2)
	if !ok || !target.outputsKnown || slices.Contains(target.outputNames, output) {
		return
	}

	_, index := t[2].(hcl.TraverseIndex)
	switch {
	case index && len(target.axes) == 0:
		l.errorf(at, "No matrix", "The stage %q has no matrix, so it has no instance %q. Write stage.%s.OUTPUT.", name,
			output, name)
	case index && target.cellsKnown:
		if target.cell(output) >= 0 {
			target.indexed = true
			l.checkCellOutput(t, target, output)
			return
		}

		l.errorf(at, "Unknown instance", "The stage %q has no instance %q.%s Instances are named like %q.",
			name, output, didYouMean(output, target.cellNames()), target.cellNames()[0])
	case index:
		target.indexed = true
	default:
		has := "It declares no outputs."
		if len(target.outputNames) > 0 {
			has = fmt.Sprintf("It has %s.", anyOf(target.outputNames))
		}

		l.errorf(at, "Unknown output", "The stage %q has no output %q.%s %s", name, output,
			didYouMean(output, target.outputNames), has)
	}
}

// checkCellOutput checks the output in stage.NAME["instance"].OUTPUT.
func (l *module) checkCellOutput(t hcl.Traversal, target *stage, cell string) {
	output, at, ok := step(t, 3)
	switch {
	case !ok:
		l.errorf(t.SourceRange(), "Incomplete reference", "An instance is not an output: write stage.%s[%q].OUTPUT.",
			target.name, cell)
	case !slices.Contains(target.outputNames, output):
		l.errorf(at, "Unknown output", "The stage %q has no output %q.%s", target.name, output,
			didYouMean(output, target.outputNames))
	}
}

// unknownRoot reports an unknown name.
func (l *module) unknownRoot(t hcl.Traversal, p exprContext) {
	name := t.RootName()
	var meant []string
	switch {
	case l.variables[name] != nil && p.allow&readsVar != 0:
		meant = append(meant, "var."+name)
	case l.locals[name] != nil && p.allow&readsLocal != 0:
		meant = append(meant, "local."+name)
	}

	if p.stage != nil {
		if inputs, _ := p.stage.inputNames(); p.allow&readsInput != 0 && slices.Contains(inputs, name) {
			meant = append(meant, "input."+name)
		}

		if p.allow&readsOutput != 0 && slices.Contains(p.stage.outputNames, name) {
			meant = append(meant, "output."+name)
		}

	}

	if p.matrix != nil && p.allow&readsMatrix != 0 && slices.Contains(p.matrix.axisNames(), name) {
		meant = append(meant, "matrix."+name)
	}

	if l.stages[name] != nil && p.allow&readsStage != 0 {
		meant = append(meant, "stage."+name)
	}

	hint := fmt.Sprintf(" If it is meant to be text, put it in quotes: %q.", name)
	if not, begins := l.inTemplate(t[0].SourceRange()); begins {
		hint = fmt.Sprintf(" If a shell is to expand it, write $${%s%s}.", not, name)
	}

	if len(meant) > 0 {
		hint = fmt.Sprintf(" Did you mean %s?", strings.Join(meant, " or "))
	} else if s := closest.To(name, p.allow.names()); s != "" {
		hint = fmt.Sprintf(" Did you mean %q?", s)
	}

	l.errorf(t[0].SourceRange(), "Unknown name", "There is no name %q here.%s", name, hint)
}

func (r roots) names() []string {
	var names []string
	for _, rn := range rootNames {
		if r&rn.root != 0 {
			names = append(names, rn.name)
		}
	}
	return names
}

// misplaced reports a reference that is not allowed here.
func (l *module) misplaced(root roots, at hcl.Range, p exprContext) {
	var why string
	switch root {
	case readsStage, readsInclude:
		if p.allow&readsInput != 0 {
			why = "A command can only read its declared inputs. Declare the output as an input, inputs = { NAME = " +
				"stage.X.Y }, and write input.NAME here."
		} else {
			why = "Outputs do not exist yet when this is evaluated. Outputs of stages can be used in inputs of " +
				"other stages, and in verdict and publish."
		}
	case readsInput, readsOutput:
		why = "Inputs and outputs can only be used in the stage's command and env."
	case readsMatrix:
		why = "Axes can only be used in the command, env, inputs, outputs and when of a stage with a matrix, and " +
			"in the inputs of an include with one."
	default:
		why = "Only constants are allowed here."
		if p.allow != 0 {
			why = fmt.Sprintf("Only references to %s are allowed here.", anyOf(p.allow.names()))
		}
	}

	name := root.names()[0]
	l.errorf(at, "Reference out of place", "%s cannot refer to %q. %s", capital(p.what), name, why)
}

// step returns the name at position i of a traversal, written as .name or as ["name"].
func step(t hcl.Traversal, i int) (string, hcl.Range, bool) {
	if len(t) <= i {
		return "", hcl.Range{}, false
	}

	switch s := t[i].(type) {
	case hcl.TraverseAttr:
		at := s.SrcRange // includes the dot
		at.Start.Byte++
		at.Start.Column++
		return s.Name, at, true
	case hcl.TraverseIndex:
		if s.Key.Type() == cty.String && s.Key.IsKnown() && !s.Key.IsNull() {
			return s.Key.AsString(), s.SrcRange, true
		}
	}

	return "", t[i].SourceRange(), false
}
