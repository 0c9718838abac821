package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Names of the parts of a tool in the supported kinds of list: MCP's
// tools/list, corpora and rows, and scanner.Tool as JSON.
var (
	nameKeys   = []string{"name", "tool"}
	inputKeys  = []string{"inputSchema", "input_schema", "schema"}
	outputKeys = []string{"outputSchema", "output_schema"}
)

// kind is a kind of list that MCP has.
type kind struct {
	subject scanner.Subject
	list    string   // the member that holds the list
	noun    string   // of its elements
	name    []string // the members that hold the name of an element
	input   []string // and its parameters
	output  []string
}

var kinds = [...]kind{
	{scanner.SubjectTool, "tools", "tool", nameKeys, inputKeys, outputKeys},
	{scanner.SubjectPrompt, "prompts", "prompt", []string{"name"}, []string{"arguments"}, nil},
	{scanner.SubjectResource, "resources", "resource", []string{"uri"}, nil, nil},
	{scanner.SubjectResourceTemplate, "resourceTemplates", "resource template", []string{"uriTemplate"}, nil, nil},
}

// kindOf returns the kind with a subject.
func kindOf(s scanner.Subject) *kind {
	for i := range kinds {
		if kinds[i].subject == s {
			return &kinds[i]
		}
	}
	return nil
}

// keys are the names of all parts that have a field of their own.
func (k *kind) keys() []string {
	return slices.Concat([]string{"server", "tool_id", "title", "description", "annotations"}, k.name, k.input,
		k.output)
}

// foldedMatch returns the first member whose name is one of the keys but for
// the case of its letters, and the key.
func foldedMatch(members []member, keys []string) (member, string) {
	for _, m := range members {
		for _, key := range keys {
			if m.name != key && strings.EqualFold(m.name, key) {
				return m, key
			}
		}
	}
	return member{}, ""
}

// caseError means that some programs, among them those that use encoding/json,
// read a field that others ignore.
type caseError struct{ name, key string }

func (e *caseError) Error() string {
	return fmt.Sprintf("it has the field %q, which only some programs read as %q", e.name, e.key)
}

// looksLike reports whether a value seems to be an element of such a list.
func (k *kind) looksLike(v value) bool { return k.looksLikeMembers(v.object()) }

// looksLikeMembers does the same for the members of an object.
func (k *kind) looksLikeMembers(members []member) bool {
	for i := range members {
		if m := &members[i]; slices.Contains(k.name, m.name) || k.subject == scanner.SubjectTool &&
			(m.name == "inputSchema" || m.name == "input_schema") {
			return true
		}
	}

	if k.subject != scanner.SubjectTool {
		return false
	}

	_, function := wrappedIn(members)
	_, list := declarationsIn(members)
	return function || list
}

// hasName reports whether a member has one of the names.
func hasName(members []member, names ...string) bool {
	for i := range members {
		if slices.Contains(names, members[i].name) {
			return true
		}
	}
	return false
}

// described reports whether a value has more of a prompt than a name: other programs
// have lists of prompts too.
func described(v value) bool {
	for _, m := range v.object() {
		if m.name == "description" && m.is('"') || m.name == "arguments" && m.is('[') {
			return true
		}
	}
	return false
}

// hasOnlyPromptNames reports whether an object is an answer with prompts that have no more than
// a name: they have no members that a prompt of MCP lacks, and stand in an object of
// lists of a server, or beside a list of tools.
func hasOnlyPromptNames(answer value, prompts []value) bool {
	known := append([]string{"icons", "messages", "_meta"}, kindOf(scanner.SubjectPrompt).keys()...)
	for _, v := range prompts {
		members := v.object()
		if len(members) == 0 || slices.ContainsFunc(members,
			func(m member) bool { return !slices.Contains(known, m.name) }) {
			return false
		}
	}

	for _, m := range answer.object() {
		isList := slices.ContainsFunc(kinds[:], func(k kind) bool { return k.list == m.name })
		if isList && m.name == kinds[0].list && m.is('[') {
			return true
		}

		if !isList && m.name != "nextCursor" && m.name != "_meta" && m.name != "server" && m.name != "instructions" {
			return false
		}
	}

	return true
}

func looksLikeTool(v value) bool { return kinds[0].looksLike(v) }

// read reads one element of a list. If it fails, the tool holds the known parts.
func (k *kind) read(v value, server string) (Tool, error) {
	return k.readElement(v, v.object(), server)
}

// readElement does the same for an element with these members.
func (k *kind) readElement(v value, members []member, server string) (Tool, error) {
	tool := Tool{Tool: scanner.Tool{Server: server, Subject: k.subject}}
	if !v.is('{') {
		return tool, errors.New("it is not an object")
	}

	if size := v.end - v.start; size > MaxTool {
		if m, ok, _ := get(members, k.name...); ok {
			tool.Name, _ = m.str()
			tool.Name = safetext.Clip(tool.Name, safetext.MaxName)
		}

		return tool, fmt.Errorf("its definition has %d bytes, and no model can read more than %d", size, MaxTool)
	}

	if function, ok := wrappedIn(members); ok && k.subject == scanner.SubjectTool {
		return k.readWrapped(v, function, server)
	}

	return k.readMembers(members, server)
}

// readMembers reads the members of an element.
func (k *kind) readMembers(members []member, server string) (Tool, error) {
	tool := Tool{Tool: scanner.Tool{Server: server, Subject: k.subject}}
	var problems []error
	input, output := k.input, k.output
	if k.subject == scanner.SubjectTool {
		input, output = schemaKey(members, input, parameterKeys), schemaKey(members, output, responseKeys)
	}

	known := slices.Concat(k.keys(), input, output)
	if m, key := foldedMatch(members, k.keys()); key != "" {
		problems = append(problems, &caseError{m.name, key})
	}

	find := func(mcp string, names []string) (member, bool) {
		m, ok, err := get(members, names...)
		if err != nil {
			problems = append(problems, err)
			return m, false
		}

		if ok && mcp != "" && mcp != m.name {
			tool.mapField("/"+mcp, jsonpointer.Join("", m.name))
		}

		return m, ok && !m.isNull()
	}
	text := func(into *string, mcp string, names ...string) {
		m, ok := find(mcp, names)
		if !ok {
			return
		}

		s, isText := m.str()
		if !isText {
			problems = append(problems, fmt.Errorf("its %s is not a string", m.name))
			return
		}

		*into = s
	}
	raw := func(mcp string, names ...string) json.RawMessage {
		m, ok := find(mcp, names)
		if !ok {
			return nil
		}

		compact, err := compacted(m)
		if err != nil {
			problems = append(problems, err)
		}

		return compact
	}
	text(&tool.Server, "", "server")
	if tool.Server == "" {
		tool.Server = server
	}

	text(&tool.Name, k.name[0], k.name...)
	text(&tool.Title, "", "title")
	text(&tool.Description, "", "description")
	if len(input) > 0 {
		tool.InputSchema = raw(k.input[0], input...)
	}

	if len(output) > 0 {
		tool.OutputSchema = raw(k.output[0], output...)
	}

	tool.Annotations = raw("", "annotations")
	var err error
	if tool.Extra, err = others(members, known); err != nil {
		problems = append(problems, err)
	}

	return tool, errors.Join(problems...)
}

// withoutSpace returns a copy of a valid JSON text without white space outside of strings.
func withoutSpace(raw []byte) []byte {
	compact := make([]byte, 0, len(raw))
	kept := 0 // what is before it was copied
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = skipString(raw, i)
		case ' ', '\t', '\r', '\n':
			compact = append(compact, raw[kept:i]...)
			i++
			kept = i
		default:
			i++
		}
	}
	return append(compact, raw[kept:]...)
}

// compacted returns the value of a member without white space, so that a schema is
// unchanged after it was written to a baseline and read.
func compacted(m member) (json.RawMessage, error) {
	if err := checkTwice(m.value); err != nil {
		return nil, fmt.Errorf("in its %s: %w", safetext.Clip(m.name, safetext.MaxName), err)
	}
	compact := withoutSpace(m.raw())
	if len(compact) < cap(compact) {
		compact = bytes.Clone(compact) // without the room that is left
	}
	return compact, nil
}

// others returns an object of the members that have no field of their own, such as
// _meta and icons, or nil if there are none.
func others(members []member, known []string) (json.RawMessage, error) {
	var out bytes.Buffer
	var problems []error
	once := true // as the object was that the members are of
	for _, m := range members {
		if slices.Contains(known, m.name) {
			continue
		}

		once = once && m.once
		compact, err := compacted(m)
		if err != nil {
			problems = append(problems, err)
			continue
		}

		name, err := json.Marshal(m.name)
		if err != nil {
			problems = append(problems, err) // unreachable: a string always encodes
		}

		if out.Len() == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}

		out.Write(name)
		out.WriteByte(':')
		out.Write(compact)
	}

	if out.Len() == 0 {
		return nil, errors.Join(problems...)
	}

	out.WriteByte('}')
	if twice := checkTwice(value{out.Bytes(), 0, out.Len(), once}); twice != nil {
		problems = append(problems, twice)
	}

	return out.Bytes(), errors.Join(problems...)
}

// checkTwice returns an error for an object, at any depth, that has a name
// twice. It reads the value once, however deep. How much of a deep value is read, the
// scanner says.
func checkTwice(v value) error {
	if v.once {
		return nil
	}

	// Lone surrogates are no concern here: encoding/json reads them too.
	err := jsontext.NewDecoder(bytes.NewBuffer(v.raw()), jsontext.AllowInvalidUTF8(true)).SkipValue()
	var twice *jsontext.SyntacticError
	if !errors.As(err, &twice) || !errors.Is(err, jsontext.ErrDuplicateName) {
		return nil
	}
	name := twice.JSONPointer.LastToken()
	return &twiceError{name, name, v.start + int(twice.ByteOffset)}
}
