package pipeline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// variable is a decoded variable block. val is unknown until a value is set, and stays unknown if the value
// is invalid.
type variable struct {
	name        string
	description string
	at          hcl.Range // of the name
	ty          cty.Type
	defaults    *typeexpr.Defaults
	preset      cty.Value // the default, or cty.NilVal
	hasPreset   bool
	sensitive   bool
	rules       []validation
	val         cty.Value
	// stages are the stages whose outputs the value contains. Only the variables
	// of an included file can hold outputs.
	stages []*stage
}

type validation struct {
	condition, message hclsyntax.Expression
}

func (l *module) decodeVariable(b *hclsyntax.Block) {
	name := b.Labels[0]
	if prev := l.variables[name]; prev != nil {
		l.errorf(b.LabelRanges[0], "Duplicate variable",
			"The variable %q is already declared, at %s. Rename or remove one of the two.",
			name, where(prev.at, b.LabelRanges[0]))
		return
	}

	what := fmt.Sprintf("variable %q", name)
	c := l.decode(b.Body, variableSchema, what, b.DefRange())
	v := &variable{name: name, at: b.LabelRanges[0], ty: cty.DynamicPseudoType, val: cty.DynamicVal}
	l.variables[name] = v
	l.variableOrder = append(l.variableOrder, v)
	if expr := c.expr("type"); expr != nil {
		ty, defaults, diags := typeexpr.TypeConstraintWithDefaults(expr)
		l.diags = append(l.diags, diags...)
		if diags.HasErrors() {
			ty = cty.DynamicPseudoType
		}

		v.ty, v.defaults = ty, defaults
	}

	if val, ok := l.constant(c, "description", cty.String, what); ok {
		v.description = val.AsString()
	}

	if val, ok := l.constant(c, "sensitive", cty.Bool, what); ok {
		v.sensitive = val.True()
	}

	if expr := c.expr("default"); expr != nil {
		v.hasPreset = true
		v.preset = cty.DynamicVal
		if l.check(expr, exprContext{allow: scopeConstant, what: "a default"}) {
			if val, ok := l.eval(expr, l.base); ok {
				if converted, err := v.convert(val); err != nil {
					l.errorf(expr.Range(), "Bad type", "The default of the variable %q %s.", name,
						mustBe(v.ty, val, err))
				} else {
					v.preset = converted
				}
			}
		}
	}

	for _, nested := range b.Body.Blocks {
		if nested.Type != "validation" {
			continue
		}

		r := l.decode(nested.Body, variableSchema.block("validation"), "validation", nested.DefRange())
		rule := validation{condition: r.expr("condition"), message: r.expr("error_message")}
		if rule.condition == nil || rule.message == nil {
			continue
		}

		ok := l.check(rule.condition, exprContext{allow: scopeValidation, what: "a validation", condition: true})
		if l.check(rule.message, exprContext{allow: scopeValidation, what: "a validation", condition: true}) && ok {
			v.rules = append(v.rules, rule)
		}
	}
}

// convert converts a value to the variable's type and sets the defaults of optional attributes.
func (v *variable) convert(val cty.Value) (cty.Value, error) {
	if err := onlyAttributes(val.Type(), v.ty); err != nil {
		return cty.DynamicVal, err
	}

	if v.defaults != nil && !val.IsNull() {
		val = v.defaults.Apply(val)
	}
	return convert.Convert(val, v.ty)
}

// hasNoAttribute says, without a subject, that an object type lacks an attribute, and which it has.
func hasNoAttribute(ty cty.Type, name string) string {
	names := sortedKeys(ty.AttributeTypes())
	return fmt.Sprintf("has no attribute %q.%s It has %s", name, didYouMean(name, names), allOf(names))
}

// onlyAttributes returns an error for an attribute of a value that its type does not have. The conversion would leave
// it out without a word, and a misspelt one would have no effect.
func onlyAttributes(given, ty cty.Type) error {
	switch {
	case given.IsObjectType() && ty.IsObjectType():
		for _, name := range sortedKeys(given.AttributeTypes()) {
			if !ty.HasAttribute(name) {
				return errors.New("it " + hasNoAttribute(ty, name))
			}

			if err := onlyAttributes(given.AttributeType(name), ty.AttributeType(name)); err != nil {
				return fmt.Errorf("attribute %q: %w", name, err)
			}
		}
	case given.IsObjectType() && ty.IsMapType():
		for _, name := range sortedKeys(given.AttributeTypes()) {
			if err := onlyAttributes(given.AttributeType(name), ty.ElementType()); err != nil {
				return fmt.Errorf("element %q: %w", name, err)
			}
		}
	case given.IsTupleType() && (ty.IsListType() || ty.IsSetType()):
		for i, element := range given.TupleElementTypes() {
			if err := onlyAttributes(element, ty.ElementType()); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
	case given.IsCollectionType() && ty.IsCollectionType():
		return onlyAttributes(given.ElementType(), ty.ElementType())
	}

	return nil
}

// resolveVariables sets the value of every variable: the value set by the user, or the default. It runs after all
// values were read.
func (l *module) resolveVariables(set map[string]cty.Value) {
	vals := make(map[string]cty.Value, len(l.variableOrder))
	for _, v := range l.variableOrder {
		switch val, ok := set[v.name]; {
		case ok:
			v.val = val
		case v.hasPreset:
			v.val = v.preset
		default:
			l.errorf(v.at, "Variable without a value",
				"The variable %q has no default and was not set. Pass --var %s=VALUE, or set the environment "+
					"variable %s%s.", v.name, v.name, VarPrefix, v.name)
		}

		if v.sensitive {
			l.hideValue(v.val)
			v.val = v.val.Mark(sensitive{})
		}

		v.stages = stagesIn(v.val)
		vals[v.name] = v.val
	}

	l.base.Variables["var"] = cty.ObjectVal(vals)
	for _, v := range l.variableOrder {
		before := len(l.diags)
		for _, r := range v.rules {
			l.validate(v, r)
		}

		if len(l.diags) > before {
			// Further problems caused by a refused value would only repeat
			// the reason.
			vals[v.name] = cty.UnknownVal(v.val.Type()).WithSameMarks(v.val)
		}
	}

	l.base.Variables["var"] = cty.ObjectVal(vals)
}

func (l *module) validate(v *variable, r validation) {
	// A missing value has already been reported.
	raw, _ := v.val.UnmarkDeep()
	if !raw.IsWhollyKnown() {
		return
	}

	val, ok := l.eval(r.condition, l.base)
	if !ok {
		return
	}

	val, _ = val.Unmark()
	val, err := convert.Convert(val, cty.Bool)
	if err != nil || val.IsNull() {
		l.errorf(r.condition.Range(), "Bad type", "The condition of a validation must be true or false.")
		return
	}

	if val.True() {
		return
	}

	detail := "The value does not meet the variable's validation."
	if msg, ok := l.eval(r.message, l.base); ok {
		switch msg, err := convert.Convert(msg, cty.String); {
		case err != nil || msg.IsNull():
			l.errorf(r.message.Range(), "Bad type", "The error_message of a validation must be a string.")
		case msg.IsMarked():
			detail += " Its error_message reads a sensitive value and is withheld."
		default:
			detail = msg.AsString()
		}
	}

	l.errorf(v.at, "Invalid value of variable "+v.name, "%s\n\n%sThe rule is at %s.", detail, valueNote(v.val),
		r.condition.Range())
}

// valueNote describes the value of a variable, unless it is sensitive.
func valueNote(val cty.Value) string {
	if val.HasMark(sensitive{}) || val.ContainsMarked() || holdsOutputs(val.Type()) {
		return ""
	}
	const most = 200
	text := []rune(string(hclwrite.TokensForValue(val).Bytes()))
	if len(text) > most {
		text = append(text[:most], []rune("...")...)
	}
	return "The value is " + string(text) + ". "
}

// typeName returns the name of a type for messages, as it is written in a pipeline.
func typeName(ty cty.Type) string {
	switch {
	case ty == cty.DynamicPseudoType:
		return "any value"
	case ty.IsListType():
		return "list(" + elementName(ty.ElementType()) + ")"
	case ty.IsSetType():
		return "set(" + elementName(ty.ElementType()) + ")"
	case ty.IsMapType():
		return "map(" + elementName(ty.ElementType()) + ")"
	case ty.IsTupleType():
		elements := make([]string, 0, ty.Length())
		for _, e := range ty.TupleElementTypes() {
			elements = append(elements, elementName(e))
		}

		return "tuple([" + strings.Join(elements, ", ") + "])"
	case ty.IsObjectType():
		attributes := make([]string, 0, len(ty.AttributeTypes()))
		for _, name := range sortedKeys(ty.AttributeTypes()) {
			element := elementName(ty.AttributeType(name))
			if ty.AttributeOptional(name) {
				element = "optional(" + element + ")"
			}

			attributes = append(attributes, name+" = "+element)
		}

		return "object({" + strings.Join(attributes, ", ") + "})"
	}

	return typeexpr.TypeString(ty)
}

// ofType returns the name of a type with its article: "a number", "an object({...})".
func ofType(ty cty.Type) string {
	switch name := typeName(ty); {
	case ty == cty.DynamicPseudoType:
		return name
	case ty.IsObjectType():
		return "an " + name
	default:
		return "a " + name
	}
}

// elementName returns the name of a type inside another one.
func elementName(ty cty.Type) string {
	if ty == cty.DynamicPseudoType {
		return "any"
	}
	return typeName(ty)
}

// errAnotherType stands for the error about a secret value.
var errAnotherType = errors.New("its value has another type")

// mustBe says what a value of a type must be, and what it is if that is short and no
// secret: `must be true or false, not "2"`.
func mustBe(ty cty.Type, val cty.Value, err error) string {
	want := "must be " + ofType(ty)
	if ty == cty.Bool {
		want = "must be true or false"
	}
	if ty.IsPrimitiveType() && val.IsKnown() && !val.IsNull() && !val.IsMarked() && val.Type() == cty.String &&
		len(val.AsString()) < 60 {
		return fmt.Sprintf("%s, not %q", want, val.AsString())
	}
	return fmt.Sprintf("%s: %s", want, err)
}

// constant evaluates an attribute that must be of a primitive type and must not refer to anything. ok is
// false if it is absent or invalid.
func (l *module) constant(c *content, name string, ty cty.Type, what string) (cty.Value, bool) {
	expr := c.expr(name)
	if expr == nil {
		return cty.NilVal, false
	}
	return l.setting(expr, ty, exprContext{allow: scopeConstant, what: "the attribute " + name + " of " + what})
}

// setting evaluates an expression of a primitive type once.
func (l *module) setting(expr hclsyntax.Expression, ty cty.Type, p exprContext) (cty.Value, bool) {
	if !l.check(expr, p) {
		return cty.NilVal, false
	}

	val, ok := l.eval(expr, l.base)
	if !ok {
		return cty.NilVal, false
	}

	if val.ContainsMarked() {
		l.errorf(expr.Range(), "Sensitive value",
			"A sensitive value cannot be used in %s: it would be printed. Use it only in command or env.", p.what)
		return cty.NilVal, false
	}

	val, err := convert.Convert(val, ty)
	if err != nil {
		l.errorf(expr.Range(), "Bad type", "%s must be a %s: %s.", capital(p.what), ty.FriendlyName(), err)
		return cty.NilVal, false
	}

	if val.IsNull() {
		return cty.NilVal, false
	}

	return val, true
}
