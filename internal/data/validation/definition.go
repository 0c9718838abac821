package validation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// dialects are the versions of JSON Schema that a schema without $schema may
// follow, and those that $schema may name here. MCP's default is 2020-12.
// Generators of schemas often follow an older one and do not say so.
var dialects = []string{
	"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema",
	"https://json-schema.org/draft/2019-09/schema", "http://json-schema.org/draft-06/schema",
	"http://json-schema.org/draft-04/schema",
}

// metaschemas compiles the metaschema of each dialect once. They are part of the
// library, so nothing is fetched.
var metaschemas = sync.OnceValue(func() []*jsonschema.Schema {
	list := make([]*jsonschema.Schema, len(dialects))
	for i, d := range dialects {
		list[i] = jsonschema.NewCompiler().MustCompile(d)
	}
	return list
})

// checkSchema refuses what is no JSON Schema in the dialect that it names or, if
// it names none, in any. It does not resolve references.
func checkSchema[T any](d *dataset[T], at, entry, what string, schema json.RawMessage) {
	if len(schema) == 0 || d.goodSchemas[1][string(schema)] {
		return
	}

	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	object, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return // the schema of the contract has reported it
	}

	var first *jsonschema.ValidationError
	named, _ := object["$schema"].(string)
	for i, dialect := range dialects {
		if named != "" && trimmed(named) != trimmed(dialect) {
			continue
		}

		err := metaschemas()[i].Validate(value)
		if err == nil {
			d.goodSchemas[1] = remembered(d.goodSchemas[1], schema)
			return
		}

		if first == nil {
			errors.As(err, &first)
		}
	}

	if first == nil {
		return // a dialect that is not known here
	}

	place, reason := deepest(first)
	d.refuse(at+place, entry, fmt.Sprintf("%s is no JSON Schema: %s", what, reason),
		"correct it: https://json-schema.org/understanding-json-schema")
}

// trimmed is the URL of a dialect without what generators write differently.
func trimmed(url string) string {
	_, path, _ := strings.Cut(strings.TrimSuffix(url, "#"), "://")
	return path
}

var printer = message.NewPrinter(language.English)

// deepest returns the place and the message of the first fault without causes.
func deepest(e *jsonschema.ValidationError) (pointer, reason string) {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	return jsonpointer.Join("", e.InstanceLocation...), fmt.Sprintf("%.200s", e.ErrorKind.LocalizedString(printer))
}

// bareSituations returns a warning for each kind of attack whose entries lack the
// situation in which they are attacks: an approved version for a rug pull, and the tools
// of other servers for shadowing. Published corpora often have only the description. A
// detector can then judge only its words.
func bareSituations(s *contracts.SecurityCorpus) (warnings []string) {
	for _, kind := range []struct {
		category, field, what string
		missing               func(*contracts.SecurityEntry) bool
	}{
		{contracts.CategoryRugPull, "approved", "the tool as it was when it was approved",
			func(e *contracts.SecurityEntry) bool { return e.Approved == nil }},
		{contracts.CategoryShadowing, "peers", "the tools of other servers that they concern",
			func(e *contracts.SecurityEntry) bool { return len(e.Peers) == 0 }},
	} {
		var bare []string
		for i := range s.Entries {
			if e := &s.Entries[i]; e.Category == kind.category && kind.missing(e) {
				bare = append(bare, e.ID)
			}
		}

		if len(bare) > 0 {
			warnings = append(warnings, fmt.Sprintf("security: %d entries of the category %s have no %s (%s), so a "+
				"detector can judge only their words: %s", len(bare), kind.category, kind.field, kind.what,
				listed(bare)))
		}
	}

	return warnings
}

// checkEntrySchemas refuses the schemas of an entry, of its peers and of the
// approved tool that are no JSON Schema.
func checkEntrySchemas(d *dataset[contracts.SecurityCorpus], at string, e *contracts.SecurityEntry) {
	checkToolSchema(d, at+"/input_schema", e.ID, e.InputSchema)
	checkSchema(d, at+"/output_schema", e.ID, "the output schema", e.OutputSchema)
	for i, p := range e.Peers {
		checkToolSchema(d, fmt.Sprintf("%s/peers/%d/input_schema", at, i), e.ID, p.InputSchema)
	}
	if e.Approved != nil {
		checkToolSchema(d, at+"/approved/input_schema", e.ID, e.Approved.InputSchema)
	}
}

// checkNUL refuses the character U+0000. C programs, SQLite's functions and
// terminals end a text there, so two readers of one entry would see different
// texts.
func checkNUL[T any](d *dataset[T]) {
	if !bytes.Contains(d.data, []byte(`\u0000`)) {
		return
	}

	var tree any
	if json.Unmarshal(d.data, &tree) != nil {
		return // reported
	}

	refuse := func(at string) {
		d.refuse(at, "", "the text holds the character U+0000 (NUL), at which many programs end a text", "remove it")
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case string:
			if strings.ContainsRune(v, 0) {
				refuse(at)
			}
		case []any:
			for i, e := range v {
				walk(fmt.Sprintf("%s/%d", at, i), e)
			}
		case map[string]any:
			names := make([]string, 0, len(v))
			for name := range v {
				names = append(names, name)
			}

			slices.Sort(names)
			for _, name := range names {
				if strings.ContainsRune(name, 0) {
					refuse(at)
				}

				walk(jsonpointer.Join(at, name), v[name])
			}
		}
	}
	walk("", tree)
}
