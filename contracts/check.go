package contracts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// check validates tree and returns the problems, without their places.
func check(schema *jsonschema.Schema, tree any) []Problem {
	err := schema.Validate(tree)
	if err == nil {
		return nil
	}
	c := checker{schema: schema, tree: tree}
	c.collect(err.(*jsonschema.ValidationError))
	return c.problems
}

// checker turns the validator's errors into problems that a person can act on:
// the field and entry, the fault, and the value to write.
type checker struct {
	schema   *jsonschema.Schema
	tree     any
	problems []Problem
}

func (c *checker) collect(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			c.collect(cause)
		}

		return
	}

	at := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			c.add(at, fmt.Sprintf("%sthe field %q is missing", in(c.field(at)), name),
				expect("add it", c.describe(append(slices.Clone(at), name))))
		}
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		for _, name := range k.Properties {
			c.add(append(slices.Clone(at), name), fmt.Sprintf("%sunknown field %q", in(c.field(at)), clip(name)),
				suggest(name, c.allowed(at), "remove it; known fields are "))
		}
	case *kind.Type:
		c.add(at, fmt.Sprintf("%s is %s, must be %s", c.name(at), article(k.Got),
			article(strings.Join(k.Want, " or "))), expect("", c.describe(at)))
	case *kind.Enum:
		var want []string
		for _, w := range k.Want {
			want = append(want, fmt.Sprint(w))
		}

		got, _ := k.Got.(string)
		c.add(at, fmt.Sprintf("%s is %s", c.name(at), c.value(at)), suggest(got, want, "must be one of "))
	case *kind.Const:
		c.add(at, fmt.Sprintf("%s is %s, must be %v", c.name(at), c.value(at), k.Want), expect("", c.describe(at)))
	case *kind.Pattern:
		c.add(at, fmt.Sprintf("%s is %s", c.name(at), c.value(at)), expect("must match "+k.Want, c.describe(at)))
	case *kind.Minimum:
		c.add(at, fmt.Sprintf("%s is %s, must be at least %s", c.name(at), c.value(at), k.Want.RatString()),
			expect("", c.describe(at)))
	case *kind.Maximum:
		c.add(at, fmt.Sprintf("%s is %s, must be at most %s", c.name(at), c.value(at), k.Want.RatString()),
			expect("", c.describe(at)))
	case *kind.ExclusiveMinimum:
		c.add(at, fmt.Sprintf("%s is %s, must be more than %s", c.name(at), c.value(at), k.Want.RatString()),
			expect("", c.describe(at)))
	case *kind.ExclusiveMaximum:
		c.add(at, fmt.Sprintf("%s is %s, must be less than %s", c.name(at), c.value(at), k.Want.RatString()),
			expect("", c.describe(at)))
	case *kind.MinLength:
		c.add(at, c.name(at)+" is empty", expect("fill it in", c.describe(at)))
	case *kind.MaxLength:
		c.add(at, fmt.Sprintf("%s has %d characters, the most is %d", c.name(at), k.Got, k.Want), "shorten it")
	case *kind.MinItems:
		c.add(at, c.name(at)+" is empty", expect("add at least one", c.describe(at)))
	case *kind.MaxItems:
		c.add(at, fmt.Sprintf("%s has %d elements, the most is %d", c.name(at), k.Got, k.Want), "remove some")
	case *kind.UniqueItems:
		c.add(at, fmt.Sprintf("%s has the same value twice, as elements %d and %d", c.name(at), k.Duplicates[0]+1,
			k.Duplicates[1]+1), "remove one of the two")
	case *kind.FalseSchema:
		c.add(at, c.name(at)+" is not allowed here", expect("remove it", c.describe(at[:max(len(at)-1, 0)])))
	default:
		c.add(at, fmt.Sprintf("%s does not fit its schema at %s", c.name(at), e.SchemaURL), expect("", c.describe(at)))
	}
}

func (c *checker) add(at []string, message, remedy string) {
	c.problems = append(c.problems,
		Problem{Pointer: jsonpointer.Join("", at...), Entry: entryAt(c.tree, at), Message: message, Remedy: remedy})
}

// field formats the path from the entry to the value, such as
// labels[0].relevance. It is empty for the entry itself.
func (c *checker) field(at []string) string {
	var b strings.Builder
	tree := c.tree
	for _, token := range at {
		if _, ok := tree.([]any); ok {
			fmt.Fprintf(&b, "[%s]", token)
		} else {
			if b.Len() > 0 {
				b.WriteByte('.')
			}

			b.WriteString(clip(token))
		}

		tree = step(tree, token)
		if entryAt(tree, nil) != "" && entryAt(tree, nil) == entryAt(c.tree, at) {
			b.Reset()
		}
	}

	return b.String()
}

func (c *checker) name(at []string) string {
	if f := c.field(at); f != "" {
		return f
	}
	return "the value"
}

func in(field string) string {
	if field == "" {
		return ""
	}
	return "in " + field + ": "
}

// value quotes a value, shortened.
func (c *checker) value(at []string) string {
	tree := c.tree
	for _, token := range at {
		tree = step(tree, token)
	}

	switch t := tree.(type) {
	case string:
		return fmt.Sprintf("%q", clip(t))
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	}

	text, err := json.Marshal(tree)
	if err != nil {
		return "unprintable"
	}

	return clip(string(text))
}

// at resolves a location in the schema. It returns the schema there with all
// references resolved, and the first description on the path.
func (c *checker) at(location []string) (s *jsonschema.Schema, description string) {
	s = c.schema
	for _, token := range location {
		for s.Ref != nil && s.Properties == nil && s.Items2020 == nil {
			s = s.Ref
		}

		if p, ok := s.Properties[token]; ok {
			s = p
		} else if p := patternOf(s, token); p != nil {
			s = p
		} else if s.Items2020 != nil {
			s = s.Items2020
		} else if a, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			s = a
		} else {
			return nil, ""
		}
	}

	description = s.Description
	for s.Ref != nil {
		s = s.Ref
		if s.Pattern != nil || description == "" {
			description = s.Description
		}
	}

	return s, description
}

// patternOf returns the schema of the pattern property that matches the name,
// or nil.
func patternOf(s *jsonschema.Schema, name string) *jsonschema.Schema {
	for pattern, p := range s.PatternProperties {
		if pattern.MatchString(name) {
			return p
		}
	}
	return nil
}

func (c *checker) describe(at []string) string {
	_, d := c.at(at)
	return d
}

// allowed lists the fields that the object may have.
func (c *checker) allowed(at []string) []string {
	s, _ := c.at(at)
	if s == nil {
		return nil
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// expect appends the schema's description of the field to the remedy.
func expect(todo, description string) string {
	description = strings.TrimSuffix(description, ".")
	switch {
	case description == "":
		return todo
	case todo == "":
		return "expected: " + description
	}
	return todo + ": " + description
}

// suggest returns the known word that was probably meant, or lists all of them.
func suggest(got string, known []string, otherwise string) string {
	if best := closest.To(got, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return otherwise + strings.Join(known, ", ")
}

func article(kind string) string {
	switch kind {
	case "null":
		return kind
	case "array", "object", "integer":
		return "an " + kind
	}
	return "a " + kind
}
