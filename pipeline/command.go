package pipeline

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// commandExpr is a command: its elements if they are written out, or else one expression that
// gives a list.
type commandExpr struct {
	elements []cellExpr
	whole    cellExpr

	words     []string
	sensitive bool
	started   bool
}

func (s *stage) commandExpr() commandExpr {
	expr := s.content.expr("command")
	if tuple, ok := expr.(*hclsyntax.TupleConsExpr); ok {
		c := commandExpr{elements: make([]cellExpr, len(tuple.Exprs))}
		for i, e := range tuple.Exprs {
			c.elements[i] = s.cellExpr(e)
		}

		return c
	}

	if expr == nil {
		return commandExpr{} // reported as missing
	}

	return commandExpr{whole: s.cellExpr(expr)}
}

// refuseNumbers reports numbers that are written in the templates of a command: they are meant for a shell, for which
// "${1}" is an argument.
func (l *module) refuseNumbers(command hclsyntax.Expression) {
	if command == nil {
		return
	}

	refuse := func(part hclsyntax.Expression) {
		number, ok := part.(*hclsyntax.LiteralValueExpr)
		if !ok || number.Val.Type() != cty.Number {
			return
		}

		text, _ := convert.Convert(number.Val, cty.String)
		l.errorf(number.SrcRange, "Number in a template", "This is only the text %[1]q. %[2]s, here $${%[1]s}.",
			text.AsString(), forTheShell)
	}
	_ = hclsyntax.VisitAll(command, func(node hclsyntax.Node) hcl.Diagnostics {
		switch e := node.(type) {
		case *hclsyntax.TemplateWrapExpr:
			refuse(e.Wrapped)
		case *hclsyntax.TemplateExpr:
			for _, part := range e.Parts {
				refuse(part)
			}
		}
		return nil
	})
}

// buildCommand updates the words of the command.
func (b *builder) buildCommand() {
	c := &b.command
	if c.whole.expr != nil {
		if c.whole.eval(b.loader, b.scope) && c.whole.ok {
			c.whole.ok = b.commandList(c.whole.val, c.whole.expr.Range())
		}

		return
	}

	fresh := !c.started
	c.started = true
	for i := range c.elements {
		fresh = c.elements[i].eval(b.loader, b.scope) || fresh
	}

	if !fresh || b.stage.content.expr("command") == nil {
		return
	}

	words, sensitive, complete := make([]string, 0, len(c.elements)), false, true
	for i := range c.elements {
		e := &c.elements[i]
		if e.ok {
			words, e.ok = b.addWord(words, e.val, e.expr.Range(), &sensitive)
		}

		complete = complete && e.ok
	}

	if complete {
		b.checkProgram(words, b.stage.content.expr("command").Range())
	}

	c.words, c.sensitive = words, sensitive
}

// commandList converts a command that is the value of one expression.
func (b *builder) commandList(val cty.Value, at hcl.Range) bool {
	sensitive := val.IsMarked()
	val, _ = val.Unmark()
	ty := val.Type()
	if val.IsNull() || !ty.IsTupleType() && !ty.IsListType() {
		b.errorf(at, "Bad type", "The command of stage %q must be a list of strings, [\"PROGRAM\", \"ARGUMENT\", "+
			"...]. To run a shell command, write [\"sh\", \"-c\", \"...\"].", b.stage.name)
		return false
	}

	words, ok := make([]string, 0, val.LengthInt()), true
	for it := val.ElementIterator(); it.Next(); {
		_, v := it.Element()
		added := false
		words, added = b.addWord(words, v, at, &sensitive)
		ok = ok && added
	}

	b.command.words, b.command.sensitive = words, sensitive
	return ok && b.checkProgram(words, at)
}

// addWord adds an element of a command. It skips an element that is null.
func (b *builder) addWord(words []string, val cty.Value, at hcl.Range, sensitive *bool) ([]string, bool) {
	t, problem := toText(val)
	if problem != "" {
		hint := ""
		if ty := val.Type(); ty.IsTupleType() || ty.IsListType() || ty.IsSetType() {
			hint = " To put a list into a command, write concat([...], LIST)."
		} else if isStage(ty) || ty == outputType {
			hint = " Declare it in inputs and write input.NAME."
		}

		b.errorf(at, "Bad type", "An element of the command of stage %q must be a string: %s.%s", b.stage.name, problem,
			hint)
		return words, false
	}

	*sensitive = *sensitive || t.sensitive
	b.hideText(t)
	if t.null {
		return words, true
	}

	return append(words, t.s), true
}

func (b *builder) checkProgram(words []string, at hcl.Range) bool {
	if len(words) > 0 && words[0] != "" {
		return true
	}
	b.errorf(at, "Empty command", "The command of stage %q has no program. Its first element must be the program to "+
		"run.", b.stage.name)
	return false
}

// envExpr is the environment, as separate entries if it is written out.
type envExpr struct {
	entries []cellExpr
	names   []string
	whole   cellExpr

	vars      []EnvVar
	sensitive bool
}

func (s *stage) envExpr() envExpr {
	e := envExpr{entries: make([]cellExpr, len(s.env)), names: make([]string, len(s.env))}
	for i, entry := range s.env {
		e.entries[i], e.names[i] = s.cellExpr(entry.expr), entry.name
	}
	if s.envWhole != nil {
		e.whole = s.cellExpr(s.envWhole)
	}
	return e
}

// buildEnv updates the environment variables.
func (b *builder) buildEnv() {
	e := &b.env
	if e.whole.expr != nil {
		if e.whole.eval(b.loader, b.scope) && e.whole.ok {
			e.whole.ok = b.envMap(e.whole.val, e.whole.expr.Range())
		}

		return
	}

	fresh := false
	for i := range e.entries {
		fresh = e.entries[i].eval(b.loader, b.scope) || fresh
	}

	if !fresh {
		return
	}

	vars, sensitive := make([]EnvVar, 0, len(e.entries)), false
	for i := range e.entries {
		entry := &e.entries[i]
		if entry.ok {
			vars, entry.ok = b.addVar(vars, e.names[i], entry.val, entry.expr.Range(), &sensitive)
		}
	}

	e.vars, e.sensitive = vars, sensitive
}

func (b *builder) envMap(val cty.Value, at hcl.Range) bool {
	named, ok := b.mapElements(val, at, "env", b.stage, validEnvName)
	vars, sensitive := make([]EnvVar, 0, len(named)), false
	for _, n := range named {
		b.checkEnvName(b.stage, n.name, at)
		added := false
		vars, added = b.addVar(vars, n.name, n.val, at, &sensitive)
		ok = ok && added
	}
	b.env.vars, b.env.sensitive = vars, sensitive
	return ok
}

// addVar adds a variable. A variable that is null stays unset.
func (b *builder) addVar(vars []EnvVar, name string, val cty.Value, at hcl.Range, sensitive *bool) ([]EnvVar, bool) {
	t, problem := toText(val)
	if problem != "" {
		b.errorf(at, "Bad type", "The environment variable %q of stage %q must be a string: %s.", name, b.stage.name,
			problem)
		return vars, false
	}

	*sensitive = *sensitive || t.sensitive
	b.hideText(t)
	if t.null {
		return vars, true
	}

	return append(vars, EnvVar{Name: name, Value: t.s}), true
}
