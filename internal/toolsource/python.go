package toolsource

import "strings"

var pyDecorators = map[string]Kind{"tool": Tool, "prompt": Prompt, "resource": Resource}

var pyTypes = map[string]Kind{"Tool": Tool, "Prompt": Prompt, "Resource": Resource, "ResourceTemplate": Resource}

// findPython finds functions with a decorator such as @mcp.tool(), and calls such as
// types.Tool(name="...", description="...").
func findPython(text string) (*Found, error) {
	s := newSource(text, true)
	for i := 0; i < len(s.toks); i++ {
		switch {
		case s.toks[i].is("@") && (i == 0 || s.toks[i-1].line < s.toks[i].line):
			s.pyDecorated(i)
		case s.toks[i].kind == word && s.at(i+1).is("("):
			if kind, ok := pyTypes[s.toks[i].text]; ok && !s.at(i-1).is("class") && !s.at(i-1).is("def") {
				if s.pyCall(i, kind) {
					i = s.close(i+1) - 1
				}
			}
		}
	}
	return s.found, nil
}

// pyDecorated reads a function with the decorator at i, if that is one of a server.
func (s *source) pyDecorated(i int) {
	line := s.toks[i].line
	i++
	dots := 0
	for s.at(i).kind == word && s.at(i+1).is(".") {
		i, dots = i+2, dots+1
	}
	kind, ok := pyDecorators[s.at(i).text]
	if !ok || dots == 0 {
		return
	}
	var args []span
	if i++; s.at(i).is("(") {
		args = s.parts(i)
		i = s.close(i)
	}
	if i = s.starts[min(i, len(s.toks))]; !s.at(i).is("def") {
		return
	}
	if s.at(i+1).kind != word || !s.at(i+2).is("(") {
		return
	}
	d := Definition{Kind: kind, Name: s.toks[i+1].text, Line: line}
	params := s.parts(i + 2)
	i = s.close(i + 2)
	for i < len(s.toks) && !s.toks[i].is(":") {
		switch t := s.toks[i]; {
		case t.is("def") || t.is("class") || t.is("@"):
			return
		case t.is("[") || t.is("("):
			i = s.close(i)
		default:
			i++
		}
	}
	if doc := s.at(i + 1); doc.kind == str {
		d.Description = strings.TrimSpace(doc.text)
	}
	members := s.members(args, "=")
	if len(args) > 0 && s.at(args[0].from+1).text != "=" {
		members[map[Kind]string{Tool: "name", Prompt: "name", Resource: "uri"}[kind]] = args[0]
	}
	name := "name"
	if kind == Resource {
		name = "uri"
	}
	s.field(&d.Name, &d, members, name, computedName)
	s.field(&d.Title, &d, members, "title", computedTitle)
	s.field(&d.Description, &d, members, "description", computedDescription)
	s.texts(&d, args, "=")
	s.texts(&d, params, "")
	s.found.Definitions = append(s.found.Definitions, d)
}

// pyCall reads a call with keyword arguments that has a name and a description or a
// schema, and reports whether it is one.
func (s *source) pyCall(i int, kind Kind) bool {
	args := s.parts(i + 1)
	members := s.members(args, "=")
	name := "name"
	if kind == Resource {
		name = "uri"
		if _, ok := members["uriTemplate"]; ok {
			name = "uriTemplate"
		}
	}
	if _, ok := members[name]; !ok {
		return false
	}
	d := Definition{Kind: kind, Line: s.toks[i].line}
	s.field(&d.Name, &d, members, name, computedName)
	s.field(&d.Title, &d, members, "title", computedTitle)
	s.field(&d.Description, &d, members, "description", computedDescription)
	s.texts(&d, args, "=")
	s.found.Definitions = append(s.found.Definitions, d)
	return true
}
