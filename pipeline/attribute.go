package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// setVars sets variables, and single attributes of variables, from --var. An attribute changes the value
// that the variable has so far. The values are converted at the end: a value may lack an attribute that a later
// --var sets.
func (l *module) setVars(set map[string]cty.Value) {
	changed := map[string]cty.Value{}
	for _, kv := range l.opts.Vars {
		path, text, ok := strings.Cut(kv, "=")
		name, attributes, dotted := strings.Cut(path, ".")
		steps := strings.Split(attributes, ".")
		switch from := "--var " + path; {
		case !ok || name == "" || dotted && slices.Contains(steps, ""):
			l.errorf(hcl.Range{}, "Invalid --var", "%q is not of the form NAME=VALUE or NAME.ATTRIBUTE=VALUE.", kv)
		case dotted:
			l.setAttribute(set, changed, name, steps, text, from)
		default:
			delete(changed, name)
			l.setText(set, name, text, from, hcl.DiagError)
		}
	}

	for _, name := range sortedKeys(changed) {
		l.setValue(set, l.variables[name], changed[name], "--var "+name, hcl.Range{})
	}
}

// setAttribute replaces the attribute at the end of the steps. changed holds the values with attributes that were
// replaced.
func (l *module) setAttribute(set, changed map[string]cty.Value, name string, steps []string, text, from string) {
	v := l.declared(name, from, hcl.Range{}, hcl.DiagError)
	if v == nil {
		return
	}

	val := cty.DynamicVal
	t, ok := l.attribute(v, steps, from)
	if ok {
		val, ok = l.textValue(t, text, from)
	}

	if ok {
		to := func(val cty.Value) (cty.Value, error) { return convert.Convert(val, t.ty) }
		val, ok = l.converted(t, val, to, from, hcl.Range{})
	}

	base, isChanged := changed[name]
	given, isSet := set[name]
	switch {
	case !ok:
		// An invalid value must not be replaced by one of lower priority.
		set[name] = cty.DynamicVal
		delete(changed, name)
		return
	case isChanged:
	case isSet:
		base = given
	case v.hasPreset:
		base = v.preset
	case l.valuesUnread:
		return // the file may set the other attributes
	default:
		base = cty.NullVal(v.ty)
	}

	// An unknown value stands for one that was reported.
	if base.IsKnown() {
		changed[name] = replaced(base, steps, val)
	}
}

// attribute describes an attribute, or reports that there is none.
func (l *module) attribute(v *variable, steps []string, from string) (target, bool) {
	t := target{what: fmt.Sprintf("the variable %q", v.name), ty: v.ty, sensitive: v.sensitive}
	for i, step := range steps {
		switch {
		case t.ty.IsMapType():
			t.ty = t.ty.ElementType()
		case t.ty.IsObjectType() && t.ty.HasAttribute(step):
			t.ty = t.ty.AttributeType(step)
		case t.ty.IsObjectType():
			l.errorf(hcl.Range{}, "Unknown attribute", "%s: %s %s.", capital(from), t.what, hasNoAttribute(t.ty, step))
			return t, false
		default:
			whole := strings.Join(append([]string{v.name}, steps[:i]...), ".")
			l.errorf(hcl.Range{}, "No attributes", "%s: %s takes %s, which has no attributes. Set it as a whole: "+
				"--var %s=VALUE.", capital(from), t.what, ofType(t.ty), whole)
			return t, false
		}

		t.what = fmt.Sprintf("the attribute %q of the variable %q", strings.Join(steps[:i+1], "."), v.name)
	}

	return t, true
}

// replaced returns an object or a map with another value at the end of the steps. What is missing on the way is
// added.
func replaced(in cty.Value, steps []string, val cty.Value) cty.Value {
	if len(steps) == 0 {
		return val
	}

	attributes := map[string]cty.Value{}
	if !in.IsNull() && in.LengthInt() > 0 {
		attributes = in.AsValueMap()
	}

	old := cty.NullVal(cty.DynamicPseudoType)
	if v, ok := attributes[steps[0]]; ok {
		old = v
	}

	attributes[steps[0]] = replaced(old, steps[1:], val)
	return cty.ObjectVal(attributes)
}

// listVariables lists the variables with their attributes.
func (l *module) listVariables() []Variable {
	var all []Variable
	for _, v := range l.variableOrder {
		all = append(all, Variable{v.name, v.description, attributes(v.name, v.ty)})
	}
	return all
}

// attributes lists what --var can set in a value of a type, each after the prefix. The elements of a map have any
// name, so that only the beginning is known.
func attributes(prefix string, ty cty.Type) []Attribute {
	switch {
	case ty.IsMapType():
		return []Attribute{{Name: prefix + ".", Type: elementName(ty.ElementType())}}
	case !ty.IsObjectType():
		return nil
	}

	var all []Attribute
	for _, name := range sortedKeys(ty.AttributeTypes()) {
		path, of := prefix+"."+name, ty.AttributeType(name)
		all = append(all, Attribute{Name: path, Type: elementName(of)})
		all = append(all, attributes(path, of)...)
	}

	return all
}
