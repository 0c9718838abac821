package rest

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// ServerRef is a server whose tools are compared: the name of one of this service, or
// a server with its tools. It is exported as Conditional is.
type ServerRef struct {
	Name  string
	Tools []givenTool // nil for a server of this service
}

// refBody is a ServerRef with its tools, as JSON.
type refBody struct {
	Name        string      `json:"name" minLength:"1" maxLength:"100"`
	Description string      `json:"description,omitempty"`
	URL         string      `json:"url,omitempty"`
	Tools       []givenTool `json:"tools" minItems:"1"`
}

var refType = reflect.TypeFor[refBody]()

// UnmarshalJSON reads a name, or an object with a name and tools.
func (r *ServerRef) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.Name) == nil {
		return nil
	}

	var body refBody
	if err := json.Unmarshal(text, &body); err != nil {
		return errors.New("a server is a name, or an object with a name and tools")
	}

	for i := range body.Tools {
		body.Tools[i].Server = body.Name
	}

	r.Name, r.Tools = body.Name, body.Tools
	return nil
}

// Schema is the schema of both forms.
func (ServerRef) Schema(registry huma.Registry) *huma.Schema {
	s := &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, huma.SchemaFromType(registry, refType)}}
	s.OneOf[0].PrecomputeMessages()
	return s
}
