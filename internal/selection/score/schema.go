package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// node is a place in an input schema, for looking up what the schema states
// about a value. The zero node states nothing. It supports local references and
// the alternatives of allOf, anyOf and oneOf.
type node struct {
	root  any
	value map[string]any
}

// maxReferences bounds the length of a chain of references.
const maxReferences = 32

func newNode(schema any) node {
	n := node{root: schema}
	n.value, _ = schema.(map[string]any)
	return n.resolved()
}

func (n node) at(v any) node {
	m, _ := v.(map[string]any)
	return node{root: n.root, value: m}.resolved()
}

// resolved follows references into the same document.
func (n node) resolved() node {
	for range maxReferences {
		ref, ok := n.value["$ref"].(string)
		if !ok {
			return n
		}
		n.value = n.pointed(ref)
	}
	return node{root: n.root}
}

func (n node) pointed(ref string) map[string]any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}

	at := n.root
	for _, token := range jsonpointer.Split(path) {
		if token == "" {
			continue
		}

		m, _ := at.(map[string]any)
		at = m[token]
	}

	m, _ := at.(map[string]any)
	return m
}

// maxVisits bounds the number of alternatives of one schema that are read. A
// few lines can define more than could ever be read.
const maxVisits = 10_000

// each calls f with the schema and its alternatives until f returns true. It
// ignores alternatives beyond maxVisits.
func (n node) each(f func(node) bool) bool {
	budget := maxVisits
	return n.walk(0, &budget, f)
}

// complex reports whether a value cannot be validated against the schema in a
// reasonable number of steps.
func (n node) complex() bool {
	budget := maxVisits
	n.walk(0, &budget, func(node) bool { return false })
	return budget == 0
}

func (n node) walk(depth int, budget *int, f func(node) bool) bool {
	if n.value == nil || *budget == 0 {
		return false
	}

	if depth > maxReferences {
		*budget = 0
		return false
	}

	*budget--
	if f(n) {
		return true
	}

	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := n.value[keyword].([]any)
		for _, v := range list {
			if n.at(v).walk(depth+1, budget, f) {
				return true
			}
		}
	}

	for _, keyword := range []string{"then", "else"} {
		if v, ok := n.value[keyword]; ok && n.at(v).walk(depth+1, budget, f) {
			return true
		}
	}

	return false
}

// property returns the schema of an object's member.
func (n node) property(name string) (found node) {
	n.each(func(s node) bool {
		properties, _ := s.value["properties"].(map[string]any)
		v, ok := properties[name]
		if ok {
			found = s.at(v)
		}
		return ok
	})
	return found
}

// declares reports whether the schema names a member of an object, and whether
// it names any.
func (n node) declares(name string) (declared, some bool) {
	n.each(func(s node) bool {
		properties, _ := s.value["properties"].(map[string]any)
		some = some || len(properties) > 0
		_, declared = properties[name]
		return declared
	})
	return declared, some
}

func (n node) requires(name string) bool {
	list, _ := n.value["required"].([]any)
	for _, v := range list {
		if v == name {
			return true
		}
	}
	return false
}

func (n node) items() (found node) {
	n.each(func(s node) bool {
		v, ok := s.value["items"].(map[string]any)
		if ok {
			found = s.at(v)
		}
		return ok
	})
	return found
}

func (n node) unique() bool {
	return n.each(func(s node) bool { return s.value["uniqueItems"] == true })
}

// is reports whether the schema allows a JSON type.
func (n node) is(kind string) bool {
	return n.each(func(s node) bool {
		list, _ := s.value["type"].([]any)
		return s.value["type"] == kind || slices.Contains(list, any(kind))
	})
}

func (n node) defaultValue() (v any, ok bool) {
	n.each(func(s node) bool {
		v, ok = s.value["default"]
		return ok
	})
	return v, ok
}

// restricted reports whether the schema allows only certain strings.
func (n node) restricted() bool {
	return n.each(func(s node) bool {
		for _, keyword := range []string{"enum", "const", "pattern", "format"} {
			if _, ok := s.value[keyword]; ok {
				return true
			}
		}
		return false
	})
}

// decode parses one JSON value, with numbers as written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more than one value")
	}
	return v, nil
}
