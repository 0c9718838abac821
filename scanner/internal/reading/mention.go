package reading

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Which other tool a sentence mentions, and whose it is.

const (
	ownerSelf = iota
	ownerOther
	ownerUnknown
)

// mentions says whose tool the sentence names: a name in the registry, an
// identifier that is not this tool, one of its parameters or a sibling, or "the
// email tool".
func (x *passage) mentions() token.Names {
	found := token.NamesNone
	named := x.reg != nil && x.findWord(0, len(x.toks), "named", "called", "server", "entry", "connector") >= 0
	for i := range x.toks {
		t := x.toks[i]
		if x.reg != nil && t.Flags&token.Ident == 0 && x.namesKnown(i, named) {
			return token.NamesOther
		}

		if t.Flags&token.Ident != 0 &&
			(i == 0 || x.toks[i-1].Flags&token.Ident == 0 || x.toks[i].Flags&token.Break != 0 || x.gap(i)) {
			name := x.identifier(i)
			if !strings.ContainsAny(name, "_") && !isCamelCase(name) {
				continue
			}

			switch x.ownerOf(name) {
			case ownerOther:
				return token.NamesOther
			case ownerUnknown:
				if x.actionName(i) {
					found = token.NamesStranger
				}
			}

			continue
		}

		if x.describesTool(i) {
			found = token.NamesStranger
		}
	}

	return found
}

// namesKnown reports whether token i names a tool or a server of the registry:
// a quoted name, a name like get-weather, or a server's name before "server" or "tool". named means that
// the sentence has words that introduce names.
func (x *passage) namesKnown(i int, named bool) bool {
	if name := x.kebab(i); name != "" && x.ownerOf(name) == ownerOther {
		return true
	}
	if x.toks[i].Flags&(token.Quote|token.Code) != 0 && x.ownerOf(x.word(i)) == ownerOther {
		return true
	}
	if i+1 < len(x.toks) && x.toks[i+1].Means.Any(concept.Tool) && x.toks[i+1].Form == lexicon.OtherForm &&
		x.otherServer(x.word(i)) {
		return true
	}
	return named && x.isWord(i-1, "named", "called", "server", "entry", "connector") && x.otherServer(x.word(i))
}

// describesTool reports whether token i ends a description of another tool:
// "the email tool", "the secrets tool".
func (x *passage) describesTool(i int) bool {
	t := x.toks[i]
	if !t.Means.Any(concept.Tool) || t.Form != lexicon.OtherForm || i == 0 ||
		!x.isWord(i, "tool", "tools", "server", "plugin", "connector", "integration") {
		return false
	}

	p := x.toks[i-1]
	if p.Means.Any(concept.This) || p.Means.Any(concept.Sub) || p.Flags&token.Break != 0 && i == 1 ||
		t.Flags&token.Break != 0 || p.Flags&token.Ident != 0 {
		return false
	}

	if x.ownerOf(x.identifier(i-1)) == ownerSelf {
		return false // a sibling, by its name
	}

	if x.isWord(i+1, "call", "calls", "use", "usage", "name", "names", "result", "results", "output", "outputs") {
		return false
	}

	return !x.isWord(i-1, "the", "a", "an", "of", "our", "each", "any", "every", "other", "all", "mcp", "external",
		"right", "same", "appropriate", "correct", "no", "which", "available", "and", "or", "first", "with",
		"following", "analysis", "from", "by", "to", "in", "use", "using", "call", "proxy", "api", "your", "only",
		"remote", "local", "specific", "multiple", "best", "single", "new", "main", "primary", "two", "these", "those",
		"one", "deprecated", "related", "older", "newer", "language", "database", "web", "http", "upstream")
}

// otherServer reports whether a word names another server of the registry.
func (x *passage) otherServer(word string) bool {
	if len(word) < 2 || strings.EqualFold(word, x.v.Server) {
		return false
	}
	var buf [64]byte
	return x.reg.HasServer(char.LowerASCII(buf[:0], word))
}

// gap reports whether white space precedes token i.
func (x *passage) gap(i int) bool {
	at := x.toks[i].Start
	return at == 0 || x.doc.Text[at-1] == ' ' || x.doc.Text[at-1] == '\n' || x.doc.Text[at-1] == '`' ||
		x.doc.Text[at-1] == '\''
}

// maxIdentifier bounds an identifier on either side of a word, so that the cost
// of an endless chain is linear.
const maxIdentifier = 128

// identifier returns the whole snake_case or camelCase word at token i.
func (x *passage) identifier(i int) string {
	s := x.doc.Text
	start := int(x.toks[i].Start)
	end := start
	from, to := max(0, start-maxIdentifier), min(len(s), end+maxIdentifier)
	for end < to && (char.IsWord(s[end]) || s[end] == '_' || s[end] == '-' && end+1 < len(s) && char.IsWord(s[end+1])) {
		end++
	}

	for start > from && (char.IsWord(s[start-1]) || s[start-1] == '_' || s[start-1] == '-' && start-1 > from &&
		char.IsWord(s[start-2])) {
		start--
	}

	return s[start:end]
}

// kebab returns the whole name whose first word is token i if the name is like
// get-weather, and "" otherwise.
func (x *passage) kebab(i int) string {
	t, s := &x.toks[i], x.doc.Text
	if t.Flags&token.Ident != 0 || int(t.End)+1 >= len(s) || s[t.End] != '-' || !char.IsWord(s[t.End+1]) ||
		t.Start > 0 && strings.IndexByte("-_./", s[t.Start-1]) >= 0 {
		return ""
	}
	return x.identifier(i)
}

func isCamelCase(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' && s[i-1] >= 'a' && s[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// maxNamed bounds the fields in which a name is looked up: in a schema of thousands of
// parameters, not each has a sentence.
const maxNamed = 512

// ownerOf returns the server of the tool with a name. This server's own
// siblings take precedence over tools of the same name elsewhere.
func (x *passage) ownerOf(name string) int {
	if strings.EqualFold(name, x.v.Name) {
		return ownerSelf
	}

	for i := range min(len(x.v.Fields), maxNamed) {
		if f := &x.v.Fields[i]; f.Kind == tool.KindParamName && f.Text == name {
			return ownerSelf
		}
	}

	if x.reg == nil {
		return ownerUnknown
	}

	if len(x.reg.ByName[name]) == 0 && isUpperCase(name) {
		name = strings.ToLower(name)
	}

	if x.reg.Meant(x.v.Server, x.v.Name, name) != nil {
		return ownerSelf
	}

	tools := x.reg.ByName[name]
	if len(tools) == 0 {
		return ownerUnknown
	}

	// The second version of a server speaks of the tools of the first, and the user
	// named both.
	for _, t := range tools {
		if !tool.SameProduct(t.Server, x.v.Server) {
			return ownerOther
		}
	}

	return ownerSelf
}

// sameFamily reports whether a name shares its last word with this tool's name, like
// names of one server: edit_file and write_file.
func (x *passage) sameFamily(name string) bool {
	i, j := strings.LastIndexByte(name, '_'), strings.LastIndexByte(x.v.Name, '_')
	return i > 0 && j > 0 && len(name)-i > 4 &&
		strings.EqualFold(strings.TrimSuffix(name[i:], "s"), strings.TrimSuffix(x.v.Name[j:], "s"))
}

// isUpperCase reports whether a name has no lower-case letter.
func isUpperCase(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c >= 'a' && c <= 'z' {
			return false
		} else if c >= 0x80 {
			return name == strings.ToUpper(name)
		}
	}
	return true
}

// actionName reports whether the identifier at i begins with a verb, like names
// of tools and unlike names of fields.
func (x *passage) actionName(i int) bool {
	return x.toks[i].Form == lexicon.BaseForm ||
		x.toks[i].Means.Any(concept.Send|concept.Read|concept.Call|concept.Destroy|concept.Change|concept.Pay)
}
