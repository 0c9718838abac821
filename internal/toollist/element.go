package toollist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/touchstone-eval/touchstone/scanner"
)

// Names of the parts of a tool in the supported kinds of list: MCP's
// tools/list, corpora and rows, and scanner.Tool as JSON.
var (
	nameKeys   = []string{"name", "tool"}
	inputKeys  = []string{"inputSchema", "input_schema", "schema"}
	outputKeys = []string{"outputSchema", "output_schema"}
)

func looksLikeTool(v value) bool {
	for _, m := range v.object() {
		switch m.name {
		case "name", "tool", "inputSchema", "input_schema":
			return true
		}
	}
	return false
}

// readTool reads one element of a list. If it fails, the tool holds the known
// parts.
func readTool(v value, server string) (scanner.Tool, error) {
	tool := scanner.Tool{Server: server}
	if !v.is('{') {
		return tool, errors.New("it is not an object")
	}
	members := v.object()
	var problems []error
	text := func(into *string, names ...string) {
		m, ok, err := get(members, names...)
		switch {
		case err != nil:
			problems = append(problems, err)
		case !ok || m.isNull():
		default:
			s, isText := m.str()
			if !isText {
				problems = append(problems, fmt.Errorf("its %s is not a string", m.name))
				return
			}
			*into = s
		}
	}
	raw := func(names ...string) json.RawMessage {
		m, ok, err := get(members, names...)
		if err != nil {
			problems = append(problems, err)
		}
		if !ok || m.isNull() {
			return nil
		}
		if err := checkTwice(m.value); err != nil {
			problems = append(problems, fmt.Errorf("in its %s: %w", m.name, err))
		}
		// Without white space, a schema is unchanged after it was written to a
		// baseline and read.
		var compact bytes.Buffer
		if err := json.Compact(&compact, m.raw()); err != nil {
			problems = append(problems, fmt.Errorf("its %s: %w", m.name, err))
		}
		return compact.Bytes()
	}
	text(&tool.Server, "server")
	if tool.Server == "" {
		tool.Server = server
	}
	text(&tool.Name, nameKeys...)
	text(&tool.Description, "description")
	tool.InputSchema = raw(inputKeys...)
	tool.OutputSchema = raw(outputKeys...)
	tool.Annotations = raw("annotations")
	var title string
	text(&title, "title")
	tool.Annotations = withTitle(tool.Annotations, title)
	return tool, errors.Join(problems...)
}

// withTitle adds a tool's title to its annotations, where the title was before
// tools had one of their own. Models and people may see either.
func withTitle(annotations json.RawMessage, title string) json.RawMessage {
	if title == "" {
		return annotations
	}
	quoted, err := json.Marshal(title)
	if err != nil {
		return annotations // unreachable: a string always encodes
	}
	const key = `{"tool title":`
	out := append([]byte(key), quoted...)
	switch v := (value{annotations, 0, len(annotations)}); {
	case len(annotations) == 0 || v.is('{') && len(v.object()) == 0:
		return append(out, '}')
	case v.is('{'):
		return append(append(out, ','), annotations[1:]...)
	default: // invalid, but it may still be shown to a model
		return append(append(append(out, `,"annotations":`...), annotations...), '}')
	}
}

// maxNesting bounds the nesting of a schema: the scanner reads no deeper, and
// unread text must not look clean. Real schemas nest fewer than 20 levels.
const maxNesting = 200

// checkTwice returns an error for an object, at any depth, that has a name
// twice, and for excessive nesting.
func checkTwice(v value) error {
	type level struct {
		value
		depth int
	}
	pending := []level{{v, 0}}
	for len(pending) > 0 {
		v := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if v.depth > maxNesting {
			return fmt.Errorf("it is nested deeper than %d levels", maxNesting)
		}
		for _, e := range v.array() {
			if e.is('{') || e.is('[') {
				pending = append(pending, level{e, v.depth + 1})
			}
		}
		members := v.object()
		if m := repeated(members); m != nil {
			return &twiceError{m.name, m.name, m.at}
		}
		for _, m := range members {
			if m.is('{') || m.is('[') {
				pending = append(pending, level{m.value, v.depth + 1})
			}
		}
	}
	return nil
}

// repeated returns the first member whose name already occurred.
func repeated(members []member) *member {
	if len(members) < 16 { // cheaper than a map
		for i := range members {
			for j := range i {
				if members[i].name == members[j].name {
					return &members[i]
				}
			}
		}
		return nil
	}
	seen := make(map[string]bool, len(members))
	for i := range members {
		if seen[members[i].name] {
			return &members[i]
		}
		seen[members[i].name] = true
	}
	return nil
}
