package mutation

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// place is the location of a text in one of the schemas.
type place struct {
	output bool
	path   []string // keys and indices from the root
}

// wordless lists the keys whose strings are not text.
var wordless = []string{"type", "format", "pattern", "$ref", "$schema", "$id"}

// longestText finds the longest text in the schemas that can be a passage. Among
// texts of equal length it returns the first, in the order of keys.
func longestText(input, output json.RawMessage) (at *place, text string, ok bool) {
	for i, raw := range []json.RawMessage{input, output} {
		var walk func(v any, path []string)
		walk = func(v any, path []string) {
			switch v := v.(type) {
			case map[string]any:
				for _, key := range slices.Sorted(maps.Keys(v)) {
					if !slices.Contains(wordless, key) || !isString(v[key]) {
						walk(v[key], append(path, key))
					}
				}
			case []any:
				for n, item := range v {
					walk(item, append(path, strconv.Itoa(n)))
				}
			case string:
				if len(v) > len(text) && substance(v) {
					at, text = &place{i == 1, slices.Clone(path)}, v
				}
			}
		}
		walk(decode(raw), nil)
	}

	return at, text, at != nil
}

func isString(v any) bool {
	_, ok := v.(string)
	return ok
}

// decode parses a schema. It returns nil if there is none or it is not JSON.
// Numbers keep their digits.
func decode(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil
	}
	return v
}

// encode writes a schema with sorted keys.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // v consists of JSON values
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// edit sets the value at a path, or removes it if value is nil.
func edit(raw json.RawMessage, path []string, value any) json.RawMessage {
	return encode(edited(decode(raw), path, value))
}

func edited(v any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}

	switch v := v.(type) {
	case map[string]any:
		if child := edited(v[path[0]], path[1:], value); child == nil {
			delete(v, path[0])
		} else {
			v[path[0]] = child
		}

		return v
	case []any:
		n, err := strconv.Atoi(path[0])
		if err != nil || n < 0 || n >= len(v) {
			return v
		}

		child := edited(v[n], path[1:], value)
		if child == nil {
			if len(v) == 1 {
				return nil
			}

			return slices.Delete(v, n, n+1)
		}

		v[n] = child
		return v
	}

	return v
}

// properties lists the names of the properties of a schema.
func properties(raw json.RawMessage) []string {
	root, _ := decode(raw).(map[string]any)
	props, _ := root["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(props))
}

// withProperty adds a property to the schema of an object.
func withProperty(raw json.RawMessage, name string, value map[string]any) json.RawMessage {
	root, ok := decode(raw).(map[string]any)
	if !ok {
		root = map[string]any{"type": "object"}
	}
	props, ok := root["properties"].(map[string]any)
	if !ok {
		props = map[string]any{}
		root["properties"] = props
	}
	props[name] = value
	return encode(root)
}

// withKey sets a key at the root of a schema.
func withKey(raw json.RawMessage, key string, value any) json.RawMessage {
	root, ok := decode(raw).(map[string]any)
	if !ok {
		root = map[string]any{"type": "object"}
	}
	root[key] = value
	return encode(root)
}
