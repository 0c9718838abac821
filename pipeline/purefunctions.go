package pipeline

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	ctyyaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// maxRange limits the length of a range. It equals the limit of a matrix, the main use of ranges.
const maxRange = maxCells

var rangeFunc = function.New(&function.Spec{
	VarParam: &function.Parameter{Name: "numbers", Type: cty.Number},
	Type:     function.StaticReturnType(cty.List(cty.Number)),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		start, step := cty.Zero, cty.NumberIntVal(1)
		var limit cty.Value
		switch len(args) {
		case 1:
			limit = args[0]
		case 2, 3:
			start, limit = args[0], args[1]
			if limit.LessThan(start).True() {
				step = cty.NumberIntVal(-1)
			}
		default:
			return cty.NilVal, fmt.Errorf("range takes one to three numbers")
		}
		if len(args) == 3 {
			step = args[2]
		}
		if step.RawEquals(cty.Zero) {
			return cty.NilVal, function.NewArgErrorf(2, "the step must not be 0")
		}
		if vals, ok := intRange(start, limit, step); ok {
			return cty.ListVal(vals), nil
		}
		past := limit.LessThanOrEqualTo
		if step.LessThan(cty.Zero).True() {
			past = limit.GreaterThanOrEqualTo
		}
		var vals []cty.Value
		for n := start; past(n).False(); n = n.Add(step) {
			if len(vals) == maxRange {
				return cty.NilVal, fmt.Errorf("more than %d numbers; use a larger step or a nearer limit", maxRange)
			}
			vals = append(vals, n)
		}
		if len(vals) == 0 {
			return cty.ListValEmpty(cty.Number), nil
		}
		return cty.ListVal(vals), nil
	},
})

// intRange returns a range of small integers that is not empty.
func intRange(start, limit, step cty.Value) ([]cty.Value, bool) {
	from, ok1 := smallInt(start)
	to, ok2 := smallInt(limit)
	if by, ok := smallInt(step); !ok || by != 1 || !ok1 || !ok2 || from >= to || from < -1<<53 || to > 1<<53 ||
		to-from > maxRange {
		return nil, false
	}
	vals := make([]cty.Value, 0, to-from)
	for n := from; n < to; n++ {
		vals = append(vals, cty.NumberIntVal(n))
	}
	return vals, true
}

var sumFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Number)}},
	Type:   function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		total := cty.Zero
		for it := args[0].ElementIterator(); it.Next(); {
			_, v := it.Element()
			if v.IsNull() {
				return cty.NilVal, function.NewArgErrorf(0, "the list contains null")
			}
			total = total.Add(v)
		}
		return total, nil
	},
})

func stringPredicate(other string, holds func(s, other string) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "string", Type: cty.String}, {Name: other, Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			return cty.BoolVal(holds(args[0].AsString(), args[1].AsString())), nil
		},
	})
}

func stringFunc(param string, f func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: param, Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, err := f(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.StringVal(s), nil
		},
	})
}

// infallible adapts a function that cannot fail to stringFunc.
func infallible(f func(string) string) func(string) (string, error) {
	return func(s string) (string, error) { return f(s), nil }
}

// boolFold returns a function that combines a list of booleans with step. empty is the result for an empty list.
func boolFold(empty bool, step func(all, b bool) bool) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			answer := empty
			for it := args[0].ElementIterator(); it.Next(); {
				_, v := it.Element()
				answer = step(answer, !v.IsNull() && v.True())
			}

			return cty.BoolVal(answer), nil
		},
	})
}

var (
	startsWithFunc  = stringPredicate("prefix", strings.HasPrefix)
	endsWithFunc    = stringPredicate("suffix", strings.HasSuffix)
	strContainsFunc = stringPredicate("substring", strings.Contains)

	allTrueFunc = boolFold(true, func(all, b bool) bool { return all && b })
	anyTrueFunc = boolFold(false, func(any, b bool) bool { return any || b })

	basenameFunc     = stringFunc("path", infallible(path.Base))
	dirnameFunc      = stringFunc("path", infallible(path.Dir))
	urlEncodeFunc    = stringFunc("string", infallible(url.QueryEscape))
	base64EncodeFunc = stringFunc("string",
		infallible(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }))
	base64DecodeFunc = stringFunc("string", func(s string) (string, error) {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return "", err
		}
		if !utf8.Valid(b) {
			return "", fmt.Errorf("the decoded bytes are not UTF-8 text")
		}
		return string(b), nil
	})
	sha256Func = stringFunc("string", infallible(func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	}))
)

// dynamicParam accepts any value. Its marks are also on the result.
var dynamicParam = function.Parameter{Name: "value", Type: cty.DynamicPseudoType, AllowDynamicType: true}

var lengthFunc = function.New(&function.Spec{
	Params: []function.Parameter{dynamicParam},
	Type: func(args []cty.Value) (cty.Type, error) {
		switch ty := args[0].Type(); {
		case ty == cty.String, ty == cty.DynamicPseudoType, ty.IsCollectionType(), ty.IsTupleType(), ty.IsObjectType():
			return cty.Number, nil
		}
		return cty.NilType, function.NewArgErrorf(0, "only a collection or a string has a length")
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		switch ty := args[0].Type(); {
		case ty == cty.String:
			return stdlib.Strlen(args[0])
		case ty.IsObjectType():
			return cty.NumberIntVal(int64(len(ty.AttributeTypes()))), nil
		case ty.IsTupleType():
			return cty.NumberIntVal(int64(ty.Length())), nil
		}
		return args[0].Length(), nil
	},
})

var indexFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType},
		{Name: "value", Type: cty.DynamicPseudoType}},
	Type: function.StaticReturnType(cty.Number),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		if ty := args[0].Type(); !ty.IsListType() && !ty.IsTupleType() {
			return cty.NilVal, function.NewArgErrorf(0, "must be a list")
		}
		for it := args[0].ElementIterator(); it.Next(); {
			i, v := it.Element()
			if eq, err := stdlib.Equal(v, args[1]); err == nil && eq.IsKnown() && eq.True() {
				return i, nil
			}
		}
		return cty.NilVal, fmt.Errorf("the value is not in the list")
	},
})

var oneFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
	Type: func(args []cty.Value) (cty.Type, error) {
		ty := args[0].Type()
		switch {
		case ty.IsListType() || ty.IsSetType():
			return ty.ElementType(), nil
		case ty.IsTupleType() && ty.Length() == 1:
			return ty.TupleElementType(0), nil
		case ty.IsTupleType() && ty.Length() == 0:
			return cty.DynamicPseudoType, nil
		}
		return cty.NilType, function.NewArgErrorf(0, "must be a list with one element or none")
	},
	Impl: func(args []cty.Value, ty cty.Type) (cty.Value, error) {
		switch args[0].LengthInt() {
		case 0:
			return cty.NullVal(ty), nil
		case 1:
			it := args[0].ElementIterator()
			it.Next()
			_, v := it.Element()
			return v, nil
		}
		return cty.NilVal, function.NewArgErrorf(0, "must be a list with one element or none")
	},
})

func markFunc(apply func(cty.Value) cty.Value) function.Function {
	p := dynamicParam
	p.AllowMarked, p.AllowNull, p.AllowUnknown = true, true, true
	return function.New(&function.Spec{
		Params: []function.Parameter{p},
		Type:   func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return apply(args[0]), nil },
	})
}

var (
	sensitiveFunc    = markFunc(func(v cty.Value) cty.Value { return v.Mark(sensitive{}) })
	nonsensitiveFunc = markFunc(func(v cty.Value) cty.Value { v, _ = v.UnmarkDeep(); return v })
)

// maxDepth limits the nesting of decoded data, because the decoders recurse.
const maxDepth = 1000

// checkJSONDepth refuses nesting that would exhaust the stack.
func checkJSONDepth(src []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("the JSON is nested more than %d levels deep", maxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}

	return nil
}

// checkYAMLDepth does the same for YAML. It ignores quotes, because recognizing
// them would need the parser, which must not run on such input. The nesting of
// blocks is limited by the size of the text, because each level needs
// indentation. Several blocks that start on one line are the exception.
func checkYAMLDepth(src []byte) error {
	depth, inLine := 0, 0
	for i, c := range src {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '\n':
			inLine = 0
		case ' ':
			if i > 0 && (src[i-1] == '-' || src[i-1] == '?' || src[i-1] == ':') {
				inLine++
			}
		}

		if depth > maxDepth || inLine > maxDepth {
			return fmt.Errorf("the YAML is nested more than %d levels deep", maxDepth)
		}
	}

	return nil
}

func checkYAML(src []byte) error {
	if err := checkYAMLDepth(src); err != nil {
		return err
	}
	return checkYAMLAliases(src)
}

// decoder returns a function that decodes a format. It calls check, then implied for the type, then
// unmarshal for the value.
func decoder(check func([]byte) error, implied func([]byte) (cty.Type, error),
	unmarshal func([]byte, cty.Type) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "string", Type: cty.String}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if !args[0].IsKnown() {
				return cty.DynamicPseudoType, nil
			}

			src := plainText(args[0])
			if err := check(src); err != nil {
				return cty.NilType, function.NewArgError(0, err)
			}

			return implied(src)
		},
		Impl: func(args []cty.Value, ty cty.Type) (cty.Value, error) {
			return unmarshal(plainText(args[0]), ty)
		},
	})
}

// plainText returns the text of a value without a byte order mark, which a file may begin with.
func plainText(val cty.Value) []byte { return readlimit.WithoutMark([]byte(val.AsString())) }

// csvDecodeFunc is stdlib.CSVDecodeFunc, but a byte order mark is no part of the first column's name.
var csvDecodeFunc = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "string", Type: cty.String}},
	Type: func(args []cty.Value) (cty.Type, error) {
		if !args[0].IsKnown() {
			return cty.DynamicPseudoType, nil
		}

		return stdlib.CSVDecodeFunc.ReturnTypeForValues([]cty.Value{cty.StringVal(string(plainText(args[0])))})
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		return stdlib.CSVDecodeFunc.Call([]cty.Value{cty.StringVal(string(plainText(args[0])))})
	},
})

var (
	jsonDecodeFunc = decoder(checkJSONDepth, ctyjson.ImpliedType, ctyjson.Unmarshal)
	yamlDecodeFunc = decoder(checkYAML, ctyyaml.Standard.ImpliedType, ctyyaml.Standard.Unmarshal)
)
