package source

import "strings"

// servers are the constructors of servers, whose options hold the instructions.
var servers = map[string]bool{"McpServer": true, "MCPServer": true, "FastMCP": true, "Server": true}

// instructions reads the instructions among the arguments of the constructor at i.
// separator is what follows the name of an option.
func (s *source) instructions(i int, separator string) {
	if !s.closes(s.close(i+1) - 1) {
		return
	}

	args := s.parts(i + 1)
	lists := [][]span{args}
	if !s.python {
		lists = nil
		for _, a := range args {
			if s.at(a.from).is("{") {
				lists = append(lists, s.parts(a.from))
			}
		}
	}

	for _, list := range lists {
		p, ok := s.members(list, separator)["instructions"]
		if !ok || s.at(p.from).is("None") {
			continue
		}

		d := Definition{Kind: Instructions, Line: s.at(p.from).line}
		d.DescriptionLine = s.lineOf(p)
		if d.Description, ok = s.evaluateSpan(p); !ok {
			s.found.problem("(instructions)", d.Line, computedInstructions)
		}

		if d.Description != "" {
			s.found.Definitions = append(s.found.Definitions, d)
		}
	}
}

// declare notes what the constants and classes of the file are: a schema, the options of
// a tool, or a function.
func (s *source) declare() {
	s.declared = map[string]span{}
	for i := range s.toks {
		name := s.at(i + 1)
		switch t := s.toks[i]; {
		case t.kind != word || name.kind != word:
		case !s.python && (t.is("const") || t.is("let") || t.is("var")):
			value := i + 2
			for value < i+12 && value < len(s.toks) && !s.toks[value].is("=") {
				value++
			}

			if s.at(value).is("=") {
				s.declared[name.text] = span{value + 1, s.statement(value + 1)}
			}
		case s.python && t.is("class"):
			end := i + 2
			for end < len(s.toks) && (s.toks[end].line == t.line || s.toks[end].column > t.column) {
				end++
			}

			s.declared[name.text] = span{i + 2, end}
		case s.python && t.is("def"):
			s.functions[name.text] = i
		}
	}
}

// statement returns the end of the expression at i: a semicolon, or a word on a new line
// that no operator joins.
func (s *source) statement(i int) int {
	for k := i; k < len(s.toks); {
		t := s.toks[k]
		switch {
		case t.is(";") || t.is(")") || t.is("]") || t.is("}"):
			return k
		case k > i && t.kind == word && t.line > s.toks[k-1].line && !s.toks[k-1].is("."):
			return k
		case t.is("(") || t.is("[") || t.is("{"):
			k = s.close(k)
		default:
			k++
		}
	}

	return len(s.toks)
}

// maxDeclared bounds the declarations that lead to a text.
const maxDeclared = 4

// declaredTexts adds the literals of the schemas that a span names.
func (s *source) declaredTexts(d *Definition, p span, depth int) {
	for k := p.from; k < p.to && depth < maxDeclared && len(d.Texts) < maxTexts; k++ {
		t := s.toks[k]
		of, ok := s.declared[t.text]
		if t.kind != word || !ok || s.at(k-1).is(".") || of.from <= k && k < of.to || s.isFunction(of) {
			continue
		}

		for i := of.from; i < of.to && len(d.Texts) < maxTexts; i++ {
			if t := s.toks[i]; t.kind == str && strings.TrimSpace(t.text) != "" {
				d.Texts = append(d.Texts, Text{t.text, t.line})
			}
		}

		s.declaredTexts(d, of, depth+1)
	}
}

// maxTexts bounds the further texts of a definition.
const maxTexts = 10_000
