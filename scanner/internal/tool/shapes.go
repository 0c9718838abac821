package tool

import (
	"bytes"
	"encoding/json"
)

// ParamShape is what a schema states about a property besides its texts.
type ParamShape struct {
	Type    json.RawMessage
	Format  string
	Default json.RawMessage
	Enum    json.RawMessage
}

func (p ParamShape) IsNumeric() bool {
	return bytes.Contains(p.Type, []byte("integer")) || bytes.Contains(p.Type, []byte("number"))
}

// IsChoice reports whether the parameter accepts only values that its schema names.
func (p ParamShape) IsChoice() bool {
	return bytes.HasPrefix(p.Enum, []byte("["))
}

func (p ParamShape) IsOn() bool { return string(p.Default) == "true" }

// TakesText reports whether a value may be more than a switch or a number.
func (p ParamShape) TakesText() bool {
	switch string(p.Type) {
	case `"boolean"`, `"integer"`, `"number"`, `"null"`:
		return false
	}
	return true
}

// Shapes reads the properties of the input schema. Properties that cannot be
// parsed have no shape. The schema is read at most once, and only if a check needs it.
func (v *View) Shapes() map[string]ParamShape {
	if v.shape == nil {
		v.shape = readShapes(v.InputSchema)
	}
	return v.shape
}

func readShapes(schema json.RawMessage) map[string]ParamShape {
	var s struct{ Properties map[string]json.RawMessage }
	shape := map[string]ParamShape{}
	if json.Unmarshal(schema, &s) != nil {
		return shape
	}

	for name, raw := range s.Properties {
		var p ParamShape
		if json.Unmarshal(raw, &p) == nil {
			shape[name] = p
		}
	}

	return shape
}

// HintTrue and HintFalse read one boolean of the annotations, leniently.
func HintTrue(raw []byte, key string) bool { return hint(raw, key, "true") }

func HintFalse(raw []byte, key string) bool { return hint(raw, key, "false") }

func hint(raw []byte, key, want string) bool {
	i := bytes.Index(raw, []byte(`"`+key+`"`))
	if i < 0 {
		return false
	}
	rest := bytes.TrimLeft(raw[i+len(key)+2:], " \t\r\n:")
	return bytes.HasPrefix(rest, []byte(want))
}
