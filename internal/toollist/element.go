package toollist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/safetext"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Names of the parts of a tool in the supported kinds of list: MCP's
// tools/list, corpora and rows, and scanner.Tool as JSON.
var (
	nameKeys   = []string{"name", "tool"}
	inputKeys  = []string{"inputSchema", "input_schema", "schema"}
	outputKeys = []string{"outputSchema", "output_schema"}
)

// toolKeys are the names of all parts of a tool that are read.
var toolKeys = slices.Concat([]string{"server", "description", "annotations", "title"}, nameKeys, inputKeys, outputKeys)

// inAnotherCase returns the first member whose name is one of the keys but for
// the case of its letters, and the key.
func inAnotherCase(members []member, keys []string) (member, string) {
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
	if size := v.end - v.start; size > MaxTool {
		if m, ok, _ := get(members, nameKeys...); ok {
			tool.Name, _ = m.str()
			tool.Name = safetext.Clip(tool.Name, safetext.MaxName)
		}
		return tool, fmt.Errorf("its definition has %d bytes, and no model can read more than %d", size, MaxTool)
	}
	if m, key := inAnotherCase(members, toolKeys); key != "" {
		problems = append(problems, &caseError{m.name, key})
	}
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
// twice, and for excessive nesting. It reads the value once, however deep.
func checkTwice(v value) error {
	var open []names // the objects and lists around the current place
	named := false   // the current member of the object has its name
	for i := v.start; i < v.end; {
		switch c := v.text[i]; c {
		case '{', '[':
			if open = append(open, names{object: c == '{'}); len(open) > maxNesting+1 {
				return fmt.Errorf("it is nested deeper than %d levels", maxNesting)
			}
			named = false
			i++
		case '}', ']':
			open = open[:len(open)-1]
			named = true // the members that follow begin after a comma
			i++
		case ',':
			named = false
			i++
		case '"':
			end := skipString(v.text, i)
			if len(open) > 0 && open[len(open)-1].object && !named {
				name, _ := value{v.text, i, end}.str()
				if open[len(open)-1].add(name) {
					return &twiceError{name, name, i}
				}
				named = true
			}
			i = end
		default:
			i++
		}
	}
	return nil
}

// names are the names of an object so far. Lists have none.
type names struct {
	object bool
	few    []string
	many   map[string]bool
}

// add adds a name. It reports whether it is there already.
func (n *names) add(name string) (twice bool) {
	if n.many == nil {
		if slices.Contains(n.few, name) {
			return true
		}
		if n.few = append(n.few, name); len(n.few) == 16 { // up to here cheaper than a map
			n.many = map[string]bool{}
			for _, name := range n.few {
				n.many[name] = true
			}
		}
		return false
	}
	if n.many[name] {
		return true
	}
	n.many[name] = true
	return false
}
