package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// embedded gives the other validator the embedded schemas and nothing else.
type embedded struct{}

func (embedded) Load(url string) (any, error) {
	data, err := Schema(strings.TrimSuffix(strings.TrimPrefix(url, schemaBase), ".schema.json"))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(data))
}

// complaints are the pointers of the values that the other validator finds
// wrong, one for each thing that is wrong with them.
func complaints(e *jsonschema.ValidationError) (at []string) {
	for _, cause := range e.Causes {
		at = append(at, complaints(cause)...)
	}
	if len(e.Causes) > 0 {
		return at
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for range k.Missing {
			at = append(at, joinPointer(e.InstanceLocation))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			at = append(at, joinPointer(append(slices.Clone(e.InstanceLocation), name)))
		}
	default:
		at = append(at, joinPointer(e.InstanceLocation))
	}
	return at
}

// tooMany gives an array of one element more than a schema allows, or an object
// of one field more, unless that is a great many.
func tooMany(s *schema, v any) []any {
	const great = 2000
	if s == nil {
		return nil
	}
	if list, ok := v.([]any); ok && s.elements.most < great {
		return []any{slices.Repeat(list[:1], int(s.elements.most)+1)}
	}
	if object, ok := v.(map[string]any); ok && s.fields.most < great {
		more := maps.Clone(object)
		for i := range int(s.fields.most) + 1 {
			more["f"+strconv.Itoa(i)] = "x"
		}
		return []any{more}
	}
	return nil
}

// TestAgreesWithAnotherValidator breaks a good file of each type in every place
// that its schema describes, one way after another, and compares what is wrong
// with it with what a complete implementation of JSON Schema says. That one also
// holds the schemas to the rules for schemas.
func TestAgreesWithAnotherValidator(t *testing.T) {
	faults := []any{nil, true, -1.0, 0.0, 1.0, 1.5, 1e300, "", "x", "a b", ":", "é", strings.Repeat("é", 70_000),
		[]any{}, []any{nil, "x"}, map[string]any{}, map[string]any{"zz": 1.0, "kind": "binary", "url": "x", "command": "y"}}
	wrong := 0
	broken := map[*schema]bool{} // types share parts, and one file of each will do
	forEachType(t, func(t *testing.T, c codec) {
		compiler := jsonschema.NewCompiler()
		compiler.UseLoader(embedded{})
		other, err := compiler.Compile(schemaBase + schemaNames[c.typ] + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		ours := compiledSchema(t, c.typ)
		var tree any
		if err := json.Unmarshal(sampleBytes(t, c.typ), &tree); err != nil {
			t.Fatal(err)
		}
		compare := func() {
			var got, want []string
			for _, p := range check(ours, tree) {
				got = append(got, p.Pointer)
			}
			if invalid := (*jsonschema.ValidationError)(nil); errors.As(other.Validate(tree), &invalid) {
				want = complaints(invalid)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				text, _ := json.Marshal(tree)
				t.Errorf("%.1000s\ngot  %q\nwant %q", text, got, want)
			}
			if len(got) > 0 {
				wrong++
			}
		}
		compare()
		var breakAt func(at []string, v any, set func(any))
		breakAt = func(at []string, v any, set func(any)) {
			place := checker{schema: ours}
			part, _ := place.at(at)
			if broken[part] {
				return
			}
			broken[part] = part != nil
			for _, fault := range append(tooMany(part, v), faults...) {
				set(fault)
				compare()
			}
			set(v)
			switch v := v.(type) {
			case map[string]any:
				v["zz"] = 1.0
				compare()
				delete(v, "zz")
				for _, name := range slices.Sorted(maps.Keys(v)) {
					field := v[name]
					delete(v, name)
					compare()
					breakAt(append(at, name), field, func(x any) { v[name] = x })
				}
			case []any:
				for i := range v {
					breakAt(append(at, strconv.Itoa(i)), v[i], func(x any) { v[i] = x })
				}
			}
		}
		breakAt(nil, tree, func(x any) { tree = x })
	})
	if wrong < 3000 {
		t.Errorf("%d broken files are refused: the test breaks too little", wrong)
	}
}

// A keyword that nobody checks would be a promise that nobody keeps.
func TestUnknownKeyword(t *testing.T) {
	for _, text := range []string{`{"uniqueItems":true}`, `{"items":{"oneOf":[]}}`, `{"type":["string","null"]}`, `{"const":{}}`, `{"enum":[1]}`, `{"minLength":"1"}`, `{"$ref":"#/$defs/none"}`, `{"pattern":"("}`, `1`} {
		tree, _ := parse([]byte(text))
		fresh := compiler{files: map[string]any{"own": tree}, parts: map[string]*schema{}}
		if s, err := fresh.schema("own#"); err == nil {
			t.Errorf("%s became %+v", text, s)
		}
	}
}
