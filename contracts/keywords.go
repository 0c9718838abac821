package contracts

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
)

// schema is a JSON Schema (draft 2020-12), or a part of one, ready to be
// checked against. It has the keywords that the schemas of this package use and
// no others: compile refuses those.
type schema struct {
	title, description string
	// never is the schema false, which no value fits.
	never bool
	ref   *schema

	kind     string // the type, "" for any
	constant any    // a string, a number or a bool
	enum     []string

	properties map[string]*schema
	// others is what additionalProperties says of all other fields.
	others   *schema
	required []string
	items    *schema
	pattern  *regexp.Regexp

	// How many fields an object, elements an array and characters a text may
	// have, and how large a number may be.
	fields, elements, characters, amount limits

	when, then, otherwise *schema // if, then, else
}

// limits are the least and the most that there may be, infinite when there is
// none.
type limits struct{ least, most float64 }

func newSchema() *schema {
	none := limits{math.Inf(-1), math.Inf(1)}
	return &schema{fields: none, elements: none, characters: none, amount: none}
}

// compiler makes schemas out of the embedded files, each part when something
// refers to it for the first time, and keeps them.
type compiler struct {
	mu    sync.Mutex
	files map[string]any     // by name, such as common.schema.json
	parts map[string]*schema // by reference, such as common.schema.json#/$defs/id
}

var compiled = compiler{files: map[string]any{}, parts: map[string]*schema{}}

// schema gives what a reference to a file and a place in it names.
func (c *compiler) schema(reference string) (*schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.part(reference)
}

func (c *compiler) part(reference string) (*schema, error) {
	if s := c.parts[reference]; s != nil {
		return s, nil
	}
	name, pointer, _ := strings.Cut(reference, "#")
	tree, ok := c.files[name]
	if !ok {
		text, err := Schema(strings.TrimSuffix(name, ".schema.json"))
		if err != nil {
			return nil, err
		}
		var p *parser
		if tree, p = parse(text); p.failed != nil {
			return nil, fmt.Errorf("schema %s: %s", name, p.failed.Message)
		}
		c.files[name] = tree
	}
	for _, token := range splitPointer(pointer) {
		tree = step(tree, token)
	}
	s := newSchema()
	c.parts[reference] = s // before it is filled in: it may refer to itself
	if err := c.fill(s, name, tree); err != nil {
		delete(c.parts, reference)
		return nil, fmt.Errorf("schema %s: %w", reference, err)
	}
	return s, nil
}

// compile makes a schema out of a part of a file.
func (c *compiler) compile(file string, tree any) (*schema, error) {
	s := newSchema()
	return s, c.fill(s, file, tree)
}

// fill makes s the schema that tree, a part of a file, is.
func (c *compiler) fill(s *schema, file string, tree any) (err error) {
	if allowed, ok := tree.(bool); ok {
		s.never = !allowed
		return nil
	}
	keywords, ok := tree.(map[string]any)
	if !ok {
		return fmt.Errorf("%v is no schema", tree)
	}
	for keyword, v := range keywords {
		ok := true
		switch keyword {
		case "$schema", "$id", "$defs":
		case "title":
			s.title, ok = v.(string)
		case "description":
			s.description, ok = v.(string)
		case "$ref":
			var to string
			if to, ok = v.(string); !ok {
				break
			}
			if to[0] == '#' {
				to = file + to
			} else if !strings.Contains(to, "#") {
				to += "#"
			}
			s.ref, err = c.part(to)
		case "type":
			s.kind, ok = v.(string)
		case "const":
			switch v.(type) {
			case string, float64, bool:
				s.constant = v
			default:
				ok = false
			}
		case "enum":
			s.enum, ok = texts(v)
		case "properties":
			var all map[string]any
			all, ok = v.(map[string]any)
			s.properties = make(map[string]*schema, len(all))
			for name, p := range all {
				if s.properties[name], err = c.compile(file, p); err != nil {
					return err
				}
			}
		case "additionalProperties":
			s.others, err = c.compile(file, v)
		case "required":
			s.required, ok = texts(v)
		case "items":
			s.items, err = c.compile(file, v)
		case "pattern":
			var text string
			if text, ok = v.(string); ok {
				s.pattern, err = regexp.Compile(text)
			}
		case "if":
			s.when, err = c.compile(file, v)
		case "then":
			s.then, err = c.compile(file, v)
		case "else":
			s.otherwise, err = c.compile(file, v)
		case "maxProperties":
			s.fields.most, ok = v.(float64)
		case "minItems":
			s.elements.least, ok = v.(float64)
		case "maxItems":
			s.elements.most, ok = v.(float64)
		case "minLength":
			s.characters.least, ok = v.(float64)
		case "maxLength":
			s.characters.most, ok = v.(float64)
		case "minimum":
			s.amount.least, ok = v.(float64)
		case "maximum":
			s.amount.most, ok = v.(float64)
		default:
			return fmt.Errorf("the keyword %s is not known here", keyword)
		}
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s cannot be %v", keyword, v)
		}
	}
	return nil
}

// texts gives the elements of an array of strings.
func texts(v any) (all []string, ok bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	for _, e := range list {
		text, ok := e.(string)
		if !ok {
			return nil, false
		}
		all = append(all, text)
	}
	return all, true
}
