package source

import "strings"

// tsCalls are the methods that register something under a name. Other libraries have
// methods of the short names too, so these count only with a name that is a literal.
var tsCalls = map[string]struct {
	kind  Kind
	short bool
}{
	"registerTool": {Tool, false}, "registerPrompt": {Prompt, false}, "registerResource": {Resource, false},
	"tool": {Tool, true}, "prompt": {Prompt, true}, "resource": {Resource, true},
	"addTool": {Tool, false}, "addPrompt": {Prompt, false}, "addResource": {Resource, false},
}

// findTypeScript finds calls such as server.registerTool("name", {description: "..."}),
// and object literals with a name and a schema, as lists of tools have.
func findTypeScript(text string) (*Found, error) {
	s := newSource(text, false)
	for i := 0; i < len(s.toks); i++ {
		call, ok := tsCalls[s.toks[i].text]
		switch {
		case ok && s.toks[i].kind == word && s.at(i-1).is(".") && s.at(i+1).is("("):
			if s.tsCall(i, call.kind, call.short) {
				i = s.close(i+1) - 1
			}
		case servers[s.toks[i].text] && s.at(i-1).is("new") && s.at(i+1).is("("):
			s.instructions(i, ":")
		case s.toks[i].is("class"):
			s.tsClass(i)
		case s.toks[i].is("{"):
			if s.tsObject(i) {
				i = s.close(i) - 1
			}
		}
	}

	return s.found, nil
}

// tsCall reads a call, and reports whether it is a definition.
func (s *source) tsCall(i int, kind Kind, short bool) bool {
	args := s.parts(i + 1)
	if len(args) == 0 {
		return false
	}

	if s.at(args[0].from).is("{") { // addTool({name: ...})
		return s.tsDefinition(args[0].from, kind)
	}

	d := Definition{Kind: kind, Line: s.toks[i].line}
	var ok bool
	if d.Name, ok = s.evaluateSpan(args[0]); !ok {
		if short || len(args) < 2 {
			return false
		}

		s.found.problem("", d.Line, computedName)
	}

	if len(args) == 1 {
		return false // it fetches a tool
	}

	for k, arg := range args[1:] {
		if !short {
			arg = s.resolved(arg)
		}

		first := s.at(arg.from)
		switch {
		case s.isFunction(arg):
		case first.is("{"):
			members := s.members(s.parts(arg.from), ":")
			if !short {
				s.labels(&d, members)
			}

			s.texts(&d, s.parts(arg.from), memberSeparator(short))
		case k == 0 && kind == Resource:
			d.Texts = append(d.Texts, Text{d.Name, s.at(args[0].from).line})
			if d.Name, ok = s.evaluateSpan(arg); !ok {
				d.Name, d.Texts = d.Texts[0].Text, nil
				s.texts(&d, []span{arg}, "")
			}
		case k == 0 && (first.kind == str || s.known(arg)):
			d.DescriptionLine = s.lineOf(arg)
			if d.Description, ok = s.evaluateSpan(arg); !ok {
				s.found.problem(d.Name, first.line, computedDescription)
				s.literals(&d, arg)
			}
		case k == 0 && kind == Tool && len(args) > 2 && s.unreadable(arg, short) != "":
			s.found.problem(d.Name, first.line, s.unreadable(arg, short))
			s.literals(&d, arg)
		default:
			s.texts(&d, []span{arg}, "")
		}
	}

	s.found.Definitions = append(s.found.Definitions, d)
	return true
}

// memberSeparator is that of the options of a call. The object of a short call holds the
// parameters, of which one may be called name.
func memberSeparator(short bool) string {
	if short {
		return ""
	}
	return ":"
}

// resolved returns the object that a span names, or the span.
func (s *source) resolved(arg span) span {
	if of, ok := s.declared[s.at(arg.from).text]; ok && arg.to == arg.from+1 && s.at(of.from).is("{") {
		return of
	}
	return arg
}

// unreadable says why an argument that should describe a tool cannot be read, or "".
func (s *source) unreadable(arg span, short bool) string {
	switch first := s.at(arg.from); {
	case first.kind != word:
		return ""
	case arg.to == arg.from+1 && !s.has(first.text):
		return definedInOtherFile
	case short && arg.to > arg.from+1:
		return computedDescription
	}
	return ""
}

// has reports whether the file declares a name as something that is read.
func (s *source) has(name string) bool {
	of, ok := s.declared[name]
	return ok && of.to > of.from
}

// known reports whether a span is a constant of the file.
func (s *source) known(p span) bool {
	_, ok := s.consts[s.path(p.from, min(p.to, len(s.toks)))]
	return ok
}

// tsObject reads an object literal if it has what a list of tools or prompts has.
func (s *source) tsObject(i int) bool {
	if !s.at(i+1).is("name") && s.at(i+1).kind == sign {
		return false
	}

	members := s.members(s.parts(i), ":")
	schema := s.hasSchema(members)
	if _, named := members["name"]; !named {
		return schema && s.tsKeyed(i, members)
	}

	if schema {
		return s.tsDefinition(i, Tool)
	}

	if p, ok := members["arguments"]; ok && s.at(p.from).is("[") {
		return s.tsDefinition(i, Prompt)
	}

	return false
}

// hasSchema reports whether an object has the schema of a tool's parameters. A list is none.
func (s *source) hasSchema(members map[string]span) bool {
	for _, key := range []string{"inputSchema", "parameters", "input_schema"} {
		if p, ok := members[key]; ok && !s.at(p.from).is("[") {
			return true
		}
	}
	return false
}

// tsKeyed reads an object literal that is the value of a member, or the argument of a function
// that is: { add: {description, parameters} } and { add: tool({...}) } name the tool by the
// member. It reports whether it is one.
func (s *source) tsKeyed(i int, members map[string]span) bool {
	key := i - 2
	if s.at(i-1).is("(") && s.at(i-2).kind == word {
		key = i - 4
	}

	p, described := members["description"]
	if !described || key < 0 || !s.at(key+1).is(":") || !toolName.MatchString(s.at(key).text) {
		return false
	}

	of := s.at(i - 2).text // the function
	if text, ok := s.evaluateSpan(p); ok && !strings.Contains(text, " ") || !ok &&
		!(key == i-4 && strings.HasSuffix(strings.ToLower(of), "tool")) {
		return false
	}

	d := Definition{Kind: Tool, Name: s.at(key).text, Line: s.at(key).line}
	s.labels(&d, members)
	s.texts(&d, s.parts(i), ":")
	s.found.Definitions = append(s.found.Definitions, d)
	return true
}

// tsClass reads a class that extends one of tools, and has the name and the description of a
// tool as fields.
func (s *source) tsClass(i int) {
	line, body, ofTools := s.toks[i].line, i+1, false
	for body < len(s.toks) && !s.toks[body].is("{") && body < i+maxHeading {
		ofTools = ofTools || s.at(body).kind == word && strings.Contains(s.at(body).text, "Tool") && body > i+1
		body++
	}

	if !ofTools || !s.at(body).is("{") {
		return
	}

	fields := map[string]span{}
	for k := body + 1; k < s.close(body)-1; k++ {
		switch t := s.toks[k]; {
		case t.is("(") || t.is("[") || t.is("{"):
			k = s.close(k) - 1
		case t.kind == word && s.at(k+1).is("=") && !s.at(k+2).is("="):
			fields[t.text] = span{k + 2, s.statement(k + 2)}
		}
	}

	name, ok := fields["toolName"]
	if !ok {
		name, ok = fields["name"]
	}

	if _, described := fields["description"]; !ok || !described {
		return
	}

	fields["name"] = name
	d := Definition{Kind: Tool, Line: line}
	s.field(&d.Name, &d, fields, "name", computedName)
	s.labels(&d, fields)
	for _, key := range []string{"argsShape", "inputSchema", "parameters"} {
		if p, ok := fields[key]; ok {
			s.texts(&d, []span{p}, "")
		}
	}

	s.found.Definitions = append(s.found.Definitions, d)
}

// maxHeading bounds the words between a class and its body.
const maxHeading = 40

// tsDefinition reads an object literal that is a definition.
func (s *source) tsDefinition(i int, kind Kind) bool {
	d := Definition{Kind: kind, Line: s.toks[i].line}
	parts := s.parts(i)
	members := s.members(parts, ":")
	name := "name"
	if _, ok := members["uri"]; ok && kind == Resource {
		name = "uri"
	}

	if _, ok := members[name]; !ok {
		return false
	}

	s.field(&d.Name, &d, members, name, computedName)
	s.labels(&d, members)
	s.texts(&d, parts, ":")
	s.found.Definitions = append(s.found.Definitions, d)
	return true
}

// labels reads the description and the title of a definition.
func (s *source) labels(d *Definition, members map[string]span) {
	s.field(&d.Description, d, members, "description", computedDescription)
	s.field(&d.Title, d, members, "title", computedTitle)
}
