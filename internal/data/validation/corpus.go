package validation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// checkCorpus refuses tools that cannot be told apart or served. It returns
// warnings.
func checkCorpus(d *dataset[contracts.Corpus]) (warnings []string) {
	checkSource(d, &d.value.GeneratedFrom)
	checkNUL(d)
	checkFileName(d, d.value.Version)
	first := make(map[string]int)
	byText := make(map[string][]string)
	var empty []string
	for i, t := range d.value.Tools {
		at := fmt.Sprintf("/tools/%d", i)
		if t.ToolID == "" {
			continue
		}

		if j, twice := first[t.ToolID]; twice {
			d.refuse(at+"/tool_id", t.ToolID, fmt.Sprintf("duplicate tool_id, also tool number %d", j+1),
				"rename or remove one of the two")
			continue
		}

		first[t.ToolID] = i
		if want := t.Server + ":" + t.Tool; t.Server != "" && t.Tool != "" && t.ToolID != want {
			d.refuse(at+"/tool_id", t.ToolID, fmt.Sprintf("tool_id is not server:tool, which is %q", want),
				"make the three fields consistent")
		}

		checkToolSchema(d, at+"/schema", t.ToolID, t.Schema)
		checkSchema(d, at+"/output_schema", t.ToolID, "the output schema", t.OutputSchema)
		if t.Description == "" {
			empty = append(empty, t.ToolID)
		} else {
			byText[t.Description] = append(byText[t.Description], t.ToolID)
		}
	}

	if len(empty) > 0 {
		warnings = append(warnings,
			fmt.Sprintf("corpus: %d tools without a description: %s", len(empty), listed(empty)))
	}

	return append(warnings, sameText(byText, "corpus", "tools")...)
}

// checkToolSchema refuses an argument schema that an MCP server may not list.
// The type must be object, properties must be an object, and the whole a JSON
// Schema.
func checkToolSchema[T any](d *dataset[T], at, entry string, schema json.RawMessage) {
	if len(schema) == 0 || d.goodSchemas[0][string(schema)] {
		return
	}

	before := len(d.problems)
	defer func() {
		if len(d.problems) == before {
			d.goodSchemas[0] = remembered(d.goodSchemas[0], schema)
		}
	}()
	var s struct {
		Type       any             `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return // not an object: the schema of the contract has reported it
	}

	if s.Type != nil && s.Type != "object" {
		d.refuse(at+"/type", entry, fmt.Sprintf("the type of the argument schema is %.60s", fmt.Sprint(s.Type)),
			`a tool's arguments are an object: write "type": "object"`)
		return
	}

	if len(s.Properties) > 0 && s.Properties[0] != '{' {
		d.refuse(at+"/properties", entry, "the properties of the argument schema are not an object",
			"map each argument's name to its schema")
		return
	}

	checkSchema(d, at, entry, "the argument schema", schema)
}

// remembered adds a schema to those that are right.
func remembered(good map[string]bool, schema json.RawMessage) map[string]bool {
	if good == nil {
		good = make(map[string]bool)
	}
	good[string(schema)] = true
	return good
}

// checkSource refuses a dataset that does not name its source, or whose licence
// does not allow redistribution.
func checkSource[T any](d *dataset[T], from *contracts.GeneratedFrom) {
	if from == nil {
		return
	}

	if from.Source != "" && strings.TrimSpace(from.Source) == "" {
		d.refuse("/generated_from/source", "", "the source is blank",
			"write who or what made the dataset, so that others can find it")
	}

	if from.License == "" {
		return
	}

	if message, remedy := CheckLicense(from.License); message != "" {
		d.refuse("/generated_from/license", "", message, remedy)
	}
}

// sameText warns about entries with the same description.
func sameText(byText map[string][]string, file, what string) []string {
	var all []string
	groups := 0
	for _, ids := range byText {
		if len(ids) > 1 {
			groups++
			all = append(all, ids...)
		}
	}

	if groups == 0 {
		return nil
	}

	slices.Sort(all)
	return []string{fmt.Sprintf("%s: %d %s share a description with another, in %d groups: %s", file, len(all), what,
		groups, listed(all))}
}
