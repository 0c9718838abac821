package adapter

import (
	"encoding/json"
	"reflect"
)

// Comparable applies the known changes of the proxy to a schema, so that a schema of
// the corpus can be compared with the one that the proxy lists. It returns a value
// that is not a JSON object unchanged.
func (r *Run) Comparable(schema json.RawMessage) (json.RawMessage, error) {
	tools := r.adapter.tools
	if tools == nil || len(tools.schemaDrops) == 0 && !given(tools.SchemaAdds) {
		return schema, nil
	}

	var object map[string]any
	if err := json.Unmarshal(schema, &object); err != nil || object == nil {
		return schema, nil
	}

	for _, keyword := range tools.schemaDrops {
		delete(object, keyword)
	}

	if given(tools.SchemaAdds) {
		v, err := r.scope.native(tools.SchemaAdds, "schema_adds")
		if err != nil {
			return nil, r.wrap("tools", err)
		}

		added, _ := v.(map[string]any)
		for keyword, value := range added {
			if reflect.DeepEqual(object[keyword], value) {
				delete(object, keyword)
			}
		}
	}

	return json.Marshal(object)
}
