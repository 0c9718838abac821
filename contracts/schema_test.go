package contracts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fileTypes lists the registered types by the name of their schema.
func fileTypes(t testing.TB) map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for typ, name := range schemaNames {
		if other, ok := types[name]; ok {
			t.Fatalf("%v and %v share the schema %s", typ, other, name)
		}
		types[name] = typ
	}
	return types
}

func compiledSchema(t testing.TB, typ reflect.Type) *jsonschema.Schema {
	t.Helper()
	s, err := schemaOf(typ)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEverySchemaHasAType(t *testing.T) {
	types := fileTypes(t)
	for _, name := range SchemaNames() {
		if name == "common" {
			continue
		}
		if _, ok := types[name]; !ok {
			t.Errorf("schema %s belongs to no type", name)
		}
	}
	for name := range types {
		data, err := Schema(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var head struct {
			Schema      string `json:"$schema"`
			ID          string `json:"$id"`
			Title       string
			Description string
		}
		if err := json.Unmarshal(data, &head); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if head.Schema != "https://json-schema.org/draft/2020-12/schema" || head.ID != schemaBase+name+".schema.json" || head.Title == "" || head.Description == "" {
			t.Errorf("%s: incomplete head %+v", name, head)
		}
	}
	if _, err := Schema("nothing"); err == nil || !strings.Contains(err.Error(), "corpus") {
		t.Errorf("unknown schema: %v", err)
	}
}

// TestSchemasMatchTypes compares each type with its schema: every field has a
// property and every property has a field, of the same kind, and a property is
// required exactly if the type always writes it.
func TestSchemasMatchTypes(t *testing.T) {
	for name, typ := range fileTypes(t) {
		t.Run(name, func(t *testing.T) { matchType(t, name, compiledSchema(t, typ), typ) })
	}
}

func matchType(t *testing.T, at string, s *jsonschema.Schema, typ reflect.Type) {
	described := s.Description != ""
	for s.Ref != nil {
		s = s.Ref
		described = described || s.Description != ""
	}
	if !described {
		t.Errorf("%s: no description", at)
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	kind := ""
	if s.Types != nil {
		kind = strings.Join(s.Types.ToStrings(), ",")
	}
	switch {
	case typ == reflect.TypeFor[json.RawMessage]():
		if kind != "object" || s.Properties != nil || s.AdditionalProperties != nil {
			t.Errorf("%s: raw JSON has a closed schema", at)
		}
	case typ.Kind() == reflect.Struct:
		matchStruct(t, at, s, typ)
	case typ.Kind() == reflect.Slice:
		if kind != "array" || s.Items2020 == nil || s.MaxItems == nil {
			t.Errorf("%s: %v needs an array with items and maxItems", at, typ)
			return
		}
		matchType(t, at+"[]", s.Items2020, typ.Elem())
	case typ.Kind() == reflect.Map:
		add, ok := s.AdditionalProperties.(*jsonschema.Schema)
		if ok {
			matchType(t, at+".*", add, typ.Elem())
		}
		for _, p := range s.PatternProperties {
			matchType(t, at+".*", p, typ.Elem())
		}
		if !ok && len(s.PatternProperties) == 0 {
			t.Errorf("%s: a map needs additionalProperties or patternProperties", at)
		}
	default:
		matchScalar(t, at, s, typ.Kind(), kind)
	}
}

// matchScalar compares the schema of a string, a number or a boolean with its
// Go kind. kind is the type in the schema.
func matchScalar(t *testing.T, at string, s *jsonschema.Schema, goKind reflect.Kind, kind string) {
	switch goKind {
	case reflect.String:
		bounded := s.MaxLength != nil || s.Enum != nil || s.Pattern != nil && strings.Contains(s.Pattern.String(), "{64}")
		if kind != "string" || !bounded {
			t.Errorf("%s: needs a bounded string", at)
		}
	case reflect.Bool:
		if kind != "boolean" {
			t.Errorf("%s: needs a boolean, has %s", at, kind)
		}
	case reflect.Int, reflect.Int64:
		if kind != "integer" || s.Minimum == nil && s.Const == nil {
			t.Errorf("%s: needs a bounded integer", at)
		}
	case reflect.Float64:
		if kind != "number" {
			t.Errorf("%s: needs a number, has %s", at, kind)
		}
	default:
		t.Errorf("%s: no rule for %v", at, goKind)
	}
}

func matchStruct(t *testing.T, at string, s *jsonschema.Schema, typ reflect.Type) {
	if closed, ok := s.AdditionalProperties.(bool); !ok || closed {
		t.Errorf("%s: additionalProperties is not false", at)
	}
	fields := make(map[string]bool)
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			t.Errorf("%s: field %s has no JSON name", at, f.Name)
			continue
		}
		fields[name] = true
		p, ok := s.Properties[name]
		if !ok {
			t.Errorf("%s: the schema does not have the field %s", at, name)
			continue
		}
		optional := strings.Contains(options, "omit")
		if required := slices.Contains(s.Required, name); required == optional {
			t.Errorf("%s.%s: required %v, optional in Go %v", at, name, required, optional)
		}
		matchType(t, at+"."+name, p, f.Type)
	}
	for name := range s.Properties {
		if !fields[name] {
			t.Errorf("%s: the type does not have the property %s", at, name)
		}
	}
}

// sampleText gives a string for each pattern that the schemas use.
var sampleText = map[string]string{
	`^[^\s\x00-\x1f\x7f-\x9f]+$`:                       "v1",
	`^[^:\x00-\x1f\x7f-\x9f]+:[^\x00-\x1f\x7f-\x9f]+$`: "server:tool",
	`^[0-9a-f]{64}$`:                                   strings.Repeat("0af9", 16),
	`^[0-9a-f]{16}$`:                                   "0af90af90af90af9",
	`^[a-z][a-z0-9_]*$`:                                "recall_at_5",
	`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`:                     "2026-01-31",
	`^[^:\x00-\x1f\x7f-\x9f]+$`:                        "server",
	`^[^\x00-\x1f\x7f-\x9f]+$`:                         "tool",
	`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`:              "pt-BR",
	`^[a-z0-9]+(-[a-z0-9]+)*$`:                         "some-words",
	`^https?://`:                                       "http://127.0.0.1:1/mcp",
	`^[1-9][0-9]{0,3}$`:                                "5",
}

// sample makes a value that uses every property of a schema.
func sample(t testing.TB, s *jsonschema.Schema) any {
	t.Helper()
	for s.Ref != nil {
		s = s.Ref
	}
	switch {
	case s.Const != nil:
		return *s.Const
	case s.Enum != nil:
		return s.Enum.Values[0]
	}
	switch kind := s.Types.ToStrings()[0]; kind {
	case "object":
		obj := map[string]any{}
		for name, p := range s.Properties {
			obj[name] = sample(t, p)
		}
		if s.Else != nil {
			delete(obj, "url") // the alternative to command
		}
		if add, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			obj["key"] = sample(t, add)
		}
		for pattern, p := range s.PatternProperties {
			obj[sampleText[pattern.String()]] = sample(t, p)
		}
		if s.Properties == nil && s.AdditionalProperties == nil {
			obj["type"] = "object"
		}
		return obj
	case "array":
		return []any{sample(t, s.Items2020)}
	case "string":
		if s.Pattern == nil {
			return "Ein Wort <b> & \u2028 \U0001f600"
		}
		text, ok := sampleText[s.Pattern.String()]
		if !ok {
			t.Fatalf("no sample for the pattern %s", s.Pattern)
		}
		return text
	case "boolean":
		return true
	case "integer":
		if s.Minimum != nil {
			n, _ := s.Minimum.Float64()
			return n + 1
		}
		return 1.0
	case "number":
		return 0.5
	default:
		t.Fatalf("no sample for %s", kind)
		return nil
	}
}

func sampleBytes(t testing.TB, typ reflect.Type) []byte {
	t.Helper()
	data, err := json.Marshal(sample(t, compiledSchema(t, typ)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// forEachType calls the generic check with every registered type.
func forEachType(t *testing.T, check func(t *testing.T, c codec)) {
	for name, typ := range fileTypes(t) {
		c, ok := codecs[name]
		if !ok {
			t.Errorf("codecs does not have %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) { c.typ = typ; check(t, c) })
	}
}

// codec is Read and Decode for one type, without its type parameter.
type codec struct {
	typ    reflect.Type
	read   func(path string) (any, error)
	decode func(name string, data []byte) (any, error)
}

func codecOf[T any]() codec {
	return codec{
		read:   func(path string) (any, error) { return Read[T](path) },
		decode: func(name string, data []byte) (any, error) { return Decode[T](name, data) },
	}
}

var codecs = map[string]codec{
	"aggregate":         codecOf[Aggregate](),
	"baseline":          codecOf[Baseline](),
	"candidate":         codecOf[Candidate](),
	"cases":             codecOf[CaseSet](),
	"corpus":            codecOf[Corpus](),
	"detector-request":  codecOf[DetectorRequest](),
	"detector-verdict":  codecOf[DetectorVerdict](),
	"fitness":           codecOf[Fitness](),
	"frozen-tools":      codecOf[FrozenTools](),
	"gate":              codecOf[Gate](),
	"golden":            codecOf[GoldenSet](),
	"index-snapshot":    codecOf[IndexSnapshot](),
	"judgements":        codecOf[Judgements](),
	"lock":              codecOf[DatasetLock](),
	"mutation-report":   codecOf[MutationReport](),
	"no-verdict":        codecOf[NoVerdict](),
	"pool":              codecOf[Pool](),
	"proxy-config":      codecOf[ProxyConfig](),
	"proxy-manifest":    codecOf[ProxyManifest](),
	"report":            codecOf[Report](),
	"retrieval-report":  codecOf[RetrievalReport](),
	"run-summary":       codecOf[RunSummary](),
	"search-answer":     codecOf[SearchAnswer](),
	"search-reply":      codecOf[SearchReply](),
	"search-request":    codecOf[SearchRequest](),
	"security":          codecOf[SecurityCorpus](),
	"security-report":   codecOf[SecurityReport](),
	"selection-report":  codecOf[SelectionReport](),
	"similarity-report": codecOf[SimilarityReport](),
	"validation":        codecOf[Validation](),
}

func TestUnknownType(t *testing.T) {
	type stranger struct{}
	if _, err := Decode[stranger]("x", []byte("{}")); err == nil || !strings.Contains(err.Error(), "no schema") {
		t.Errorf("Decode: %v", err)
	}
	if err := Write(t.TempDir()+"/x", stranger{}); err == nil {
		t.Error("Write took a type without a schema")
	}
	if err := Write(t.TempDir()+"/x", (*Corpus)(nil)); err == nil {
		t.Error("Write took a nil pointer")
	}
}

func ExampleSchemaNames() {
	fmt.Println(strings.Join(SchemaNames()[:4], " "))
	// Output: aggregate baseline candidate cases
}
