package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// maxRetries limits retries: a command that fails eleven times will not succeed.
const maxRetries = 10

// maxStageName limits the length in bytes of a stage's name, including the names of its includes.
const maxStageName = 256

// stage is a decoded stage block with its evaluated parts.
type stage struct {
	// label is the name in its module. name is the name in the pipeline, with the
	// names of the includes as a prefix.
	label   string
	name    string
	module  *module
	at      hcl.Range // of the name
	content *content
	// fixed holds the settings that all instances share.
	fixed Instance

	matrix

	outputs      []namedExpr
	outputsWhole hclsyntax.Expression
	outputsKnown bool
	outputNames  []string   // sorted
	cellOutputs  [][]Output // per cell

	inputs      []namedExpr
	inputsWhole hclsyntax.Expression
	env         []namedExpr
	envWhole    hclsyntax.Expression
	// reading maps each checked expression to the roots that it uses. An
	// expression that failed the check is missing.
	reading map[hclsyntax.Expression]roots

	uses  []*stage // stages whose outputs are used
	after []*stage // other stages to wait for
	// off holds for each cell the reason why it is off, or "". It is empty if the
	// stage has no condition.
	off []string
	// usesInclude reports whether outputs of includes are used. Possibly none of
	// them is the output of a stage, because all may be null.
	usesInclude bool
	// indexed reports whether some stage uses single instances of this one.
	indexed bool
	cyclic  bool
	// first is the plan's index of the first instance. planned reports whether
	// the instances are in the plan.
	first   int
	planned bool
	// value is the value of "stage.NAME". valueIndexed reports whether it
	// contains the instances.
	value        cty.Value
	valueIndexed bool
}

// namedExpr is one entry of a map written as { name = expression }.
type namedExpr struct {
	name string
	at   hcl.Range
	expr hclsyntax.Expression
}

func (l *module) decodeStage(b *hclsyntax.Block) {
	name := b.Labels[0]
	if prev := l.stages[name]; prev != nil {
		l.errorf(b.LabelRanges[0], "Duplicate stage",
			"The stage %q is already declared, at %s. Rename or remove one of the two.", name,
			where(prev.at, b.LabelRanges[0]))
		return
	}

	if len(l.prefix)+len(name) > maxStageName {
		l.errorf(b.LabelRanges[0], "Name too long",
			"With the names of its includes, the name of the stage is %q, which is longer than %d bytes. Shorten "+
				"one of the names.", l.prefix+name, maxStageName)
		return
	}

	s := &stage{label: name, name: l.prefix + name, module: l, at: b.LabelRanges[0],
		reading: map[hclsyntax.Expression]roots{}}
	s.of = fmt.Sprintf("stage %q", s.name)
	s.fixed = Instance{Stage: s.name, Network: NetworkNone}
	s.content = l.decode(b.Body, stageSchema, s.of, b.DefRange())
	l.stages[name] = s
	l.stageOrder = append(l.stageOrder, s)
}

// cellsToEvaluate lists the cells for which to evaluate the stage. If they are not known, it returns one unknown
// cell, which finds the problems that do not depend on the matrix.
func (s *stage) cellsToEvaluate() []cell {
	if s.cellsKnown {
		return s.cells
	}
	return []cell{{val: cty.DynamicVal}}
}

func (l *module) stageNames() []string {
	names := make([]string, len(l.stageOrder))
	for i, s := range l.stageOrder {
		names[i] = s.label
	}
	return names
}

func (s *stage) place(what string, allow roots) exprContext {
	p := s.matrix.place(what, allow)
	p.stage = s
	return p
}

// inputNames lists the declared inputs. known is false if they are only known after evaluation.
func (s *stage) inputNames() (names []string, known bool) {
	for _, e := range s.inputs {
		names = append(names, e.name)
	}
	return names, s.inputsWhole == nil
}

// reads records that an expression of this stage refers to another stage.
func (s *stage) reads(target *stage) {
	if !slices.Contains(s.uses, target) {
		s.uses = append(s.uses, target)
	}
}

// resolveStage evaluates the settings that all instances share, the matrix and the outputs. None of these
// depends on another stage.
func (l *module) resolveStage(s *stage) {
	l.expandMatrix(&s.matrix, s.content.nested("matrix"))
	l.resolveSharedSettings(s)
	l.resolveOnDemand(s)
	l.resolveCondition(s)
	l.resolveOutputs(s)
	s.inputs, s.inputsWhole = l.entries(s, "inputs", validInputName)
	s.env, s.envWhole = l.entries(s, "env", validEnvName)
}

// entries splits a map that is written out into its entries, so that each can be checked, evaluated and
// reported separately. It returns any other expression unchanged.
func (l *module) entries(s *stage, attr string, valid func(string) string) ([]namedExpr, hclsyntax.Expression) {
	expr := s.content.expr(attr)
	if expr == nil {
		return nil, nil
	}

	cons, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return nil, expr
	}

	seen := make(map[string]hcl.Range, len(cons.Items))
	entries := make([]namedExpr, 0, len(cons.Items))
	for _, item := range cons.Items {
		at := item.KeyExpr.Range()
		key, ok := l.entryName(item.KeyExpr, s.place("a name in "+attr, scopeStatic))
		if !ok {
			continue
		}

		if problem := valid(key); problem != "" {
			l.errorf(at, "Invalid name", "%q cannot be a name in %s of stage %q: %s.", key, attr, s.name, problem)
			continue
		}

		if prev, dup := seen[key]; dup {
			l.errorf(at, "Duplicate name", "%q already occurs in %s of stage %q, at line %d. Rename or remove one "+
				"of the two.",
				key, attr, s.name, prev.Start.Line)
			continue
		}

		seen[key] = at
		entries = append(entries, namedExpr{name: key, at: at, expr: item.ValueExpr})
	}

	slices.SortFunc(entries, func(a, b namedExpr) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

// entryName returns the key of an entry of an object. A bare word is its own key.
func (l *module) entryName(expr hclsyntax.Expression, p exprContext) (string, bool) {
	if word := hcl.ExprAsKeyword(expr); word != "" {
		return word, true
	}

	if k, ok := expr.(*hclsyntax.ObjectConsKeyExpr); ok && !k.ForceNonLiteral {
		// A reference such as A.b is not a key; only words and strings are.
		if t, isRef := k.Wrapped.(*hclsyntax.ScopeTraversalExpr); isRef {
			l.errorf(t.Range(), "Invalid name", "A computed name must be in parentheses: (%s) = ...",
				traversalText(t.Traversal))
			return "", false
		}
	}

	val, ok := l.setting(expr, cty.String, p)
	if !ok {
		return "", false
	}

	return val.AsString(), true
}

// traversalText returns the source text of a reference.
func traversalText(t hcl.Traversal) string {
	var b strings.Builder
	b.WriteString(t.RootName())
	for i := range t[1:] {
		if name, _, ok := step(t, i+1); ok {
			b.WriteString("." + name)
		} else {
			b.WriteString("[...]")
		}
	}
	return b.String()
}

func validInputName(name string) string {
	if !validName(name) {
		return fmt.Sprintf("a name starts with a letter and contains only letters, digits, \"-\" and \"_\", at most "+
			"%d in total", maxName)
	}
	return ""
}

var envName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

func validEnvName(name string) string {
	if !envName().MatchString(name) || len(name) > 1000 {
		return "the name of an environment variable contains only letters, digits and \"_\", and " +
			"does not start with a digit"
	}
	return ""
}

// resolveSharedSettings evaluates the settings that all instances share.
func (l *module) resolveSharedSettings(s *stage) {
	f := &s.fixed
	c := s.content
	text := func(c *content, name, what string) (string, hcl.Range, bool) {
		expr := c.expr(name)
		if expr == nil {
			return "", hcl.Range{}, false
		}

		val, ok := l.setting(expr, cty.String, s.place(what, scopeStatic))
		if !ok {
			return "", expr.Range(), false
		}

		return val.AsString(), expr.Range(), true
	}
	text(c, "description", "description")
	f.Timeout = l.duration(text(c, "timeout", "timeout"))
	f.Image, _, _ = text(c, "image", "image")
	if p, at, ok := text(c, "platform", "platform"); ok && p != "" {
		if f.Platform = p; !platformForm().MatchString(p) {
			l.errorf(at, "Invalid platform", "%q is not a platform: write OS/ARCHITECTURE, such as \"linux/amd64\".", p)
		}
	}

	if n, at, ok := text(c, "network", "network"); ok {
		f.Network = Network(n)
		l.oneOf(at, "network", n, string(NetworkNone), string(NetworkLoopback), string(NetworkFull))
	}

	if n, at, ok := l.number(c, "retries", s); ok {
		if f.Retries = int(n); n != float64(f.Retries) || n < 0 || n > maxRetries {
			l.errorf(at, "Invalid number", "retries must be a whole number from 0 to %d.", maxRetries)
		}
	}

	if b := c.nested("resources"); b != nil {
		rc := l.decode(b.Body, resourcesSchema, fmt.Sprintf("resources of stage %q", s.name), b.DefRange())
		if n, at, ok := l.number(rc, "cpus", s); ok {
			if f.Resources.CPUs = n; n < 0 || n > 10_000 {
				l.errorf(at, "Invalid number", "cpus must be a number from 0 to 10000.")
			}
		}

		if n, at, ok := l.number(rc, "memory_mb", s); ok {
			if f.Resources.MemoryMB = int64(n); n != float64(f.Resources.MemoryMB) || n < 0 || n > 1<<40 {
				l.errorf(at, "Invalid number", "memory_mb must be a whole number of MiB, 0 or more.")
			}
		}
	}

	if b := c.nested("cache"); b != nil {
		cc := l.decode(b.Body, cacheSchema, fmt.Sprintf("cache of stage %q", s.name), b.DefRange())
		if mode, at, ok := text(cc, "mode", "cache mode"); ok {
			f.Cache.Off = mode == "off"
			l.oneOf(at, "mode", mode, "on", "off")
		}

		f.Cache.TTL = l.duration(text(cc, "ttl", "cache ttl"))
	}

	l.resolvePassthrough(s)
	l.resolveSecrets(s)
}

var platformForm = lazyregexp.New(`^[a-z0-9]+/[a-z0-9]+(/[a-z0-9]+)?$`)

func (l *module) oneOf(at hcl.Range, what, given string, allowed ...string) {
	if !slices.Contains(allowed, given) {
		l.errorf(at, "Invalid "+what, "%q is not a valid %s.%s Write %s.", given, what, didYouMean(given, allowed),
			anyOf(allowed))
	}
}

func (l *module) duration(text string, at hcl.Range, ok bool) time.Duration {
	if !ok || text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		l.errorf(at, "Invalid duration", "%q is not a duration: write a number with a unit, such as \"90s\", \"5m\" "+
			"or \"1h30m\".", text)
		return 0
	}
	return d
}

func (l *module) number(c *content, name string, s *stage) (float64, hcl.Range, bool) {
	expr := c.expr(name)
	if expr == nil {
		return 0, hcl.Range{}, false
	}
	val, ok := l.setting(expr, cty.Number, s.place(name, scopeStatic))
	if !ok {
		return 0, expr.Range(), false
	}
	f, _ := val.AsBigFloat().Float64()
	return f, expr.Range(), true
}

func (l *module) resolvePassthrough(s *stage) {
	expr := s.content.expr("passthrough")
	if expr == nil || !l.check(expr, s.place("passthrough", scopeStatic)) {
		return
	}

	val, ok := l.eval(expr, l.base)
	if !ok {
		return
	}

	val, err := convert.Convert(val, cty.Set(cty.String))
	if err != nil || val.ContainsMarked() {
		l.errorf(expr.Range(), "Bad type", "passthrough must be a list of names of environment variables, without "+
			"sensitive values.")
		return
	}

	if val.IsNull() {
		return
	}

	for it := val.ElementIterator(); it.Next(); {
		_, v := it.Element()
		if v.IsNull() {
			continue
		}

		name := v.AsString()
		if problem := validEnvName(name); problem != "" {
			l.errorf(expr.Range(), "Invalid name", "%q cannot be passed through: %s.", name, problem)
			continue
		}

		s.fixed.Passthrough = append(s.fixed.Passthrough, name)
	}

	slices.Sort(s.fixed.Passthrough)
}

func (l *module) resolveSecrets(s *stage) {
	entries, whole := l.entries(s, "secrets", validEnvName)
	if whole != nil {
		l.errorf(whole.Range(), "Bad type", "secrets must be a literal map: { NAME = \"env:VARIABLE\" } or { NAME = "+
			"\"file:PATH\" }.")
		return
	}

	for _, e := range entries {
		val, ok := l.setting(e.expr, cty.String, s.place("a secret", scopeStatic))
		if !ok {
			continue
		}

		from := val.AsString()
		kind, ref, _ := strings.Cut(from, ":")
		if kind != "env" && kind != "file" || ref == "" || kind == "env" && validEnvName(ref) != "" {
			l.errorf(e.expr.Range(), "Invalid secret",
				"A secret must name the source of its value, \"env:VARIABLE\" or \"file:PATH\". If this is the "+
					"value itself, move it to an environment variable or a file, because pipeline files are not "+
					"secret.")
			continue
		}

		s.fixed.Secrets = append(s.fixed.Secrets, Secret{Name: e.name, From: from})
	}
}
