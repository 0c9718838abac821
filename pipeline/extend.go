package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// builtinPrefix begins the source of a pipeline that is part of the program.
const builtinPrefix = "builtin:"

// BuiltinFile is a file of a pipeline that is part of the program.
type BuiltinFile struct {
	Name string // for messages, below the name of the pipeline
	Text []byte
}

// extend adds the files of the pipeline that a pipeline block names to its files. Both are one module
// then: they share all names. What the pipeline block of the extended files says applies unless the
// extending one says it, too.
func (l *loader) extend(src *moduleSource) {
	if !l.extends || src.broken {
		return
	}

	var header *hclsyntax.Block
	for _, body := range src.bodies {
		if header = blockOf(body, pipelineSchema.name); header != nil {
			break
		}
	}

	if header == nil || header.Body.Attributes["extends"] == nil {
		return
	}

	expr := header.Body.Attributes["extends"].Expr
	val, diags := expr.Value(nil)
	if diags.HasErrors() || val.IsNull() || val.Type() != cty.String {
		return // decodeHeader reports it
	}

	name, builtin := strings.CutPrefix(val.AsString(), builtinPrefix)
	files := l.opts.Builtins[name]
	if !builtin || len(files) == 0 {
		known := slices.Sorted(maps.Keys(l.opts.Builtins))
		for i, k := range known {
			known[i] = builtinPrefix + k
		}

		has := "nothing that can be extended"
		if len(known) > 0 {
			has = anyOf(known)
		}

		l.errorf(expr.Range(), "Unknown pipeline", "This program contains no pipeline %q.%s It contains %s. Name "+
			"that, or install the version of the program that this file was written for.", val.AsString(),
			didYouMean(val.AsString(), known), has)
		src.broken = true
		return
	}

	for _, f := range files {
		body := l.parse(val.AsString()+"/"+f.Name, f.Text)
		if body == nil {
			src.broken = true
			return
		}

		if base := blockOf(body, pipelineSchema.name); base != nil {
			mergeHeader(header.Body, base.Body)
			body.Blocks = slices.DeleteFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b == base })
		}

		src.bodies = append(src.bodies, body)
	}
}

// blockOf returns the first block of a type, or nil.
func blockOf(body *hclsyntax.Body, typ string) *hclsyntax.Block {
	for _, b := range body.Blocks {
		if b.Type == typ {
			return b
		}
	}
	return nil
}

// mergeHeader adds to a pipeline block what it does not say itself.
func mergeHeader(to, base *hclsyntax.Body) {
	for name, a := range base.Attributes {
		if to.Attributes[name] == nil {
			to.Attributes[name] = a
		}
	}
	for _, b := range base.Blocks {
		if blockOf(to, b.Type) == nil {
			to.Blocks = append(to.Blocks, b)
		}
	}
}

// applyDefaults gives variables the defaults that the pipeline block names.
func (l *module) applyDefaults() {
	if l.header == nil || l.header.expr("defaults") == nil {
		return
	}

	expr := l.header.expr("defaults")
	cons, ok := expr.(*hclsyntax.ObjectConsExpr)
	if !ok {
		l.errorf(expr.Range(), "Bad type", "defaults must be a literal map: { NAME = value }. Each name is a variable "+
			"of the pipeline.")
		return
	}

	seen := map[string]bool{}
	for _, item := range cons.Items {
		name, ok := l.entryName(item.KeyExpr, exprContext{allow: scopeConstant, what: "a name in defaults"})
		if !ok {
			continue
		}

		v := l.variables[name]
		switch {
		case seen[name]:
			l.errorf(item.KeyExpr.Range(), "Duplicate name", "%q occurs twice in defaults. Remove one of the two.",
				name)
		case v == nil:
			l.errorf(item.KeyExpr.Range(), "Undeclared variable", "defaults sets %q, which the pipeline does not "+
				"declare.%s", name, didYouMean(name, l.variableNames()))
		default:
			l.setDefault(v, item.ValueExpr)
		}

		seen[name] = true
	}
}

// setDefault replaces the default of a variable.
func (l *module) setDefault(v *variable, expr hclsyntax.Expression) {
	v.hasPreset, v.preset = true, cty.DynamicVal
	if !l.check(expr, exprContext{allow: scopeConstant, what: fmt.Sprintf("the default of %q", v.name)}) {
		return
	}

	val, ok := l.eval(expr, l.base)
	if !ok {
		return
	}

	converted, err := v.convert(val)
	if err != nil {
		l.errorf(expr.Range(), "Bad type", "The default of the variable %q %s.", v.name, mustBe(v.ty, val, err))
		return
	}

	v.preset = converted
}
