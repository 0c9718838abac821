package contracts

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schema/*.schema.json
var schemaFiles embed.FS

// schemaBase is what the $id of every schema starts with.
const schemaBase = "https://github.com/touchstone-eval/touchstone/contracts/schema/"

// schemaNames maps each type of file to the name of its schema.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[Aggregate]():        "aggregate",
	reflect.TypeFor[Baseline]():         "baseline",
	reflect.TypeFor[CaseSet]():          "cases",
	reflect.TypeFor[Corpus]():           "corpus",
	reflect.TypeFor[Candidate]():        "candidate",
	reflect.TypeFor[DatasetLock]():      "lock",
	reflect.TypeFor[DetectorRequest]():  "detector-request",
	reflect.TypeFor[DetectorVerdict]():  "detector-verdict",
	reflect.TypeFor[Fitness]():          "fitness",
	reflect.TypeFor[FrozenTools]():      "frozen-tools",
	reflect.TypeFor[Gate]():             "gate",
	reflect.TypeFor[GoldenSet]():        "golden",
	reflect.TypeFor[IndexSnapshot]():    "index-snapshot",
	reflect.TypeFor[Judgements]():       "judgements",
	reflect.TypeFor[MutationReport]():   "mutation-report",
	reflect.TypeFor[NoVerdict]():        "no-verdict",
	reflect.TypeFor[Pool]():             "pool",
	reflect.TypeFor[ProxyConfig]():      "proxy-config",
	reflect.TypeFor[ProxyManifest]():    "proxy-manifest",
	reflect.TypeFor[Report]():           "report",
	reflect.TypeFor[RetrievalReport]():  "retrieval-report",
	reflect.TypeFor[RunSummary]():       "run-summary",
	reflect.TypeFor[SearchAnswer]():     "search-answer",
	reflect.TypeFor[SearchReply]():      "search-reply",
	reflect.TypeFor[SearchRequest]():    "search-request",
	reflect.TypeFor[SecurityCorpus]():   "security",
	reflect.TypeFor[SecurityReport]():   "security-report",
	reflect.TypeFor[SelectionReport]():  "selection-report",
	reflect.TypeFor[SimilarityReport](): "similarity-report",
	reflect.TypeFor[Validation]():       "validation",
}

// SchemaNames lists the names that Schema accepts, sorted.
func SchemaNames() []string {
	entries, err := fs.ReadDir(schemaFiles, "schema")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".schema.json"))
	}
	slices.Sort(names)
	return names
}

// Schema returns the JSON Schema (draft 2020-12) of that name, as text.
// References from one schema to another are relative to its $id.
func Schema(name string) ([]byte, error) {
	data, err := schemaFiles.ReadFile("schema/" + name + ".schema.json")
	if err != nil {
		return nil, fmt.Errorf("there is no schema %q; the schemas are %s", name, strings.Join(SchemaNames(), ", "))
	}
	return data, nil
}

// schemaLoader gives the compiler only the embedded schemas.
type schemaLoader struct{}

func (schemaLoader) Load(url string) (any, error) {
	data, err := Schema(strings.TrimSuffix(strings.TrimPrefix(url, schemaBase), ".schema.json"))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(data))
}

// compiled holds the schemas that were needed so far. They share one compiler:
// most refer to the common schema, which takes longer to compile than the rest
// of each.
var compiled struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[reflect.Type]*jsonschema.Schema
}

// schemaOf compiles the schema of a type once, when it is first needed.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	name, ok := schemaNames[t]
	if !ok {
		return nil, fmt.Errorf("%v is not a type of file: contracts has no schema for it", t)
	}

	compiled.mu.Lock()
	defer compiled.mu.Unlock()
	if schema := compiled.schemas[t]; schema != nil {
		return schema, nil
	}

	if compiled.compiler == nil {
		compiled.compiler = jsonschema.NewCompiler()
		compiled.compiler.UseLoader(schemaLoader{})
		compiled.schemas = map[reflect.Type]*jsonschema.Schema{}
	}

	schema, err := compiled.compiler.Compile(schemaBase + name + ".schema.json")
	if err != nil {
		return nil, err
	}

	compiled.schemas[t] = schema
	return schema, nil
}
