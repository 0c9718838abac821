package advice

import (
	"encoding/json"
	"slices"
	"strings"
)

// parameter is what an input schema declares about one parameter.
type parameter struct {
	name        string
	description string
	typed       bool // it has a type, an enum, a constant or alternatives
	text        bool // it is a string of any kind
	required    bool
}

// parametersOf reads the parameters that a schema declares, sorted by name.
func parametersOf(schema json.RawMessage) []parameter {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}

	var found []parameter
	for name, raw := range s.Properties {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(raw, &members) // true and false are schemas too
		p := parameter{name: name, required: slices.Contains(s.Required, name)}
		_ = json.Unmarshal(members["description"], &p.description) // a description that is not a string is ignored
		var kind string
		_ = json.Unmarshal(members["type"], &kind) // a list of types does not count as a string
		narrow := false
		for _, keyword := range []string{"enum", "const", "pattern", "format"} {
			_, has := members[keyword]
			narrow = narrow || has
		}

		p.text = kind == "string" && !narrow
		for _, keyword := range []string{"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"} {
			_, has := members[keyword]
			p.typed = p.typed || has
		}

		found = append(found, p)
	}

	slices.SortFunc(found, func(a, b parameter) int { return strings.Compare(a.name, b.name) })
	return found
}

// closed reports whether a schema refuses undeclared parameters.
func closed(schema json.RawMessage) bool {
	var s struct {
		Additional *bool `json:"additionalProperties"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Additional != nil && !*s.Additional
}
