package input

import (
	"errors"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// The APIs of models have tools in other shapes than MCP:
//
//   - OpenAI: {"type": "function", "name": ..., "parameters": ...}, and in chat
//     completions the same within a member "function"
//   - Anthropic: MCP's, with input_schema
//   - Gemini: {"functionDeclarations": [{"name": ..., "parameters": ...}]}
//
// A tool is read as MCP has it, and its pointers lead to where the file has it.

// fieldMapping says where a file has a part of a definition that MCP has under another name. Both
// are JSON Pointers within the definition.
type fieldMapping struct{ mcp, file string }

// Pointer returns the place in the file, within the definition, of a JSON Pointer
// into the definition as MCP has it.
func (t *Tool) Pointer(p string) string {
	for _, w := range t.mappings {
		if rest, ok := strings.CutPrefix(p, w.mcp); ok && (rest == "" || rest[0] == '/') {
			return w.file + rest
		}
	}
	return p
}

// mapField records that the file has a part under another name.
func (t *Tool) mapField(mcp, file string) {
	if mcp != file {
		t.mappings = append(t.mappings, fieldMapping{mcp, file})
	}
}

// parameterKeys are the names of the schemas in other APIs than MCP. They hold if the
// definition has no schema under a name of MCP.
var (
	parameterKeys = []string{"parameters", "parametersJsonSchema", "parameters_json_schema"}
	responseKeys  = []string{"response", "responseJsonSchema", "response_json_schema"}
)

// declarationKeys are Gemini's names for a list of functions.
var declarationKeys = []string{"functionDeclarations", "function_declarations"}

// wrapped returns the function of OpenAI's {"type": "function", "function": {...}}.
func wrapped(v value) (function member, ok bool) { return wrappedIn(v.object()) }

func wrappedIn(members []member) (function member, ok bool) {
	if hasName(members, "function") {
		function, ok, _ = get(members, "function")
		_, named, _ := get(members, nameKeys...)
		ok = ok && !named && function.is('{')
	}
	return function, ok
}

// declarations returns Gemini's list of functions.
func declarations(v value) (list member, ok bool) { return declarationsIn(v.object()) }

func declarationsIn(members []member) (list member, ok bool) {
	list, ok, err := get(members, declarationKeys...)
	return list, ok && err == nil && list.is('[')
}

// readWrapped reads a tool that stands within a member of its element.
func (k *kind) readWrapped(v value, function member, server string) (Tool, error) {
	tool, err := k.readMembers(function.object(), server)
	for i, w := range tool.mappings {
		tool.mappings[i].file = "/function" + w.file
	}

	for _, m := range function.object() {
		if at := jsonpointer.Join("", m.name); !slices.ContainsFunc(tool.mappings,
			func(w fieldMapping) bool { return w.file == "/function"+at }) {
			tool.mapField(at, "/function"+at)
		}
	}

	// What stands beside the function may be text of the server too.
	known := []string{"function"}
	for _, m := range v.object() {
		if m.name == "type" && string(m.raw()) == `"function"` {
			known = append(known, "type")
		}
	}

	beside, err2 := others(v.object(), known)
	if len(beside) > 0 {
		if sharesMember(beside, function.raw()) {
			err2 = errors.Join(err2, errors.New("it has the same field beside its function and in it, and programs "+
				"differ on which one they read"))
		} else {
			tool.Extra = joinObjects(tool.Extra, beside)
		}
	}

	return tool, errors.Join(err, err2)
}

// joinObjects returns an object with the members of both. Either may be empty.
func joinObjects(a, b []byte) []byte {
	if len(a) == 0 {
		return b
	}
	return slices.Concat(a[:len(a)-1], []byte(","), b[1:])
}

// isSingleTool reports whether an object is a single tool: it has a name and a schema, or is a
// function or a list of functions of another API.
func isSingleTool(v value) bool {
	members := v.object()
	name, named, _ := get(members, "name")
	for _, m := range members {
		if named && name.is('"') && m.is('{') &&
			(slices.Contains(kinds[0].input, m.name) || slices.Contains(parameterKeys, m.name)) {
			return true
		}
	}
	function, ok := wrapped(v)
	_, list := declarations(v)
	return ok && kinds[0].looksLike(function.value) || list
}

// flatten replaces the elements that hold functions by these functions, and records what
// stands beside them.
func (d *document) flatten(elements []value, server string) []value {
	var members []member
	if !slices.ContainsFunc(elements, func(v value) bool {
		members = v.objectInto(members)
		_, ok := declarationsIn(members)
		return ok
	}) {
		return elements
	}

	var flat []value
	for _, e := range elements {
		list, ok := declarations(e)
		if !ok {
			flat = append(flat, e)
			continue
		}

		flat = append(flat, list.array()...)
		d.collectExtraText(e.object(), declarationKeys, server)
	}

	return flat
}

// schemaKey returns the names for a schema of a definition: those of MCP, or those of
// another API if the definition has a member of these alone.
func schemaKey(members []member, mcp, other []string) []string {
	for _, m := range members {
		if slices.Contains(mcp, m.name) {
			return mcp
		}
	}
	for _, m := range members {
		if slices.Contains(other, m.name) && m.is('{') {
			return other
		}
	}
	return mcp
}
