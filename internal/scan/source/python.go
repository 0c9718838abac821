package source

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
			s.decorated = s.toks[i].line
			s.pyDecorated(i)
		case s.toks[i].is("{"):
			if s.tsObject(i) {
				i = s.close(i) - 1
			}
		case s.toks[i].kind == word && s.at(i+1).is("("):
			if servers[s.toks[i].text] && !s.at(i-1).is("class") {
				s.instructions(i, "=")
			}

			s.pyDeferred(i)
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

	s.pyFunction(s.starts[min(i, len(s.toks))], kind, line, args)
}

// pyDeferred reads a function that is registered by a call: mcp.add_tool(f), mcp.tool(f) or
// mcp.tool()(f).
func (s *source) pyDeferred(i int) {
	if !s.at(i - 1).is(".") {
		return
	}

	name := s.toks[i].text
	kind, ok := pyDecorators[strings.TrimPrefix(name, "add_")]
	if !ok || s.toks[i].line == s.decorated || !s.closes(s.close(i+1)-1) {
		return // pyDecorated reads a decorator
	}

	args := s.parts(i + 1)
	options := args
	if next := s.close(i + 1); s.at(next).is("(") && !strings.HasPrefix(name, "add_") {
		args = s.parts(next)
	} else if len(args) > 0 {
		options = args[1:]
	}

	if len(args) == 0 || s.at(args[0].from).kind != word || args[0].to != args[0].from+1 {
		return
	}

	f := s.at(args[0].from)
	if at, ok := s.functions[f.text]; ok {
		s.pyFunction(at, kind, s.toks[i].line, options)
	} else if strings.HasPrefix(name, "add_") || len(options) > 0 || s.at(s.close(i+1)).is("(") {
		deferred := &Deferred{Definition{Kind: kind, Line: f.line}, f.text}
		s.pyOptions(&deferred.Definition, options)
		s.found.Problems = append(s.found.Problems, Problem{f.text, f.line, definedInOtherFile, deferred})
	}
}

// pyFunction reads the function at i, which is registered with args.
func (s *source) pyFunction(i int, kind Kind, line int, args []span) {
	if !s.at(i).is("def") {
		return
	}

	if s.at(i+1).kind != word || !s.at(i+2).is("(") {
		return
	}

	d := Definition{Kind: kind, Name: s.toks[i+1].text, Line: line}
	params := s.parts(i + 2)
	if !s.pyDoc(&d, s.close(i+2)) {
		return
	}

	s.pyOptions(&d, args)
	s.texts(&d, params, "")
	s.found.Definitions = append(s.found.Definitions, d)
}

// pyDoc reads the docstring of a function whose parameters end before i. It reports
// whether it is a function.
func (s *source) pyDoc(d *Definition, i int) bool {
	for i < len(s.toks) && !s.toks[i].is(":") {
		switch t := s.toks[i]; {
		case t.is("def") || t.is("class") || t.is("@"):
			return false
		case t.is("[") || t.is("("):
			i = s.close(i)
		default:
			i++
		}
	}

	if doc := s.at(i + 1); doc.kind == str {
		d.Description, d.DescriptionLine = strings.TrimSpace(doc.text), doc.line
	}

	return true
}

// pyOptions reads the arguments with which a function is registered.
func (s *source) pyOptions(d *Definition, args []span) {
	members := s.members(args, "=")
	name := "name"
	if d.Kind == Resource {
		name = "uri"
	}
	if len(args) > 0 && s.at(args[0].from+1).text != "=" {
		members[name] = args[0]
	}
	s.pyArguments(d, args, members, name)
}

// pyArguments reads the texts of the arguments of a call. name is the argument with the name.
func (s *source) pyArguments(d *Definition, args []span, members map[string]span, name string) {
	s.field(&d.Name, d, members, name, computedName)
	s.field(&d.Title, d, members, "title", computedTitle)
	s.field(&d.Description, d, members, "description", computedDescription)
	s.texts(d, args, "=")
}

// Functions returns the functions of a file of Python that have one of some names, as
// definitions of tools.
func Functions(text string, names map[string]bool) map[string]Definition {
	s := newSource(text, true)
	found := map[string]Definition{}
	for name, i := range s.functions {
		first := i
		if s.at(i - 1).is("async") {
			first--
		}

		if !names[name] || s.at(first).column > 0 {
			continue // a method, or a function in another
		}

		d := Definition{Name: name, Line: s.toks[i].line}
		if s.at(i+2).is("(") && s.pyDoc(&d, s.close(i+2)) {
			s.texts(&d, s.parts(i+2), "")
			found[name] = d
		}
	}

	return found
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
	s.pyArguments(&d, args, members, name)
	s.found.Definitions = append(s.found.Definitions, d)
	return true
}
