package contracts

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// check validates tree and returns what is wrong, without places.
func check(s *schema, tree any) []Problem {
	c := checker{schema: s, tree: tree}
	c.value(s, tree)
	return c.problems
}

// checker finds what does not fit, all of it, and says so in a way that a
// person can act on: which field of which entry, what is wrong with it, what to
// write.
type checker struct {
	schema   *schema
	tree     any
	here     []string // the way to the value that is being checked
	problems []Problem
}

// value checks the value v at c.here. One that is of a wrong type, or not among
// those that there may be, is not looked at further.
func (c *checker) value(s *schema, v any) {
	at := c.here
	switch {
	case s.never:
		c.add(at, c.name(at)+" is not allowed here", expect("remove it", c.describe(at[:max(len(at)-1, 0)])))
		return
	case !s.hasType(v):
		c.add(at, fmt.Sprintf("%s is %s, must be %s", c.name(at), article(typeOf(v)), article(s.kind)), expect("", c.describe(at)))
		return
	case s.constant != nil && v != s.constant:
		c.add(at, fmt.Sprintf("%s is %s, must be %v", c.name(at), c.quote(at), s.constant), expect("", c.describe(at)))
		return
	case s.enum != nil:
		if text, ok := v.(string); !ok || !slices.Contains(s.enum, text) {
			c.add(at, fmt.Sprintf("%s is %s", c.name(at), c.quote(at)), suggest(text, s.enum, "must be one of "))
			return
		}
	}
	if s.ref != nil {
		c.value(s.ref, v)
	}
	switch v := v.(type) {
	case map[string]any:
		c.object(s, v)
	case []any:
		c.array(s, v)
	case string:
		c.text(s, v)
	case float64:
		if v < s.amount.least {
			c.add(at, fmt.Sprintf("%s is %s, must be at least %s", c.name(at), c.quote(at), digits(s.amount.least)), expect("", c.describe(at)))
		}
		if v > s.amount.most {
			c.add(at, fmt.Sprintf("%s is %s, must be at most %s", c.name(at), c.quote(at), digits(s.amount.most)), expect("", c.describe(at)))
		}
	}
	if s.when == nil {
		return
	}
	// Whether the condition holds is no problem of the file's.
	found := len(c.problems)
	c.value(s.when, v)
	holds := len(c.problems) == found
	c.problems = c.problems[:found]
	if holds && s.then != nil {
		c.value(s.then, v)
	}
	if !holds && s.otherwise != nil {
		c.value(s.otherwise, v)
	}
}

// below checks a value inside the one at c.here.
func (c *checker) below(token string, s *schema, v any) {
	c.here = append(c.here, token)
	c.value(s, v)
	c.here = c.here[:len(c.here)-1]
}

func (c *checker) object(s *schema, object map[string]any) {
	at := c.here
	if n := float64(len(object)); n > s.fields.most {
		c.add(at, fmt.Sprintf("%s has %s fields, the most is %s", c.name(at), digits(n), digits(s.fields.most)), "remove some")
	}
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			c.add(at, fmt.Sprintf("%sthe field %q is missing", in(c.field(at)), name), expect("add it", c.describe(append(slices.Clone(at), name))))
		}
	}
	for name, v := range object {
		switch p := s.properties[name]; {
		case p != nil:
			c.below(name, p, v)
		case s.others == nil:
		case s.others.never:
			c.add(append(slices.Clone(at), name), fmt.Sprintf("%sunknown field %q", in(c.field(at)), clip(name)), suggest(name, c.allowed(at), "remove it; known fields are "))
		default:
			c.below(name, s.others, v)
		}
	}
}

func (c *checker) array(s *schema, list []any) {
	at := c.here
	n := float64(len(list))
	if n < s.elements.least {
		c.add(at, c.name(at)+" is empty", expect("add at least one", c.describe(at)))
	}
	if n > s.elements.most {
		c.add(at, fmt.Sprintf("%s has %s elements, the most is %s", c.name(at), digits(n), digits(s.elements.most)), "remove some")
	}
	if s.items == nil {
		return
	}
	for i, v := range list {
		c.below(strconv.Itoa(i), s.items, v)
	}
}

func (c *checker) text(s *schema, text string) {
	at := c.here
	n := float64(utf8.RuneCountInString(text))
	if n < s.characters.least {
		c.add(at, c.name(at)+" is empty", expect("fill it in", c.describe(at)))
	}
	if n > s.characters.most {
		c.add(at, fmt.Sprintf("%s has %s characters, the most is %s", c.name(at), digits(n), digits(s.characters.most)), "shorten it")
	}
	if s.pattern != nil && !s.pattern.MatchString(text) {
		c.add(at, fmt.Sprintf("%s is %s", c.name(at), c.quote(at)), expect("must match "+s.pattern.String(), c.describe(at)))
	}
}

// hasType says whether v is of the type that s asks for. A number without a
// fraction is an integer, however it is written.
func (s *schema) hasType(v any) bool {
	if s.kind == "integer" {
		n, ok := v.(float64)
		return ok && n == math.Trunc(n)
	}
	return s.kind == "" || s.kind == typeOf(v)
}

// typeOf names the type of a value in the words of JSON Schema.
func typeOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// digits writes a number without an exponent.
func digits(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (c *checker) add(at []string, message, remedy string) {
	c.problems = append(c.problems, Problem{Pointer: joinPointer(at), Entry: entryAt(c.tree, at), Message: message, Remedy: remedy})
}

// field writes the way from the entry to the value as labels[0].relevance;
// empty for the entry itself.
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

// quote writes the value there, shortened.
func (c *checker) quote(at []string) string {
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

// at follows a location through the schema. It returns the schema there with
// all references resolved, and the first description on that way.
func (c *checker) at(location []string) (s *schema, description string) {
	s = c.schema
	for _, token := range location {
		for s.ref != nil && s.properties == nil && s.items == nil {
			s = s.ref
		}
		if p, ok := s.properties[token]; ok {
			s = p
		} else if s.items != nil {
			s = s.items
		} else if s.others != nil && !s.others.never {
			s = s.others
		} else {
			return nil, ""
		}
	}
	description = s.description
	for s.ref != nil {
		s = s.ref
		if s.pattern != nil || description == "" {
			description = s.description
		}
	}
	return s, description
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
	for name := range s.properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// expect joins what to do with what the schema says about the field.
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

// suggest names the word that was probably meant, or all there are.
func suggest(got string, known []string, otherwise string) string {
	best, distance := "", len(got)/3+1
	for _, k := range known {
		if got == "" || len(got) > 2*len(k) { // also bounds the work
			continue
		}
		if d := levenshtein.Distance(strings.ToLower(got), strings.ToLower(k), nil); d <= distance && (best == "" || d < distance) {
			best, distance = k, d
		}
	}
	if best != "" {
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
