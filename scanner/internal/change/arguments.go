package change

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// arguments compares the arguments of a prompt by name. Pointers lead into the present
// list, and for an argument that is gone into the approved one. A list that does not name
// each of its arguments once is compared as it is.
func (c *comparison) arguments(pointer string, was, now []byte) {
	if bytes.Equal(was, now) {
		return
	}

	before, order, ok := argumentsIn(was)
	after, present, ok2 := argumentsIn(now)
	if !ok || !ok2 {
		c.json(pointer, was, now)
		return
	}

	at := func(i int) string { return pointer + "/" + strconv.Itoa(i) }
	for i, name := range present {
		a := after[name]
		if old, known := before[name]; known {
			c.value(at(i), old, a, 1)
			continue
		}

		asks := maps.Clone(a)
		delete(asks, "name")
		delete(asks, "required")
		level, why := c.parameter(name, asks, a["required"] == true)
		c.add(at(i), "", shown(a), level, strings.Replace(why, "parameter", "argument", 1))
	}

	for i, name := range order {
		if _, kept := after[name]; !kept {
			c.add(at(i), shown(before[name]), "", Low, "it is gone")
		}
	}

	in := func(in map[string]map[string]any) func(string) bool {
		return func(name string) bool { _, ok := in[name]; return !ok }
	}
	if a, b := slices.DeleteFunc(order, in(after)), slices.DeleteFunc(present, in(before)); !slices.Equal(a, b) {
		c.add(pointer, strings.Join(a, ", "), strings.Join(b, ", "), Low, "another order")
	}
}

// argumentsIn returns a list of arguments by name, and their names in order.
func argumentsIn(raw []byte) (of map[string]map[string]any, order []string, ok bool) {
	v, err := decoded(raw)
	if err != nil {
		return nil, nil, false
	}

	list, isList := v.([]any)
	if !isList && v != any(absent{}) {
		return nil, nil, false
	}

	of = map[string]map[string]any{}
	for _, e := range list {
		argument, _ := e.(map[string]any)
		name, named := argument["name"].(string)
		if _, twice := of[name]; !named || twice {
			return nil, nil, false
		}

		of[name] = argument
		order = append(order, name)
	}

	return of, order, true
}
