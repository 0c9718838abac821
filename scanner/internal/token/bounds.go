package token

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/command"
)

// Ends of sentences and quotations.

// bound ends a sentence that has grown too long, before the word at start.
func (z *Tokenizer) bound(start int) {
	if n := len(z.tokens) - z.senTok; n >= MaxSentence || n >= longSentence && z.pending&Break != 0 {
		z.endSentence(start)
	}
}

// newline ends a sentence, unless the line is only wrapped.
func (z *Tokenizer) newline(i int) int {
	s := z.s
	z.endClause(i + 1)
	j := i + 1
	for j < len(s) && charClasses[s[j]] == ccSpace {
		j++
	}
	if j >= len(s) || charClasses[s[j]] != ccLower && !wrapped(s, i, j) || isCall(s[j:]) && isComment(s, i) {
		z.endSentence(i)
	}
	return j
}

// isCall reports whether a line begins with a name and directly after it with a bracket, an assignment or a member:
// a line of code, which does not go on with the sentence of the comment before it.
func isCall(line string) bool {
	n := 0
	for n < len(line) && (charClasses[line[n]] == ccLower || charClasses[line[n]] == ccUpper ||
		charClasses[line[n]] == ccDigit || line[n] == '_' ||
		line[n] == '.' && n+1 < len(line) && charClasses[line[n+1]] == ccLower) {
		n++
	}
	return n > 0 && n < len(line) && strings.IndexByte("([{=", line[n]) >= 0
}

// isComment reports whether the line that ends at i is a comment of code, or a heading.
func isComment(s string, i int) bool {
	line := strings.TrimLeft(s[strings.LastIndexByte(s[:i], '\n')+1:i], " \t>*")
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "--")
}

// fullLine is the number of bytes from which a line may be wrapped before a capital or a
// quotation.
const fullLine = 50

// wrapped reports whether the line that ends at i goes on at next, although that is no
// lower-case letter: the line is long, and ends within a clause.
func wrapped(s string, i, next int) bool {
	for i > 0 && charClasses[s[i-1]] == ccSpace {
		i--
	}
	if i < fullLine || strings.IndexByte(s[i-fullLine:i], '\n') >= 0 {
		return false
	}
	end, begin := charClasses[s[i-1]], charClasses[s[next]]
	return (end == ccLower || end == ccUpper || end == ccDigit || s[i-1] == ',') &&
		(begin == ccUpper || begin == ccQuote || begin == ccDigit && next+1 < len(s) && s[next+1] != '.' ||
			s[next] == '~' || s[next] == '/')
}

// stop ends a sentence at . ! ? if white space or a closing mark follows.
func (z *Tokenizer) stop(i int) int {
	s := z.s
	j := i + 1
	for j < len(s) && charClasses[s[j]] == ccStop {
		j++
	}

	if j >= len(s) {
		z.endSentence(j)
		return j
	}

	if s[j] == ' ' {
		z.endClause(j + 1)
	}

	switch k := charClasses[s[j]]; {
	case k == ccSpace || k == ccNewline || k == ccQuote || k == ccBeyond || s[j] == '\'' || s[j] == ')' ||
		s[j] == '<' || s[j] == '*' || s[j] == ']':
		// "e.g. this" continues the sentence. The number of a list's item is no part of
		// it, but "in base 2. Read" ends one.
		if n := len(z.tokens); n > z.senTok && i > 0 && s[i] == '.' && k == ccSpace {
			last := z.tokens[n-1]
			if last.End == uint32(i) && last.End-last.Start == 1 {
				switch digit := charClasses[s[last.Start]] == ccDigit; {
				case digit && n-1 == z.senTok:
					z.senTok, z.senStart = n, j
					return j
				case !digit && j+1 < len(s) &&
					(charClasses[s[j+1]] == ccLower || charClasses[s[j+1]] == ccQuote && s[last.Start] == 'g'):
					return j
				}
			}
		}

		if k == ccQuote {
			z.quote(s[j])
			j++
		}

		z.endSentence(j)
	default:
		// A full stop inside a name, a mark inside a URL.
	}

	return j
}

func (z *Tokenizer) breakMark(i int) int {
	s := z.s
	z.pending |= Break
	switch c := s[i]; c {
	case ';', '|':
		z.endSentence(i)
	case '<', '[':
		if c == '<' || i+1 < len(s) && charClasses[s[i+1]] == ccUpper || i+1 < len(s) && s[i+1] == '/' {
			z.endSentence(i)
			z.pending |= Tag
		}

		if i+1 < len(s) && (s[i+1] == '/' || s[i+1] == '|' || s[i+1] == '!') {
			if s[i+1] == '!' && i+2 < len(s) && s[i+2] == ' ' {
				z.endClause(i + 3)
			} else if command.Opens(s, i+1) {
				z.stats.Command = true
			}

			return i + 2
		}
	case '>':
		z.endSentence(i + 1)
	}

	return i + 1
}

// lowQuote stands for „, which “ and ” close.
const lowQuote = ','

// quote opens or closes a quotation. Only a closed quotation marks its words.
func (z *Tokenizer) quote(mark byte) {
	switch z.open {
	case 0:
		z.open, z.openAt = mark, len(z.tokens)
		z.pending |= Break
	case mark:
		flag := Quote
		if mark == '`' {
			flag = Code
		}

		for k := z.openAt; k < len(z.tokens); k++ {
			z.tokens[k].Flags |= flag
		}

		z.open = 0
	}
}

// apostrophe handles ' as a quotation mark: it opens after a space and closes
// before something that is not a letter.
func (z *Tokenizer) apostrophe(i int) {
	s := z.s
	if z.open == 0 && (i == 0 || charClasses[s[i-1]] == ccSpace || s[i-1] == '(' || s[i-1] == '[' || s[i-1] == ',' ||
		s[i-1] == ':') {
		z.quote('\'')
	} else if z.open == '\'' && (i+1 >= len(s) || charClasses[s[i+1]] != ccLower) {
		z.quote('\'')
	}
}

func (z *Tokenizer) endSentence(at int) {
	if z.unknown > z.stats.Longest {
		z.stats.Longest = z.unknown
	}

	if n := len(z.tokens); n > z.senTok {
		if len(z.sentences) == cap(z.sentences) {
			z.sentences = slices.Grow(z.sentences, len(z.sentences)+1) // append would copy more often
		}

		z.sentences = append(z.sentences, Sentence{Tok0: z.senTok, Tok1: n,
			Start: uint32(z.senStart), End: uint32(at), First: z.first})
		z.first = false
		z.senTok = n
		if z.open != 0 && n-z.openAt > 120 {
			z.open = 0 // an unclosed mark is an apostrophe or an inch sign
		}
	}

	if z.first && z.senStart < at && strings.TrimSpace(z.s[z.senStart:at]) != "" {
		z.first = false // a sentence without a known word also counts
	}

	z.senStart = at
}
