package pipeline

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// streamExprs are the attributes stdin and stdout of a stage.
type streamExprs struct{ stdin, stdout cellExpr }

func (s *stage) streamExprs() (e streamExprs) {
	if expr := s.content.expr("stdin"); expr != nil {
		e.stdin = s.cellExpr(expr)
	}
	if expr := s.content.expr("stdout"); expr != nil {
		e.stdout = s.cellExpr(expr)
	}
	return e
}

// buildStreams sets the streams of an instance whose inputs and outputs are known.
func (b *builder) buildStreams(in *Instance) {
	if path, expr, ok := b.stream(&b.streams.stdin); ok {
		isFile := func(i Input) bool { return i.Path == path && !i.Tree && !b.isDirectory(&i) }
		if !slices.ContainsFunc(in.Inputs, isFile) {
			b.errorf(expr.Range(), "Invalid stdin", "The stdin of stage %q is %q, which is no input that is one file. "+
				"Write input.NAME, with the name of an input.", b.stage.name, path)
		}

		in.Stdin = path
	}

	if path, expr, ok := b.stream(&b.streams.stdout); ok {
		if !slices.ContainsFunc(in.Outputs, func(o Output) bool { return o.Path == path && !o.Dir }) {
			b.errorf(expr.Range(), "Invalid stdout",
				"The stdout of stage %q is %q, which is no output that is one file. "+
					"Write output.NAME, with the name of an output.", b.stage.name, path)
		}

		in.Stdout = path
	}
}

// isDirectory reports whether an input is one directory that a stage writes.
func (b *builder) isDirectory(in *Input) bool {
	if len(in.From) != 1 {
		return false
	}
	from := in.From[0].From
	return slices.ContainsFunc(b.plan.Instances[from.Instance].Outputs,
		func(o Output) bool { return o.Name == from.Output && o.Dir })
}

// stream returns the path that an expression gives, and false if there is none or after it has reported a problem.
func (b *builder) stream(e *cellExpr) (path string, at hclsyntax.Expression, ok bool) {
	if e.expr == nil {
		return "", nil, false
	}

	e.eval(b.loader, b.scope)
	if !e.ok {
		return "", nil, false
	}

	t, problem := toText(e.val)
	switch {
	case problem == "" && t.sensitive:
		problem = "it depends on a sensitive value, which would be printed"
	case t.null:
		return "", nil, false
	}

	if problem != "" {
		e.ok = false
		b.errorf(e.expr.Range(), "Bad type", "stdin and stdout of stage %q must be input.NAME and output.NAME: %s.",
			b.stage.name, problem)
		return "", nil, false
	}

	return strings.TrimSuffix(t.s, "/"), e.expr, true
}
