package input

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/source"
	"github.com/touchstone-eval/touchstone/scanner"
)

// readSource reads the definitions in the source of a server. The place of each is
// that in the source. A part that is computed is recorded as not scanned.
func readSource(file, server string, text []byte) (*Input, error) {
	found, err := source.Find(file, string(text))
	if err != nil {
		return nil, &InputError{Place: Place{File: file}, Reason: "it cannot be parsed: " +
			safetext.Clip(err.Error(), 200), Remedy: "correct it"}
	}

	if len(found.Definitions) == 0 && len(found.Problems) == 0 {
		return nil, &InputError{
			Place: Place{File: file}, Reason: "it defines no tool, prompt or resource in a way that is known",
			OtherKind: true,
			Remedy:    "name another file, or start the server and scan it with --server-command",
		}
	}

	in := &Input{}
	for _, d := range found.Definitions {
		if err := in.define(server, file, d); err != nil {
			found.Problems = append(found.Problems, source.Problem{Name: d.Name, Line: d.Line, Reason: err.Error()})
		}
	}

	for _, p := range found.Problems {
		in.Unscanned = append(in.Unscanned, Unscanned{
			Server: server, Tool: p.Name, Place: Place{File: file, Line: p.Line}, Reason: p.Reason,
			deferred: p.Deferred,
			Remedy:   "write it as a literal, or start the server and scan it with --server-command",
		})
	}

	return in, nil
}

var subjects = map[source.Kind]scanner.Subject{
	source.Tool: scanner.SubjectTool, source.Prompt: scanner.SubjectPrompt, source.Resource: scanner.SubjectResource,
	source.Instructions: scanner.SubjectInstructions,
}

// define adds a definition of a file. The error says why it is not scanned.
func (in *Input) define(server, file string, d source.Definition) error {
	t := Tool{Place: Place{File: file, Line: d.Line}, Tool: scanner.Tool{
		Server: server, Subject: subjects[d.Kind], Name: d.Name, Title: d.Title, Description: d.Description,
	}}
	if err := addTexts(&t, d.Texts); err != nil {
		return err // unreachable: strings always encode
	}

	if size := len(t.Description) + len(t.InputSchema) + len(t.Extra); size > MaxTool {
		return fmt.Errorf("its definition has %d bytes, and no model can read more than %d", size, MaxTool)
	}

	t.line("/title", d.TitleLine)
	t.line("/description", d.DescriptionLine)
	t.line("/instructions", d.DescriptionLine)
	if d.Kind == source.Tool {
		in.Tools = append(in.Tools, t)
	} else {
		in.Others = append(in.Others, t)
	}

	return nil
}

// addTexts adds the further texts of a definition. Most describe parameters, and a
// schema with them is not known before the server runs.
func addTexts(t *Tool, texts []source.Text) (err error) {
	if len(texts) == 0 {
		return nil
	}

	type described struct {
		Description string `json:"description"`
	}
	list := make([]described, len(texts))
	all := make([]string, len(texts))
	for i, text := range texts {
		list[i], all[i] = described{text.Text}, text.Text
		for _, in := range [...]string{"/inputSchema/anyOf/", "/arguments/", "/texts/"} {
			t.line(in+strconv.Itoa(i), text.Line)
		}
	}

	switch t.Subject {
	case scanner.SubjectTool:
		t.InputSchema, err = json.Marshal(map[string]any{"anyOf": list})
	case scanner.SubjectPrompt:
		t.InputSchema, err = json.Marshal(list)
	default:
		t.Extra, err = json.Marshal(map[string]any{"texts": all})
	}

	return err
}
