package adapter

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// scope holds the variables of expressions. Decoded JSON of answers is kept as it
// is: an expression that only selects a part of an answer does not convert it. A
// conversion would take time and change text, because the expression language
// normalises Unicode.
type scope struct {
	vars map[string]cty.Value
	raw  map[string]any
}

// with returns the scope with additional JSON values.
func (s scope) with(raw map[string]any) scope {
	all := make(map[string]any, len(s.raw)+len(raw))
	for name, v := range s.raw {
		all[name] = v
	}
	for name, v := range raw {
		all[name] = v
	}
	return scope{s.vars, all}
}

// value evaluates an expression.
func (s scope) value(e hcl.Expression, what string) (cty.Value, error) {
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions()}
	for _, t := range e.Variables() {
		name := t.RootName()
		if v, ok := s.raw[name]; ok {
			ctx.Variables[name] = fromJSON(v)
		} else if v, ok := s.vars[name]; ok {
			ctx.Variables[name] = v
		}
	}

	v, diags := e.Value(ctx)
	if diags.HasErrors() {
		d := diags.Errs()[0].(*hcl.Diagnostic)
		return cty.NilVal, fmt.Errorf("%s: %s: %s", what, d.Summary, d.Detail)
	}

	if !v.IsWhollyKnown() {
		return cty.NilVal, fmt.Errorf("%s: the value is not known", what)
	}

	return v, nil
}

// native evaluates an expression to a value as encoding/json would decode it.
func (s scope) native(e hcl.Expression, what string) (any, error) {
	if traversal, diags := hcl.AbsTraversalForExpr(e); !diags.HasErrors() {
		if v, ok := s.raw[traversal.RootName()]; ok {
			return walk(v, traversal, what)
		}
	}
	v, err := s.value(e, what)
	if err != nil {
		return nil, err
	}
	return toJSON(v), nil
}

// walk evaluates a path such as answer.data.results[0] on decoded JSON.
func walk(v any, path hcl.Traversal, what string) (any, error) {
	at := path.RootName()
	for _, step := range path[1:] {
		switch step := step.(type) {
		case hcl.TraverseAttr:
			object, ok := v.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: %s is %s and has no field %q", what, at, kind(v), step.Name)
			}

			if v, ok = object[step.Name]; !ok {
				return nil, fmt.Errorf("%s: %s has no field %q", what, at, step.Name)
			}

			at += "." + step.Name
		case hcl.TraverseIndex:
			if step.Key.Type() == cty.String {
				object, _ := v.(map[string]any)
				name := step.Key.AsString()
				var ok bool
				if v, ok = object[name]; !ok {
					return nil, fmt.Errorf("%s: %s has no field %q", what, at, name)
				}

				at += fmt.Sprintf("[%q]", name)
				continue
			}

			list, _ := v.([]any)
			i, _ := step.Key.AsBigFloat().Int64()
			if i < 0 || i >= int64(len(list)) {
				return nil, fmt.Errorf("%s: %s has no element %d", what, at, i)
			}

			v, at = list[i], fmt.Sprintf("%s[%d]", at, i)
		default:
			return nil, fmt.Errorf("%s: %s can only be followed by fields and numbers", what, at)
		}
	}

	return v, nil
}

// text evaluates an expression to a string. null and a missing expression give an
// empty string.
func (s scope) text(e hcl.Expression, what string) (string, error) {
	if e == nil {
		return "", nil
	}

	v, err := s.native(e, what)
	if err != nil {
		return "", err
	}

	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case float64, bool:
		b, err := json.Marshal(v)
		return string(b), err
	}

	return "", fmt.Errorf("%s is %s but must be a string", what, kind(v))
}

// texts evaluates a map of strings. It skips entries that are null.
func (s scope) texts(e hcl.Expression, what string) (map[string]string, error) {
	if !given(e) {
		return nil, nil
	}

	v, err := s.value(e, what)
	if err != nil {
		return nil, err
	}

	if v.IsNull() {
		return nil, nil
	}

	if !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return nil, fmt.Errorf("%s must be a map", what)
	}

	out := map[string]string{}
	for name, item := range v.AsValueMap() {
		if item.IsNull() {
			continue
		}

		text, err := convert.Convert(item, cty.String)
		if err != nil {
			return nil, fmt.Errorf("%s: %s must be a string", what, name)
		}

		out[name] = text.AsString()
	}

	return out, nil
}

// kind returns the kind of a JSON value as a phrase.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}

	return fmt.Sprintf("a %T", v)
}

func fromJSON(v any) cty.Value {
	switch v := v.(type) {
	case string:
		return cty.StringVal(v)
	case bool:
		return cty.BoolVal(v)
	case float64:
		return cty.NumberFloatVal(v)
	case []any:
		if len(v) == 0 {
			return cty.EmptyTupleVal
		}

		items := make([]cty.Value, len(v))
		for i, item := range v {
			items[i] = fromJSON(item)
		}

		return cty.TupleVal(items)
	case map[string]any:
		if len(v) == 0 {
			return cty.EmptyObjectVal
		}

		fields := make(map[string]cty.Value, len(v))
		for name, item := range v {
			fields[name] = fromJSON(item)
		}

		return cty.ObjectVal(fields)
	}

	return cty.NullVal(cty.DynamicPseudoType)
}

func toJSON(v cty.Value) any {
	switch ty := v.Type(); {
	case v.IsNull():
		return nil
	case ty == cty.String:
		return v.AsString()
	case ty == cty.Bool:
		return v.True()
	case ty == cty.Number:
		return float(v.AsBigFloat())
	case ty.IsObjectType() || ty.IsMapType():
		object := map[string]any{}
		for name, item := range v.AsValueMap() {
			object[name] = toJSON(item)
		}

		return object
	case ty.IsTupleType() || ty.IsListType() || ty.IsSetType():
		list := []any{}
		for it := v.ElementIterator(); it.Next(); {
			_, item := it.Element()
			list = append(list, toJSON(item))
		}

		return list
	}

	return nil
}

func float(f *big.Float) float64 {
	n, _ := f.Float64()
	return n
}
