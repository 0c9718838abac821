package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// offline refuses every reference out of a schema: the author of a schema must
// not choose files or hosts that this program reads.
type offline struct{}

func (offline) Load(url string) (any, error) {
	return nil, errors.New("it refers to another document, which is not supported")
}

// CompileSchema compiles the input schema of a tool without reading anything
// else. Formats are checked. It refuses schemas whose validation would take too
// many steps.
func CompileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	tree, err := decode(raw)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}

	if err := usable(tree, newNode(tree)); err != nil {
		return nil, err
	}

	c := jsonschema.NewCompiler()
	c.UseLoader(offline{})
	c.AssertFormat()
	const name = "tool:input"
	if err := c.AddResource(name, tree); err != nil {
		return nil, fmt.Errorf("it is not a JSON Schema: %w", err)
	}

	schema, err := c.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("it is not a valid JSON Schema: %w", err)
	}

	return schema, nil
}

// usable searches all of a schema for parts whose validation would take
// forever.
func usable(tree any, n node) error {
	switch v := tree.(type) {
	case json.Number:
		if _, ok := rational(string(v)); !ok {
			return fmt.Errorf("it contains the number %.20s, which is out of range", v)
		}
	case map[string]any:
		if (node{root: n.root, value: v}).complex() {
			return errors.New("its alternatives multiply to more than can be checked")
		}

		for _, member := range v {
			if err := usable(member, n); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range v {
			if err := usable(e, n); err != nil {
				return err
			}
		}
	}

	return nil
}

// conform validates the parameters against the input schema and records the
// problem of each.
func (p *Parameters) conform(raw json.RawMessage, got map[string]any, s node) {
	schema, err := CompileSchema(raw)
	if err != nil {
		p.SchemaProblem = err.Error()
		return
	}

	problems := map[string]string{}
	checked := map[string]any{}
	for name, v := range got {
		if err := usable(v, node{}); err != nil {
			problems[name] = "it holds a number that is out of range"
		}

		checked[name] = v
	}

	if len(problems) == 0 {
		if err := schema.Validate(checked); err != nil {
			var invalid *jsonschema.ValidationError
			if !errors.As(err, &invalid) {
				p.SchemaProblem = err.Error()
				return
			}

			if circular(invalid) {
				p.SchemaProblem = "it refers to itself without end"
				return
			}

			attribute(invalid, problems)
		}
	}

	subjects := map[string]bool{}
	for name := range got {
		subjects[name] = true
	}

	for name := range problems {
		subjects[name] = true
	}

	if required, ok := s.value["required"].([]any); ok {
		for _, name := range required {
			if text, ok := name.(string); ok {
				subjects[text] = true
			}
		}
	}

	conformance := 1.0
	switch {
	case problems[whole] != "":
		conformance = 0
	case len(subjects) > 0:
		conformance = float64(len(subjects)-len(problems)) / float64(len(subjects))
	}

	p.Conformance = &conformance
	p.note(problems)
}

func circular(e *jsonschema.ValidationError) bool {
	if _, ok := e.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	return slices.ContainsFunc(e.Causes, circular)
}

// whole is the key for a problem of the parameters as a whole.
const whole = ""

// attribute finds the parameter that each error belongs to.
func attribute(e *jsonschema.ValidationError, problems map[string]string) {
	if len(e.InstanceLocation) > 0 {
		add(problems, e.InstanceLocation[0], describe(e))
		return
	}

	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			add(problems, name, "it is required and missing")
		}

		return
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add(problems, name, "the schema does not allow it")
		}

		return
	}

	if len(e.Causes) == 0 {
		add(problems, whole, describe(e))
	}

	for _, cause := range e.Causes {
		attribute(cause, problems)
	}
}

func add(problems map[string]string, name, text string) {
	if problems[name] == "" {
		problems[name] = text
	}
}

var english = message.NewPrinter(language.English)

// describe returns the text of an error's innermost first cause, with its place
// below the parameter.
func describe(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	text := e.ErrorKind.LocalizedString(english)
	if k, ok := e.ErrorKind.(*kind.Format); ok { // without the reason of a parser
		text = fmt.Sprintf("%s is not a valid %s", encode(k.Got), k.Want)
	}

	if len(e.InstanceLocation) > 1 {
		text = "at " + strings.Join(e.InstanceLocation[1:], ".") + ": " + text
	}
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}

// note records the problems in the parameters that they belong to.
func (p *Parameters) note(problems map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		i := slices.IndexFunc(p.Details, func(d Parameter) bool { return d.Name == name })
		if i < 0 {
			p.Details = append(p.Details, Parameter{Name: name, State: Missing})
			i = len(p.Details) - 1
		}
		p.Details[i].Problem = problems[name]
	}
}
