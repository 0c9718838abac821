package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// VarPrefix is the prefix of environment variables that set variables.
const VarPrefix = "TOUCHSTONE_VAR_"

// readValues collects the values that were set by the user. Sources with lower priority come first, so that
// others replace them.
func (l *module) readValues() map[string]cty.Value {
	set := map[string]cty.Value{}
	environ := slices.Clone(l.opts.Environ)
	slices.Sort(environ) // for a stable order of messages
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if name, ok := strings.CutPrefix(name, VarPrefix); ok {
			l.setText(set, name, value, "the environment variable "+VarPrefix+name, hcl.DiagWarning)
		}
	}

	for _, path := range l.opts.VarFiles {
		l.readVarFile(set, path)
	}

	l.setVars(set)
	l.leaveUnknown(set)
	return set
}

// leaveUnknown marks the variables without a value as unknown if a file of values could not be read: it may set them.
func (l *module) leaveUnknown(set map[string]cty.Value) {
	if !l.valuesUnread {
		return
	}
	for _, v := range l.variableOrder {
		if _, ok := set[v.name]; !ok && !v.hasPreset {
			set[v.name] = cty.DynamicVal
		}
	}
}

func (l *module) variableNames() []string {
	names := make([]string, len(l.variableOrder))
	for i, v := range l.variableOrder {
		names[i] = v.name
	}
	return names
}

// declared returns the variable that a value is for.
func (l *module) declared(name, from string, at hcl.Range, severity hcl.DiagnosticSeverity) *variable {
	v := l.variables[name]
	if v == nil {
		has := "It declares no variables."
		if len(l.variableOrder) > 0 {
			has = fmt.Sprintf("It declares %s.", anyOf(l.variableNames()))
		}
		l.report(severity, at, "Undeclared variable", fmt.Sprintf("%s sets %q, which %s does not declare.%s %s",
			capital(from), name, l.src.main, didYouMean(name, l.variableNames()), has))
	}
	return v
}

// setText sets a variable from text. The text is the value if the type is string or any, and otherwise an
// expression.
func (l *module) setText(set map[string]cty.Value, name, text, from string, severity hcl.DiagnosticSeverity) {
	v := l.declared(name, from, hcl.Range{}, severity)
	if v == nil {
		return
	}

	// An invalid value must not be replaced by one of lower priority.
	set[name] = cty.DynamicVal
	t := target{what: fmt.Sprintf("the variable %q", name), ty: v.ty, sensitive: v.sensitive}
	if val, ok := l.textValue(t, text, from); ok {
		l.setValue(set, v, val, from, hcl.Range{})
	}
}

// target is what a value is for: a variable, or an attribute of one.
type target struct {
	what      string // for messages
	ty        cty.Type
	sensitive bool
}

// textValue returns the value that a text stands for: the text itself if the type is primitive or any, and otherwise
// the value of an expression.
func (l *module) textValue(t target, text, from string) (cty.Value, bool) {
	if t.ty.IsPrimitiveType() || t.ty == cty.DynamicPseudoType {
		return cty.StringVal(text), true
	}

	filename := "<value of " + from + ">"
	if t.sensitive {
		filename = "" // no snippet
	}

	before := len(l.diags)
	val, ok := l.parseValue(text, filename, from)
	if d := l.diags[before:]; !ok && len(d) > 0 {
		d[0].Detail += fmt.Sprintf(" %s takes %s, written as %s.", capital(t.what), ofType(t.ty), example(t.ty))
		if t.ty.IsObjectType() {
			d[0].Detail += " --var NAME.ATTRIBUTE=VALUE sets one attribute."
		}
	}

	return val, ok
}

// example returns an example of a value of a type that is not a string.
func example(ty cty.Type) string {
	if ty.IsMapType() || ty.IsObjectType() {
		return `{name = "value"}`
	}
	return `["one", "two"]`
}

func (l *loader) parseValue(text, filename, from string) (cty.Value, bool) {
	src := []byte(text)
	if filename != "" && !l.checkText(src, filename) {
		return cty.NilVal, false
	}

	if filename == "" {
		_, deep := nestsTooDeep(src, "")
		if _, huge := hugeLiteral(src, ""); deep || huge {
			l.errorf(hcl.Range{}, "Invalid value",
				"The value of %s is nested too deeply or contains a number that is too large.", from)
			return cty.NilVal, false
		}
	}

	expr, diags := hclsyntax.ParseExpression(src, filename, hcl.InitialPos)
	var val cty.Value
	if !diags.HasErrors() {
		l.budget.meter(expr)
		val, diags = l.budget.value(expr, nil)
	}

	if diags.HasErrors() {
		if filename == "" {
			l.errorf(hcl.Range{}, "Invalid value", "The value of %s is not an expression such as [1, 2] or {a = 1}. "+
				"It is sensitive and not shown.", from)
		} else {
			l.diags = append(l.diags, diags...)
		}

		return cty.NilVal, false
	}

	return val, true
}

func (l *module) setValue(set map[string]cty.Value, v *variable, val cty.Value, from string, at hcl.Range) {
	t := target{what: fmt.Sprintf("the variable %q", v.name), ty: v.ty, sensitive: v.sensitive}
	set[v.name], _ = l.converted(t, val, v.convert, from, at)
}

// converted converts a value, or reports that it has another type and returns an unknown value.
func (l *module) converted(t target, given cty.Value, to func(cty.Value) (cty.Value, error), from string,
	at hcl.Range,
) (cty.Value, bool) {
	val, err := to(given)
	if err == nil && holdsHugeNumber(val) {
		err = errHugeNumber
	}

	if err == nil {
		return val, true
	}

	if t.sensitive {
		given, err = cty.DynamicVal, errAnotherType
	}

	l.errorf(at, "Bad type", "%s: %s %s.", capital(from), t.what, mustBe(t.ty, given, err))
	return cty.DynamicVal, false
}

// readVarFile reads name = expression pairs, or a JSON object.
func (l *module) readVarFile(set map[string]cty.Value, path string) {
	src, err := readLimited(l.disk, path, MaxSource)
	if other := (*cache.NotRegularError)(nil); errors.As(err, &other) && !other.Directory() {
		src, err = l.opts.Streams.read(path)
	}

	if err != nil {
		l.valuesUnread = true
		l.errorf(hcl.Range{}, "Cannot read variables", "%s. It was named with --var-file.",
			capital(pathError(path, err)))
		return
	}

	src = unixLines(readlimit.WithoutMark(src))
	if strings.EqualFold(filepath.Ext(path), ".json") || looksLikeJSON(src) {
		l.readVarJSON(set, path, src)
		return
	}

	if !l.checkText(src, path) {
		l.valuesUnread = true
		return
	}

	file, diags := parseFile(src, path)
	l.files[path] = file
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		l.valuesUnread = true
		return
	}

	body := file.Body.(*hclsyntax.Body)
	l.budget.meter(body)
	for _, b := range body.Blocks {
		l.errorf(b.DefRange(), "Unknown block", "A file of variables only contains lines of NAME = VALUE.")
	}

	for _, name := range sortedKeys(body.Attributes) {
		a := body.Attributes[name]
		v := l.declared(name, path, a.NameRange, hcl.DiagError)
		if v == nil {
			continue
		}

		set[name] = cty.DynamicVal
		if !l.check(a.Expr, exprContext{allow: scopeConstant, what: "a file of variables"}) {
			continue
		}

		if val, ok := l.eval(a.Expr, l.base); ok {
			l.setValue(set, v, val, path, a.Expr.Range())
		}
	}
}

// looksLikeJSON reports whether a file of variables is JSON. No line of NAME = VALUE begins with a brace.
func looksLikeJSON(src []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(src), []byte("{"))
}

func (l *module) readVarJSON(set map[string]cty.Value, path string, src []byte) {
	at := hcl.Range{Filename: path, Start: hcl.InitialPos, End: hcl.InitialPos}
	l.files[path] = &hcl.File{Bytes: src}
	if err := checkJSONDepth(src); err != nil {
		l.valuesUnread = true
		l.errorf(at, "Invalid JSON", "%s.", capital(err.Error()))
		return
	}

	values, err := jsonMembers(src)
	if err != nil {
		l.valuesUnread = true
		l.errorf(at, "Invalid JSON", "A JSON file of variables must contain one object, {\"name\": value, ...}: %s.",
			err)
		return
	}

	for _, name := range sortedKeys(values) {
		v := l.declared(name, path, at, hcl.DiagError)
		if v == nil {
			continue
		}

		ty, err := ctyjson.ImpliedType(values[name])
		var val cty.Value
		if err == nil {
			val, err = ctyjson.Unmarshal(values[name], ty)
		}

		if err != nil {
			set[name] = cty.DynamicVal
			l.errorf(at, "Invalid JSON", "The value of %q: %s.", name, err)
			continue
		}

		l.setValue(set, v, val, path, at)
	}
}

// jsonMembers returns the members of a JSON object. Unlike encoding/json, it refuses text that is not UTF-8 and
// names that occur twice, also in nested objects.
func jsonMembers(src []byte) (map[string][]byte, error) {
	in := jsontext.NewDecoder(bytes.NewBuffer(src))
	whole, err := in.ReadValue()
	if err == nil {
		if _, err = in.ReadToken(); err == nil {
			err = errors.New("text follows after the object")
		}
	}

	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &syntactic):
		line := 1 + bytes.Count(src[:min(int(syntactic.ByteOffset), len(src))], []byte{'\n'})
		if syntactic.JSONPointer != "" {
			return nil, fmt.Errorf("line %d, at %s: %w", line, syntactic.JSONPointer, syntactic.Err)
		}

		return nil, fmt.Errorf("line %d: %w", line, syntactic.Err)
	case !errors.Is(err, io.EOF):
		return nil, err
	case whole.Kind() != '{':
		return nil, errors.New("this is another kind of value")
	}

	members := map[string][]byte{}
	in = jsontext.NewDecoder(bytes.NewBuffer(whole))
	_, err = in.ReadToken() // the brace
	for err == nil && in.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = in.ReadToken(); err == nil {
			key := name.String()
			var value jsontext.Value
			value, err = in.ReadValue()
			members[key] = value.Clone()
		}
	}

	return members, err
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
