package source

import (
	"maps"
	"slices"
	"strings"
)

// source is a file of Python or TypeScript.
type source struct {
	toks   []lexeme
	python bool
	consts map[string]string
	// constLines are the lines of the values of the constants.
	constLines map[string]int
	declared   map[string]span // constants and classes
	functions  map[string]int  // of Python
	decorated  int             // the line of the last decorator
	found      *Found
	ends       []int // of each opening bracket: behind the one that closes it
	starts     []int // of each token: the next that begins a function or a class
}

// maxText bounds the length of a text in bytes. Constants can double it with each line.
const maxText = 1 << 20

func newSource(text string, python bool) *source {
	s := &source{toks: lex(text, python), python: python, consts: map[string]string{}, constLines: map[string]int{},
		found: &Found{}, functions: map[string]int{}}
	s.match()
	s.declare()
	for i := range s.toks {
		name, value := i, i+2
		if !python {
			if t := s.toks[i]; !t.is("const") && !t.is("let") && !t.is("var") {
				continue
			}

			name, value = i+1, i+3
			if s.at(i + 2).is(":") { // and its type
				for value < len(s.toks) && !s.toks[value-1].is("=") && value < i+8 {
					value++
				}
			}
		} else if s.toks[i].column > 0 {
			continue
		}

		if s.at(name).kind != word || !s.at(value-1).is("=") || s.at(value).is("=") {
			continue
		}

		s.constant(s.toks[name].text, value)
	}

	s.enumerations()
	return s
}

// constant notes the text at a position as that of a name.
func (s *source) constant(name string, value int) {
	if text, _, ok := s.text(value, 0); ok {
		s.consts[name] = text
		s.constLines[name] = s.at(value).line
	}
}

// enumerations notes the members of enumerations, of classes of Python and of objects of
// TypeScript, as Name.member.
func (s *source) enumerations() {
	for _, name := range slices.Sorted(maps.Keys(s.declared)) {
		of := s.declared[name]
		switch {
		case !s.python && s.at(of.from).is("{"):
			s.memberConstants(name, of.from, ":")
		case s.python:
			for i := of.from; i < of.to; i++ {
				if s.toks[i].kind == word && s.at(i+1).is("=") && !s.at(i+2).is("=") &&
					s.toks[i].line > s.at(i-1).line {
					s.constant(name+"."+s.toks[i].text, i+2)
				}
			}
		}
	}

	if s.python {
		return
	}

	for i := range s.toks {
		if s.toks[i].is("enum") && s.at(i+1).kind == word && s.at(i+2).is("{") {
			s.memberConstants(s.toks[i+1].text, i+2, "=")
		}
	}
}

// memberConstants notes the members of the braces at i.
func (s *source) memberConstants(name string, i int, separator string) {
	for member, value := range s.members(s.parts(i), separator) {
		s.constant(name+"."+member, value.from)
	}
}

// at returns a token, or an empty one beyond the end.
func (s *source) at(i int) lexeme {
	if i < 0 || i >= len(s.toks) {
		return lexeme{kind: sign}
	}
	return s.toks[i]
}

// unwrapped are functions that only change the white space of a text.
var unwrapped = []string{"dedent", "cleandoc", "trim", "strip", "trimStart", "trimEnd", "lstrip", "rstrip"}

// text evaluates the expression at i: literals and constants, joined with +. next is
// behind it. If a part is computed, ok is false, and the text lacks it.
func (s *source) text(i, depth int) (text string, next int, ok bool) {
	if depth > maxConstants {
		return "", i, false
	}

	ok = true
	for {
		part, end, known := s.term(i, depth)
		if ok = ok && known; len(text)+len(part) > maxText {
			part, ok = "", false
		}

		text += part
		if i = end; !s.at(i).is("+") {
			break
		}

		i++
	}

	return text, i, ok
}

func (s *source) term(i, depth int) (text string, next int, ok bool) {
	switch t := s.at(i); {
	case t.is("("):
		if text, next, ok = s.text(i+1, depth+1); !s.at(next).is(")") {
			return text, s.close(i), false
		}

		next++
	case t.kind == str:
		for ok, next = true, i; s.at(next).kind == str; next++ {
			if next > i && !s.python {
				break
			}

			text += s.toks[next].text
			ok = ok && !s.toks[next].computed
		}
	case t.kind == word:
		for next = i + 1; s.at(next).is(".") && s.at(next+1).kind == word; {
			next += 2
		}

		name := s.toks[next-1].text
		if s.at(next).is("(") {
			end := s.close(next)
			switch {
			case slices.Contains(unwrapped, name) && end > next+2:
				text, _, ok = s.text(next+1, depth+1)
			case isTranslator(name):
				text, ok = s.translated(next, depth)
			}

			return text, end, ok
		}

		text, ok = s.consts[s.path(i, next)]
	default:
		return "", i, false
	}

	for s.at(next).is(".") && slices.Contains(unwrapped, s.at(next+1).text) && s.at(next+2).is("(") {
		next = s.close(next + 2)
	}

	return text, next, ok
}

// path is the name of the words from i to next: a constant, or a member of an enumeration
// or of an object. An enumeration of Python has its text as the value of a member.
func (s *source) path(i, next int) string {
	if s.python && next > i+3 && s.toks[next-1].is("value") {
		next -= 2
	}
	var b strings.Builder
	for _, t := range s.toks[i:next] {
		b.WriteString(t.text)
	}
	return b.String()
}

// translated evaluates a call of a translator, whose last argument is the text in the
// language of the source.
func (s *source) translated(open, depth int) (text string, ok bool) {
	for _, arg := range s.parts(open) {
		var next int
		if text, next, ok = s.text(arg.from, depth+1); !ok || next < arg.to {
			return "", false
		}
	}
	return text, ok
}

// translators are functions that look up the translation of a text. The text itself is
// what the program says if it has none.
var translators = []string{"t", "T", "_", "tr", "gettext", "translate"}

func isTranslator(name string) bool { return slices.Contains(translators, name) }

// match finds the ends of all brackets, and the starts of functions and classes.
func (s *source) match() {
	s.ends, s.starts = make([]int, len(s.toks)), make([]int, len(s.toks)+1)
	var open []int
	for i := range s.toks {
		s.ends[i] = len(s.toks)
		switch t := s.toks[i]; {
		case t.is("(") || t.is("[") || t.is("{"):
			open = append(open, i)
		case (t.is(")") || t.is("]") || t.is("}")) && len(open) > 0:
			s.ends[open[len(open)-1]] = i + 1
			open = open[:len(open)-1]
		}
	}

	s.starts[len(s.toks)] = len(s.toks)
	for i := len(s.toks) - 1; i >= 0; i-- {
		if s.starts[i] = s.starts[i+1]; s.toks[i].is("def") || s.toks[i].is("class") {
			s.starts[i] = i
		}
	}
}

// close returns the position behind the bracket that closes the one at i.
func (s *source) close(i int) int { return s.ends[i] }

// closes reports whether a token is a closing bracket.
func (s *source) closes(i int) bool {
	t := s.at(i)
	return t.is(")") || t.is("]") || t.is("}")
}

// span is a range of tokens.
type span struct{ from, to int }

// parts splits what is between the bracket at i and the one that closes it at the
// commas.
func (s *source) parts(i int) []span {
	end := min(s.close(i), len(s.toks))
	if end > i+1 && end <= len(s.toks) && s.closes(end-1) {
		end--
	}

	var list []span
	from := i + 1
	for k := from; k < end; {
		t := s.toks[k]
		switch {
		case t.is(","):
			list = append(list, span{from, k})
			k++
			from = k
		case t.is("(") || t.is("[") || t.is("{"):
			k = s.close(k)
		default:
			k++
		}
	}

	if from < end {
		list = append(list, span{from, end})
	}

	return list
}

// members returns the values of the members of an object literal, or of keyword
// arguments, by name.
func (s *source) members(parts []span, separator string) map[string]span {
	m := map[string]span{}
	for _, p := range parts {
		if name := s.at(p.from); name.kind != sign && s.at(p.from+1).is(separator) && p.to > p.from+2 {
			m[name.text] = span{p.from + 2, p.to}
		} else if name.kind == word && p.to == p.from+1 && separator == ":" {
			m[name.text] = p // { description }
		}
	}
	return m
}

// evaluateSpan evaluates all of a span.
func (s *source) evaluateSpan(p span) (text string, ok bool) {
	text, next, ok := s.text(p.from, 0)
	return text, ok && next >= p.to
}

// lineOf returns the line of the literal of a span, which may be that of a constant.
func (s *source) lineOf(p span) int {
	first := s.at(p.from)
	if line := s.constLines[s.path(p.from, min(p.to, len(s.toks)))]; first.kind == word && line > 0 {
		return line
	}
	return first.line
}

// field reads a text of a definition from a member, and lists a problem if it is
// computed.
func (s *source) field(into *string, of *Definition, members map[string]span, name, problem string) {
	p, has := members[name]
	if !has {
		return
	}

	text, ok := s.evaluateSpan(p)
	switch into {
	case &of.Title:
		of.TitleLine = s.lineOf(p)
	case &of.Description:
		of.DescriptionLine = s.lineOf(p)
	}

	if *into = text; !ok {
		s.found.problem(of.Name, s.at(p.from).line, problem)
		s.literals(of, p)
	}
}

// literals adds the literals of an expression that is computed, which the text of the
// expression may lack.
func (s *source) literals(d *Definition, p span) {
	for k := p.from; k < p.to; k++ {
		if t := s.toks[k]; t.kind == str && strings.TrimSpace(t.text) != "" &&
			!strings.Contains(d.Description+d.Title+d.Name, t.text) {
			d.Texts = append(d.Texts, Text{t.text, t.line})
		}
	}
}

// texts adds the other literals of spans to a definition, without the bodies of
// functions. separator is what follows the name of a member, if the spans are members.
func (s *source) texts(d *Definition, spans []span, separator string) {
	for _, p := range spans {
		if s.isFunction(p) || separator != "" && s.at(p.from+1).is(separator) &&
			slices.Contains([]string{"name", "title", "description"}, s.at(p.from).text) && d.Kind != Resource {
			continue
		}

		for k := p.from; k < p.to; k++ {
			if t := s.toks[k]; t.kind == str && strings.TrimSpace(t.text) != "" && t.text != d.Name &&
				t.text != d.Title && t.text != d.Description {
				d.Texts = append(d.Texts, Text{t.text, t.line})
			}
		}

		s.declaredTexts(d, p, 0)
	}
}

// isFunction reports whether a span is, or has as the value of a member, a function.
func (s *source) isFunction(p span) bool {
	for k := p.from; k < p.to; {
		t := s.toks[k]
		switch {
		case t.is("=>") || t.is("function") || t.is("lambda"):
			return true
		case t.is("(") || t.is("[") || t.is("{"):
			k = s.close(k)
		default:
			k++
		}
	}

	return false
}
