package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/touchstone-eval/touchstone/scanner"
)

// Row writes a definition as an object in the names of MCP, with its server. Read reads
// it from the list of its kind, and instructions from a list of that name.
func Row(t *scanner.Tool) (json.RawMessage, error) {
	var out bytes.Buffer
	var problem error
	add := func(name string, v any) {
		text, err := json.Marshal(v)
		if err != nil && problem == nil {
			problem = fmt.Errorf("the %s of %s:%s: %w", name, t.Server, t.Label(), err)
		}

		if out.Len() > 0 {
			out.WriteByte(',')
		}

		fmt.Fprintf(&out, "%q:%s", name, text)
	}
	raw := func(name string, v json.RawMessage) {
		if len(v) > 0 {
			add(name, v)
		}
	}
	add("server", t.Server)
	k := kindOf(t.Subject)
	if k == nil {
		add("instructions", t.Description)
	} else {
		add(k.name[0], t.Name)
		if t.Title != "" {
			add("title", t.Title)
		}

		add("description", t.Description)
		if k.input != nil {
			raw(k.input[0], t.InputSchema)
		}

		if k.output != nil {
			raw(k.output[0], t.OutputSchema)
		}

		raw("annotations", t.Annotations)
	}

	if extra := bytes.TrimSpace(t.Extra); len(extra) > 2 && extra[0] == '{' {
		out.WriteByte(',')
		out.Write(extra[1 : len(extra)-1])
	}

	row := json.RawMessage("{" + out.String() + "}")
	if problem == nil && !json.Valid(row) {
		problem = fmt.Errorf("%s:%s is no valid JSON", t.Server, t.Label())
	}

	return row, problem
}

// FromRow reads what Row wrote.
func FromRow(subject scanner.Subject, row json.RawMessage) (scanner.Tool, error) {
	if !json.Valid(row) {
		return scanner.Tool{}, errors.New("it is no valid JSON")
	}

	start := skipSeparators(row, 0)
	v := value{text: row, start: start, end: skipValue(row, start)}
	if k := kindOf(subject); k != nil {
		t, err := k.read(v, "")
		return t.Tool, err
	}

	d := &document{lines: lineIndex{text: row}}
	members := v.object()
	var server string
	var of member
	for _, m := range members {
		switch m.name {
		case "server":
			server, _ = m.str()
		case "instructions":
			of = m
		}
	}

	d.serverTexts(members, of, server, rowMembers)
	if len(d.in.Unscanned) > 0 {
		return scanner.Tool{}, errors.New(d.in.Unscanned[0].Reason)
	}

	if len(d.in.Others) == 0 {
		return scanner.Tool{Server: server, Subject: subject}, nil
	}

	return d.in.Others[0].Tool, nil
}
