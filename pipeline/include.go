package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// maxModules limits the modules of a pipeline: in a chain of files that each include the next one
// twice, the number of modules doubles with every file.
const maxModules = 1000

// include is a decoded include block.
type include struct {
	name    string
	at      hcl.Range // of the name
	content *content
	inputs  []namedExpr
	matrix
	// child is the module as it was read, or nil if it cannot be read. Without a matrix it is also the only
	// one of modules.
	child *module
	// modules are the evaluated modules, one for each cell of the matrix. A matrix without values has none.
	modules []*module
	// value is the object of the modules' outputs, unknown until they are known.
	value cty.Value
}

// moduleOutput is a decoded output block: an output of a module.
type moduleOutput struct {
	name string
	at   hcl.Range
	expr hclsyntax.Expression // nil if it is missing
	val  cty.Value
}

func (l *module) decodeInclude(b *hclsyntax.Block) {
	name, at := b.Labels[0], b.LabelRanges[0]
	if prev := l.includes[name]; prev != nil {
		l.errorf(at, "Duplicate include", "The include %q is already declared, at %s. Rename or remove one of the two.",
			name, where(prev.at, at))
		return
	}

	n := &include{name: name, at: at, value: cty.DynamicVal}
	n.of = fmt.Sprintf("include %q", name)
	n.content = l.decode(b.Body, includeSchema, n.of, b.DefRange())
	l.includes[name] = n
	l.includeOrder = append(l.includeOrder, n)
	if val, ok := l.constant(n.content, "source", cty.String, n.of); ok {
		n.child = l.openInclude(n, val.AsString(), n.content.expr("source").Range())
	}

	if n.child != nil && n.child.src.broken {
		n.child = nil
	}
}

// openInclude reads the files of an include.
func (l *module) openInclude(n *include, source string, at hcl.Range) *module {
	switch {
	case source == "" || strings.ContainsRune(source, 0):
		l.errorf(at, "Invalid source", "source must be a directory with a %s, or a pipeline file, relative to this "+
			"file, such as \"modules/NAME\".", MainFile)
		return nil
	case len(l.modules) >= maxModules:
		l.errorf(at, "Too many includes", "The pipeline includes more than %d modules. Include fewer, or use a matrix.",
			maxModules)
		return nil
	}

	path := filepath.FromSlash(source)
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.src.dir, path)
	}

	main, whole := mainFile(l.disk, path)
	if l.includesItself(main, at) {
		return nil
	}

	src := l.read(main, whole, func(file string, err error) {
		l.errorf(at, "Cannot read the include", "%s. source must be a directory with a %s, or a pipeline file, "+
			"relative to this file.", capital(pathError(file, err)), MainFile)
	})
	if src == nil {
		return nil
	}

	return l.newModule(l, l.prefix+n.name+"/", src)
}

// includesItself reports a module that would include itself, with the chain of includes.
func (l *module) includesItself(main string, at hcl.Range) bool {
	real, err := l.disk.Resolve(main)
	if err != nil {
		return false // reported when it is read
	}

	var way []string
	for m := l; m != nil; m = m.parent {
		way = append(way, m.src.main)
		if m.src.real == real {
			slices.Reverse(way)
			l.errorf(at, "Cycle of includes", "The file includes itself: %s. Remove one of the include blocks.",
				strings.Join(append(way, m.src.main), " -> "))
			return true
		}
	}

	return false
}

func (l *module) decodeOutput(b *hclsyntax.Block) {
	name, at := b.Labels[0], b.LabelRanges[0]
	if prev := l.outputs[name]; prev != nil {
		l.errorf(at, "Duplicate output", "The output %q is already declared, at %s. Rename or remove one of the two.",
			name, where(prev.at, at))
		return
	}

	what := fmt.Sprintf("output %q", name)
	c := l.decode(b.Body, moduleOutputSchema, what, b.DefRange())
	l.constant(c, "description", cty.String, what)
	o := &moduleOutput{name: name, at: at, expr: c.expr("value"), val: cty.DynamicVal}
	l.outputs[name] = o
	l.outputOrder = append(l.outputOrder, o)
}

// moduleOutputNames lists the outputs of a module.
func (l *module) moduleOutputNames() []string {
	names := make([]string, len(l.outputOrder))
	for i, o := range l.outputOrder {
		names[i] = o.name
	}
	return names
}

func (l *module) includeNames() []string {
	names := make([]string, len(l.includeOrder))
	for i, n := range l.includeOrder {
		names[i] = n.name
	}
	return names
}

// resolveIncludes evaluates the included modules, each after the modules whose outputs it uses.
func (l *module) resolveIncludes() {
	index := make(map[string]int, len(l.includeOrder))
	for i, n := range l.includeOrder {
		index[n.name] = i
		if l.stages[n.name] != nil {
			l.errorf(n.at, "Duplicate name", "The stage %q at %s has the same name as this include, and the names "+
				"of included stages start with it. Rename one of the two.",
				n.name, where(l.stages[n.name].at, n.at))
		}
	}

	edges := make([][]int, len(l.includeOrder))
	for i, n := range l.includeOrder {
		l.expandMatrix(&n.matrix, n.content.nested("matrix"))
		n.inputs = l.includeInputs(n)
		for _, e := range n.inputs {
			for _, t := range e.expr.Variables() {
				name, _, ok := step(t, 1)
				if j, known := index[name]; ok && known && t.RootName() == "include" && !slices.Contains(edges[i], j) {
					edges[i] = append(edges[i], j)
				}
			}
		}
	}

	for _, cycle := range cycles(edges) {
		names := make([]string, 0, len(cycle)+1)
		for _, i := range cycle {
			names = append(names, "include."+l.includeOrder[i].name)
			l.includeOrder[i].child = nil
		}

		l.errorf(l.includeOrder[cycle[0]].at, "Cycle of includes",
			"These includes use one another's outputs, so none can be evaluated first: %s. Remove one of the "+
				"references in inputs.",
			strings.Join(append(names, names[0]), " -> "))
	}

	for _, i := range order(edges) {
		if n := l.includeOrder[i]; n.child != nil && n.cellsKnown {
			l.resolveInclude(n)
		}
	}
}

// includeInputs returns the entries of the inputs of an include.
func (l *module) includeInputs(n *include) []namedExpr {
	expr := n.content.expr("inputs")
	if expr == nil {
		return nil
	}

	cons, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		l.errorf(expr.Range(), "Bad type", "inputs of include %q must be a literal map: { NAME = value }. Each name "+
			"is a variable of the included files.", n.name)
		n.child = nil // it would lack all of them
		return nil
	}

	seen := map[string]bool{}
	var entries []namedExpr
	for _, item := range cons.Items {
		name, ok := l.entryName(item.KeyExpr,
			exprContext{allow: scopeConstant, what: fmt.Sprintf("a name in inputs of include %q", n.name)})
		if !ok {
			continue
		}

		if seen[name] {
			l.errorf(item.KeyExpr.Range(), "Duplicate name",
				"%q occurs twice in inputs of include %q. Remove one of the two.", name, n.name)
			continue
		}

		seen[name] = true
		entries = append(entries, namedExpr{name: name, at: item.KeyExpr.Range(), expr: item.ValueExpr})
	}

	return entries
}

// resolveInclude evaluates the modules of an include, one for each cell of its matrix, and reads their
// outputs.
func (l *module) resolveInclude(n *include) {
	l.checkInputs(n)
	if n.empty != "" {
		l.warnf(n.at, "Include without instances", "The include %q adds no stages: %s.", n.name, n.empty)
	} else {
		for i := range n.cells {
			if m := l.instanceOf(n, i); m != nil {
				l.resolveModule(n, m, &n.cells[i])
				n.modules = append(n.modules, m)
			}
		}
	}

	n.value = n.outputValue()
}

// checkInputs checks the names and the references of an include's inputs. Inputs that fail have no expression
// afterwards, so that they are not evaluated.
func (l *module) checkInputs(n *include) {
	for i, e := range n.inputs {
		if n.child.variables[e.name] == nil {
			has := "It declares no variables."
			if len(n.child.variableOrder) > 0 {
				has = fmt.Sprintf("It declares %s.", anyOf(n.child.variableNames()))
			}

			l.errorf(e.at, "Undeclared variable", "The include %q sets %q, which %s does not declare.%s %s",
				n.name, e.name, n.child.src.main, didYouMean(e.name, n.child.variableNames()), has)
			n.inputs[i].expr = nil
		} else if !l.check(e.expr, n.place("inputs", scopeInclude)) {
			n.inputs[i].expr = nil
		}
	}
}

// instanceOf returns the module of one cell, which is read again for each cell of a matrix, or nil if there are
// too many.
func (l *module) instanceOf(n *include, i int) *module {
	if len(n.axes) == 0 {
		return n.child
	}

	if len(l.modules) >= maxModules {
		l.errorf(n.at, "Too many includes", "The pipeline includes more than %d modules. Shorten the matrix of "+
			"include %q.", maxModules, n.name)
		return nil
	}

	m := l.newModule(l, fmt.Sprintf("%s%s[%s]/", l.prefix, n.name, n.cellName(i)), n.child.src)
	m.decodeFiles()
	return m
}

// resolveModule sets the inputs of a module and evaluates it.
func (l *module) resolveModule(n *include, m *module, c *cell) {
	ctx := l.outputContext()
	if len(n.axes) > 0 {
		ctx.Variables["matrix"] = c.matrix()
	}

	set := map[string]cty.Value{}
	for _, e := range n.inputs {
		v := m.variables[e.name]
		if v == nil {
			continue
		}

		set[e.name] = cty.DynamicVal
		if e.expr == nil {
			continue
		}

		if val, ok := l.eval(e.expr, ctx); ok {
			l.setInput(set, n, v, val, e.expr.Range())
		}
	}

	m.checkRequiredVariables(n, set)
	m.evaluate(set)
}

// outputValue returns the object of an include's outputs. With a matrix, an output is the list of those of all
// modules, and each cell has an object of its own.
func (n *include) outputValue() cty.Value {
	attrs := map[string]cty.Value{}
	if len(n.axes) == 0 {
		for _, o := range n.child.outputOrder {
			attrs[o.name] = o.val
		}

		return cty.ObjectVal(attrs)
	}

	for _, o := range n.child.outputOrder {
		all := make([]cty.Value, len(n.modules))
		for i, m := range n.modules {
			all[i] = m.outputs[o.name].val
		}

		attrs[o.name] = cty.TupleVal(all)
		if len(all) == 0 {
			attrs[o.name] = cty.NullVal(outputType)
		}
	}

	for i, m := range n.modules {
		one := make(map[string]cty.Value, len(m.outputOrder))
		for _, o := range m.outputOrder {
			one[o.name] = o.val
		}

		attrs[n.cellName(i)] = cty.ObjectVal(one)
	}

	return cty.ObjectVal(attrs)
}

// checkRequiredVariables reports the variables of an included module that have no value. The diagnostic is at the
// include, where the value has to be added.
func (l *module) checkRequiredVariables(n *include, set map[string]cty.Value) {
	for _, v := range l.variableOrder {
		if _, ok := set[v.name]; ok || v.hasPreset {
			continue
		}
		set[v.name] = cty.DynamicVal
		l.errorf(n.at, "Missing input", "The include %q needs %q (%s): the variable at %s has no default. Add it: "+
			"inputs = { %s = ... }.",
			n.name, v.name, typeName(v.ty), where(v.at, n.at), v.name)
	}
}

// setInput sets a variable of an included module.
func (l *module) setInput(set map[string]cty.Value, n *include, v *variable, val cty.Value, at hcl.Range) {
	val, marks := val.UnmarkDeep()
	if val.IsNull() && holdsOutputs(val.Type()) {
		val = cty.NullVal(cty.DynamicPseudoType) // the output of a stage that is off has no type
	}

	secret := len(marks) > 0 || v.sensitive
	given := val
	val, err := v.convert(given)
	if err == nil && holdsHugeNumber(val) {
		err = errHugeNumber
	}

	if err != nil {
		if secret {
			given, err = cty.DynamicVal, errAnotherType
		}

		l.errorf(at, "Bad type", "The input %q of include %q %s.", v.name, n.name, mustBe(v.ty, given, err))
		return
	}

	set[v.name] = val.WithMarks(marks)
}

// outputContext returns the scope for references to outputs outside of stages.
func (l *module) outputContext() *hcl.EvalContext {
	ctx := l.base.NewChild()
	stages := make(map[string]cty.Value, len(l.stageOrder))
	for _, s := range l.stageOrder {
		stages[s.label] = stageValue(s)
	}
	ctx.Variables = map[string]cty.Value{"stage": cty.ObjectVal(stages), "include": l.includeValue()}
	return ctx
}

// includeValue returns the value of "include".
func (l *module) includeValue() cty.Value {
	vals := make(map[string]cty.Value, len(l.includeOrder))
	for _, n := range l.includeOrder {
		vals[n.name] = n.value
	}
	return cty.ObjectVal(vals)
}

// resolveModuleOutputs evaluates the outputs of the module.
func (l *module) resolveModuleOutputs() {
	for _, o := range l.outputOrder {
		if o.expr == nil || !l.check(o.expr,
			exprContext{allow: scopeResult, what: fmt.Sprintf("the output %q", o.name)}) {
			continue
		}

		val, ok := l.eval(o.expr, l.outputContext())
		switch {
		case !ok:
		case val.IsNull():
			o.val = cty.NullVal(outputType)
		case val.Type() != outputType:
			l.errorf(o.expr.Range(), "Invalid output",
				"The output %q must be an output of a stage, stage.NAME.OUTPUT, not %s.", o.name,
				article(val.Type().FriendlyName()))
		default:
			o.val = val
		}
	}
}

// holdsOutputs reports whether values of a type may contain outputs of stages.
func holdsOutputs(ty cty.Type) bool {
	switch {
	case ty == outputType:
		return true
	case ty.IsCollectionType():
		return holdsOutputs(ty.ElementType())
	case ty.IsTupleType():
		return slices.ContainsFunc(ty.TupleElementTypes(), holdsOutputs)
	case ty.IsObjectType():
		for _, a := range ty.AttributeTypes() {
			if holdsOutputs(a) {
				return true
			}
		}
	}

	return false
}

// stagesIn lists the stages whose outputs a value contains, each once.
func stagesIn(val cty.Value) []*stage {
	if !holdsOutputs(val.Type()) {
		return nil
	}

	var found []*stage
	val, _ = val.UnmarkDeep()
	// The callback cannot fail.
	_ = cty.Walk(val, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.Type() == outputType && v.IsKnown() && !v.IsNull() {
			if o := v.EncapsulatedValue().(*outputValue); !slices.Contains(found, o.stage) {
				found = append(found, o.stage)
			}
		}

		return true, nil
	})
	return found
}
