package pipeline

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// outputsDir is the directory in which commands write.
const outputsDir = "out"

// outputType is the type of a reference to outputs of one instance, or of all instances of a stage
// with a matrix.
var outputType = cty.Capsule("output of a stage", reflect.TypeOf(outputValue{}))

type outputValue struct {
	stage *stage
	cell  int // -1: all
	name  string
}

// resolveOutputs evaluates the outputs of every cell. Later stages refer to them, so they must be known
// before any input.
func (l *module) resolveOutputs(s *stage) {
	s.outputs, s.outputsWhole = l.entries(s, "outputs", validInputName)
	s.outputsKnown = true
	p := s.place("outputs", scopeOutputs)
	var exprs []cellExpr
	if s.outputsWhole != nil {
		exprs = []cellExpr{l.inspected(s, s.outputsWhole, p)}
	}

	for _, o := range s.outputs {
		s.outputNames = append(s.outputNames, o.name)
		exprs = append(exprs, l.inspected(s, o.expr, p))
	}

	cells := s.cellsToEvaluate()
	outputs := make([][]Output, len(cells))
	scope := l.newCellScope()
	var last []Output
	for i := range cells {
		scope.enter(&cells[i])
		fresh := false
		for j := range exprs {
			fresh = exprs[j].eval(l.loader, scope) || fresh
		}

		if fresh || i == 0 {
			outs, ok := l.outputsOf(s, exprs)
			if ok && last != nil && !sameNames(last, outs) {
				l.errorf(s.outputsWhole.Range(), "Outputs differ between instances",
					"The names of the outputs of stage %q depend on the matrix. Every instance must have the same "+
						"names; only the paths may differ.", s.name)
				ok = false
			}

			if !ok {
				s.outputsKnown = s.outputsWhole == nil
				return
			}

			last = outs
		}

		outputs[i] = last
	}

	if s.cellsKnown {
		s.cellOutputs = outputs
	}

	if s.outputsWhole != nil {
		for _, o := range last {
			s.outputNames = append(s.outputNames, o.Name)
		}
	}
}

// inspected checks an expression of a stage and prepares it for evaluation.
func (l *module) inspected(s *stage, expr hclsyntax.Expression, p exprContext) cellExpr {
	if reads, ok := l.inspect(expr, p); ok {
		s.reading[expr] = reads
	}
	return s.cellExpr(expr)
}

func sameNames(a, b []Output) bool {
	return slices.EqualFunc(a, b, func(a, b Output) bool { return a.Name == b.Name })
}

// outputsOf returns the outputs of one cell from the values of its expressions.
func (l *module) outputsOf(s *stage, exprs []cellExpr) ([]Output, bool) {
	var outs []Output
	ok := true
	add := func(name string, val cty.Value, at hcl.Range) {
		out, problem := parseOutput(name, val)
		if problem != "" {
			l.errorf(at, "Invalid output", "The output %q of stage %q %s", name, s.name, problem)
			ok = false
			return
		}

		outs = append(outs, out)
	}
	if s.outputsWhole != nil {
		e := &exprs[0]
		if !e.ok {
			return nil, false
		}

		at := e.expr.Range()
		named, ok := l.mapElements(e.val, at, "outputs", s, validInputName)
		if !ok {
			return nil, false
		}

		for _, n := range named {
			add(n.name, n.val, at)
		}
	} else {
		outs = make([]Output, 0, len(exprs))
		for i := range exprs {
			if e := &exprs[i]; e.ok {
				add(s.outputs[i].name, e.val, e.expr.Range())
			} else {
				ok = false
			}
		}
	}

	if !ok {
		return nil, false
	}

	return outs, l.checkOverlap(s, outs)
}

// parseOutput checks one declared path. The problem is a phrase that follows the name of the output.
func parseOutput(name string, val cty.Value) (Output, string) {
	t, problem := toText(val)
	switch {
	case problem != "":
		return Output{}, "must be a path: " + problem + "."
	case t.null:
		return Output{}, "is null. Give it a path below " + outputsDir + "/, or remove it."
	case t.sensitive:
		return Output{}, "has a sensitive path, which would be printed. Use sensitive values in command or env only."
	}

	p, dir := strings.CutSuffix(t.s, "/")
	remedy := fmt.Sprintf("Write a path below %s/, such as \"%s/%s.json\", or \"%s/%s/\" for a directory.", outputsDir,
		outputsDir, name, outputsDir, name)
	switch {
	case strings.HasPrefix(t.s, "/"):
		return Output{}, fmt.Sprintf("has the absolute path %q, outside of the stage's directory. %s", t.s, remedy)
	case slices.Contains(strings.Split(t.s, "/"), ".."):
		return Output{}, fmt.Sprintf("has the path %q, which contains \"..\". %s", t.s, remedy)
	case !strings.HasPrefix(p, outputsDir+"/"):
		return Output{}, fmt.Sprintf("has the path %q, which is not below %s/. %s", t.s, outputsDir, remedy)
	case p != path.Clean(p):
		return Output{}, fmt.Sprintf("has the path %q, which is not in its shortest form, %q.", t.s, path.Clean(p))
	case strings.ContainsRune(p, '\\') || strings.IndexFunc(p, unicode.IsControl) >= 0 || len(p) > 1000:
		return Output{}, fmt.Sprintf("has the path %q: a path must not contain backslashes or control characters, "+
			"and has at most 1000 bytes.", t.s)
	}

	return Output{Name: name, Path: p, Dir: dir}, ""
}

// checkOverlap reports outputs with the same path, or inside each other.
func (l *module) checkOverlap(s *stage, outs []Output) bool {
	if len(outs) < 2 {
		return true
	}

	sorted := slices.Clone(outs)
	slices.SortFunc(sorted, func(a, b Output) int {
		// "/" sorts before everything else, so that the content of a directory
		// follows it immediately.
		return strings.Compare(strings.ReplaceAll(a.Path, "/", "\x00"), strings.ReplaceAll(b.Path, "/", "\x00"))
	})
	for i := range sorted[1:] {
		a, b := sorted[i], sorted[i+1]
		if b.Path == a.Path || strings.HasPrefix(b.Path, a.Path+"/") {
			l.errorf(s.entryRange(s.outputs, b.Name, "outputs"), "Overlapping outputs",
				"The outputs %q (%s) and %q (%s) of stage %q overlap. Give each a separate path. No path may be "+
					"inside another.", a.Name, a.Path, b.Name, b.Path, s.name)
			return false
		}
	}

	return true
}

// entryRange returns the place of a named entry, or of the whole attribute.
func (s *stage) entryRange(entries []namedExpr, name, attr string) hcl.Range {
	for _, e := range entries {
		if e.name == name {
			return e.expr.Range()
		}
	}
	return s.content.expr(attr).Range()
}

// mapEntry is an entry of a map that was computed.
type mapEntry struct {
	name string
	val  cty.Value
}

// mapElements lists a computed map by name.
func (l *module) mapElements(val cty.Value, at hcl.Range, attr string, s *stage, valid func(string) string) ([]mapEntry,
	bool) {
	val, marks := val.Unmark()
	ty := val.Type()
	if val.IsNull() {
		return nil, true
	}

	if !ty.IsObjectType() && !ty.IsMapType() {
		l.errorf(at, "Bad type", "%s of stage %q must be a map, { name = value }, not %s.", capital(attr), s.name,
			article(ty.FriendlyName()))
		return nil, false
	}

	var named []mapEntry
	ok := true
	for it := val.ElementIterator(); it.Next(); {
		k, v := it.Element()
		name := k.AsString()
		if problem := valid(name); problem != "" {
			l.errorf(at, "Invalid name", "%q cannot be a name in %s of stage %q: %s.", name, attr, s.name, problem)
			ok = false
			continue
		}

		named = append(named, mapEntry{name: name, val: v.WithMarks(marks)})
	}

	slices.SortFunc(named, func(a, b mapEntry) int { return strings.Compare(a.name, b.name) })
	return named, ok
}
