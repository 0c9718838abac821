package pipeline

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// maxCells limits the number of instances of a stage.
const maxCells = 100_000

// maxAxisValue limits the length of a value in bytes: values are part of names of instances, and
// these of names of files.
const maxAxisValue = 100

// axis is one axis of a matrix. texts and vals are parallel.
type axis struct {
	name  string
	texts []string
	vals  []cty.Value
}

// matrix is the decoded matrix of a stage or of an include.
type matrix struct {
	of   string // its block, for messages: stage "NAME" or include "NAME"
	axes []axis
	// cells are the combinations, or one cell without values for a block without a matrix. They are unknown
	// if the matrix is invalid.
	cells      []cell
	cellsKnown bool
	cellIndex  map[string]int
	// empty is the reason why there is nothing to run: an axis has no values. It is "" otherwise.
	empty string
}

// cell is one combination of values.
type cell struct {
	axes []AxisValue
	vals []cty.Value // of the axes
	val  cty.Value   // the object "matrix", created on first use
}

// matrix returns the value of "matrix" in the cell.
func (c *cell) matrix() cty.Value {
	if c.val == cty.NilVal {
		vals := make(map[string]cty.Value, len(c.axes))
		for i, av := range c.axes {
			vals[av.Axis] = c.vals[i]
		}
		c.val = cty.ObjectVal(vals)
	}
	return c.val
}

// place describes an expression of the matrix's block.
func (m *matrix) place(what string, allow roots) exprContext {
	if !strings.Contains(what, " ") {
		what = "the attribute " + what
	}
	return exprContext{allow: allow, what: what + " of " + m.of, matrix: m}
}

func (m *matrix) axisNames() []string {
	names := make([]string, len(m.axes))
	for i, a := range m.axes {
		names[i] = a.name
	}
	return names
}

// cell returns the index of the cell with the given name, or -1.
func (m *matrix) cell(name string) int {
	if m.cellIndex == nil {
		m.cellIndex = make(map[string]int, len(m.cells))
		for i := range m.cells {
			m.cellIndex[m.cellName(i)] = i
		}
	}
	if i, ok := m.cellIndex[name]; ok {
		return i
	}
	return -1
}

func (m *matrix) cellName(i int) string {
	return (&Instance{Matrix: m.cells[i].axes}).Name()
}

func (m *matrix) cellNames() []string {
	names := make([]string, len(m.cells))
	for i := range m.cells {
		names[i] = m.cellName(i)
	}
	return names
}

// expandMatrix computes the cells: the product of the axes, in the order of their names, without the
// cells that exclude removes. b is nil for a block without a matrix.
func (l *module) expandMatrix(m *matrix, b *hclsyntax.Block) {
	if b == nil {
		m.cells, m.cellsKnown = []cell{{val: cty.EmptyObjectVal}}, true
		return
	}

	c := l.decode(b.Body, matrixSchema, "the matrix of "+m.of, b.DefRange())
	if len(c.free) == 0 && len(b.Body.Blocks) == 0 {
		l.errorf(b.DefRange(), "Empty matrix", "The matrix of %s has no axis. Add one, NAME = [...], or "+
			"remove the block.", m.of)
		return
	}

	known := true
	for _, a := range c.free {
		if !validName(a.Name) {
			l.errorf(a.NameRange, "Invalid name", "%q is not a valid name for an axis: %s.", a.Name,
				validInputName(a.Name))
			known = false
		}

		ax, ok := l.evalAxis(m, a)
		known = known && ok
		m.axes = append(m.axes, ax)
	}

	// The order in which the axes are written must not affect the names of
	// instances, which are part of keys.
	slices.SortFunc(m.axes, func(a, b axis) int { return strings.Compare(a.name, b.name) })
	excludes, ok := l.evalExcludes(m, c.expr("exclude"), known)
	if !known || !ok {
		return
	}

	total := 1
	for _, a := range m.axes {
		if total *= len(a.texts); total > maxCells {
			l.errorf(b.DefRange(), "Matrix too large",
				"The matrix of %s has more than %d combinations. Shorten an axis, or write two blocks.", m.of,
				maxCells)
			return
		}
	}

	m.product(total, excludes)
	for _, e := range excludes {
		if !e.used {
			l.warnf(e.at, "Exclusion without effect",
				"No combination of the matrix of %s has these values, so nothing is excluded. Check them "+
					"against the axes.", m.of)
		}
	}

	if len(m.cells) == 0 {
		l.errorf(b.DefRange(), "Empty matrix", "The matrix of %s has no instances: exclude removes all %d "+
			"combinations. Remove an exclusion.", m.of, total)
		return
	}

	m.cellsKnown = true
}

// product lists the cells. The last axis varies fastest.
func (m *matrix) product(total int, excludes []exclusion) {
	n := len(m.axes)
	m.cells = make([]cell, 0, total)
	texts := make([]AxisValue, total*n) // one allocation for all cells
	all := make([]cty.Value, total*n)
	at := make([]int, n)
	for range total {
		row := texts[:n:n]
		for j, a := range m.axes {
			row[j] = AxisValue{Axis: a.name, Value: a.texts[at[j]]}
		}

		if !excluded(row, excludes) {
			vals := all[:n:n]
			for j, a := range m.axes {
				vals[j] = a.vals[at[j]]
			}

			m.cells = append(m.cells, cell{axes: row, vals: vals})
			texts, all = texts[n:], all[n:]
		}

		for j := n - 1; j >= 0; j-- {
			if at[j]++; at[j] < len(m.axes[j].texts) {
				break
			}

			at[j] = 0
		}
	}
}

func (l *module) evalAxis(m *matrix, a *hclsyntax.Attribute) (axis, bool) {
	ax := axis{name: a.Name}
	p := m.place(fmt.Sprintf("the axis %q", a.Name), scopeStatic)
	if !l.check(a.Expr, p) {
		return ax, false
	}

	val, ok := l.eval(a.Expr, l.base)
	if !ok {
		return ax, false
	}

	at := a.Expr.Range()
	if val.ContainsMarked() {
		l.errorf(at, "Sensitive value", "The value of an axis cannot be sensitive: it would be part of the "+
			"instance's name.")
		return ax, false
	}

	ty := val.Type()
	if val.IsNull() || !(ty.IsTupleType() || ty.IsListType() || ty.IsSetType()) {
		l.errorf(at, "Bad type", "The axis %q must be a list of strings, numbers or booleans, such as [1, 2, 3].",
			a.Name)
		return ax, false
	}

	if val.LengthInt() == 0 {
		// One instance stands for a stage in plans and reports. It is off.
		m.empty = fmt.Sprintf("the axis %s has no values (%s:%d)", a.Name, at.Filename, at.Start.Line)
		ax.texts, ax.vals = []string{"none"}, []cty.Value{cty.StringVal("none")}
		return ax, true
	}

	if val.LengthInt() > maxCells {
		l.errorf(at, "Matrix too large", "The axis %q of %s has %d values; a matrix has at most %d combinations.",
			a.Name, m.of, val.LengthInt(), maxCells)
		return ax, false
	}

	elements := val.AsValueSlice()
	seen := make(map[string]bool, len(elements))
	ax.texts, ax.vals = make([]string, 0, len(elements)), make([]cty.Value, 0, len(elements))
	ok = true
	for i, v := range elements {
		text, problem := axisText(v)
		if problem == "" && seen[text] {
			problem = fmt.Sprintf("the axis contains %q twice", text)
		}

		if problem != "" {
			l.errorf(elementRange(a.Expr, cty.NumberIntVal(int64(i))), "Invalid axis value",
				"A value of the axis %q cannot be used: %s.", a.Name, problem)
			ok = false
			continue
		}

		seen[text] = true
		ax.texts, ax.vals = append(ax.texts, text), append(ax.vals, v)
	}

	return ax, ok
}

// axisText returns the text of a value in an instance's name, or the problem with the value.
func axisText(v cty.Value) (string, string) {
	if v.IsNull() {
		return "", "it is null"
	}

	if !v.Type().IsPrimitiveType() {
		return "", fmt.Sprintf("it is %s, but values must be strings, numbers or booleans", v.Type().FriendlyName())
	}

	if n, ok := smallInt(v); ok {
		return strconv.FormatInt(n, 10), ""
	}

	if hugeNumber(v) {
		return "", errHugeNumber.Error()
	}

	v, err := convert.Convert(v, cty.String)
	if err != nil {
		return "", err.Error()
	}

	text := v.AsString()
	switch {
	case text == "":
		return "", "it is empty"
	case len(text) > maxAxisValue:
		return "", fmt.Sprintf("it is longer than %d bytes; use a short name, and a local that maps it to the long "+
			"value", maxAxisValue)
	case strings.ContainsAny(text, "/\\,[]\"") || strings.IndexFunc(text, notNameable) >= 0:
		return "", fmt.Sprintf("%q would be part of the instance's name and of file names, which must not contain "+
			"slashes, backslashes, commas, brackets, quotes or control characters; use a short name, and a local "+
			"that maps it to the value", text)
	}

	return text, ""
}

// smallInt returns the value of a number that is an integer of machine size. Its text is then the
// same as cty's, and much cheaper to compute, except for minus zero, which cty can represent.
func smallInt(v cty.Value) (int64, bool) {
	if v.Type() != cty.Number || !v.IsKnown() || v.IsNull() {
		return 0, false
	}
	n, accuracy := v.AsBigFloat().Int64()
	return n, accuracy == big.Exact && !(n == 0 && v.AsBigFloat().Signbit())
}

func notNameable(r rune) bool { return !unicode.IsPrint(r) }

// elementRange returns the place of one element, if the list is written out.
func elementRange(expr hclsyntax.Expression, index cty.Value) hcl.Range {
	if tuple, ok := expr.(*hclsyntax.TupleConsExpr); ok && index.Type() == cty.Number {
		if i, _ := index.AsBigFloat().Int64(); int(i) < len(tuple.Exprs) {
			return tuple.Exprs[i].Range()
		}
	}
	return expr.Range()
}

// exclusion removes the cells with all its values.
type exclusion struct {
	at     hcl.Range
	values []AxisValue
	used   bool
}

func excluded(row []AxisValue, excludes []exclusion) bool {
	hit := false
	for i := range excludes {
		all := true
		for _, want := range excludes[i].values {
			all = all && slices.Contains(row, want)
		}
		if all {
			excludes[i].used, hit = true, true
		}
	}
	return hit
}

func (l *module) evalExcludes(m *matrix, expr hclsyntax.Expression, axesKnown bool) ([]exclusion, bool) {
	if expr == nil || !l.check(expr, m.place("exclude", scopeStatic)) {
		return nil, expr == nil
	}

	val, ok := l.eval(expr, l.base)
	if !ok {
		return nil, false
	}

	if val.IsNull() {
		return nil, true
	}

	ty := val.Type()
	if val.ContainsMarked() || !(ty.IsTupleType() || ty.IsListType() || ty.IsSetType()) {
		l.errorf(expr.Range(), "Bad type", "exclude must be a list of objects, such as [{ run = 2 }], without "+
			"sensitive values.")
		return nil, false
	}

	var excludes []exclusion
	for it := val.ElementIterator(); it.Next(); {
		i, v := it.Element()
		at := elementRange(expr, i)
		if v.IsNull() || !(v.Type().IsObjectType() || v.Type().IsMapType()) || v.LengthInt() == 0 {
			l.errorf(at, "Bad type", "An exclusion must be an object with values of axes, such as { run = 2 }.")
			ok = false
			continue
		}

		e := exclusion{at: at}
		for it := v.ElementIterator(); it.Next(); {
			k, v := it.Element()
			name := k.AsString()
			if axes := m.axisNames(); !slices.Contains(axes, name) {
				l.errorf(at, "Unknown axis", "The matrix of %s has no axis %q.%s It has %s.", m.of, name,
					didYouMean(name, axes), anyOf(axes))
				ok = false
				continue
			}

			text, problem := axisText(v)
			if problem != "" {
				l.errorf(at, "Invalid axis value", "The value of %q cannot be used: %s.", name, problem)
				ok = false
			}

			e.values = append(e.values, AxisValue{Axis: name, Value: text})
		}

		excludes = append(excludes, e)
	}

	return excludes, ok && axesKnown
}
