package validation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/contracts"
	"golang.org/x/text/unicode/norm"
)

// naming is how a query refers to the tool that it should find. A query should
// be a paraphrased intent: if it names the tool, any index finds the tool and
// the figure has no meaning. Words are compared without regard to case and in
// compatibility form (NFKC), so that full-width letters equal plain ones. The
// rules are:
//
//   - A name of several words (create_issue, createIssue, create-issue) is named
//     by these words in sequence, and by the name written as one word. It is only
//     a warning if the words are written as a proper name in running text, each
//     word capitalised and separated by spaces or hyphens ("Cloudflare Radar",
//     "Tic-Tac-Toe"): users mean the product or the game, and have no other word
//     for it. A name that begins with a verb ("Create Issue") is an instruction
//     and not a proper name.
//   - A name of one word with seven letters or more is named wherever the word
//     occurs. A shorter one (search, read, time) is an everyday word. It is named
//     only if it is quoted, if it is next to "tool" or "function", or if it
//     follows the server's name ("server:tool").
type naming int

const (
	notNamed naming = iota
	properName
	named
)

// everydayLetters is the length up to which a name of one word counts as an
// everyday word.
const everydayLetters = 6

// word is a run of letters and digits in a text; start and end are byte offsets.
type word struct {
	lower      string
	start, end int
}

// NamesTool reports whether a query names a tool, so that a golden set in which
// the tool is right may not have the query.
func NamesTool(query string, tool *contracts.Tool) bool {
	return names(query, tool.Server, tool.Tool) == named
}

// names reports whether query names the given tool of the server.
func names(query, server, tool string) naming {
	query, server, tool = norm.NFKC.String(query), norm.NFKC.String(server), norm.NFKC.String(tool)
	name := nameWords(tool)
	if len(name) == 0 {
		return notNamed
	}

	text := textWords(query)
	if len(name) == 1 {
		return namesWord(query, text, server, name[0])
	}

	joined := strings.Join(name, "")
	found := notNamed
	for i, w := range text {
		if w.lower == joined {
			return named
		}

		if !hasRow(text[i:], name) {
			continue
		}

		row := text[i : i+len(name)]
		if query[row[0].start:row[len(row)-1].end] == tool || !isProperName(query, row) ||
			slices.Contains(verbs, name[0]) {
			return named
		}

		found = properName
	}

	return found
}

func hasRow(text []word, name []string) bool {
	if len(text) < len(name) {
		return false
	}
	for i, n := range name {
		if text[i].lower != n {
			return false
		}
	}
	return true
}

// isProperName reports whether each word of row is capitalised, not all letters
// are capitals, and the words are separated by a single space or hyphen.
func isProperName(query string, row []word) bool {
	for i, w := range row {
		first, size := utf8.DecodeRuneInString(query[w.start:w.end])
		rest := query[w.start+size : w.end]
		if !unicode.IsUpper(first) || rest == "" || rest != strings.ToLower(rest) {
			return false
		}

		if i > 0 {
			if between := query[row[i-1].end:w.start]; between != " " && between != "-" {
				return false
			}
		}
	}

	return true
}

// verbs are the words that start tool names which describe an action.
var verbs = []string{
	"add", "apply", "book", "cancel", "check", "close", "convert", "copy", "create", "delete", "deploy",
	"describe", "download", "edit", "export", "fetch", "find", "generate", "get", "import", "insert",
	"list", "make", "merge", "move", "open", "post", "put", "query", "read", "remove", "rename", "reply",
	"restart", "restore", "run", "save", "schedule", "search", "send", "set", "share", "show", "start",
	"stop", "submit", "summarize", "transfer", "translate", "trigger", "update", "upload", "upsert",
	"validate", "view", "write",
}

func namesWord(query string, text []word, server, name string) naming {
	for i, w := range text {
		if w.lower != name {
			continue
		}
		if utf8.RuneCountInString(name) > everydayLetters || isQuoted(query[:w.start], query[w.end:]) ||
			i+1 < len(text) && isToolWord(text[i+1].lower) || i > 0 && isToolWord(text[i-1].lower) ||
			strings.HasSuffix(strings.ToLower(query[:w.start]), strings.ToLower(server)+":") {
			return named
		}
	}
	return notNamed
}

func isToolWord(w string) bool { return w == "tool" || w == "function" }

// isQuoted reports whether a word is directly enclosed in quotation marks.
func isQuoted(before, after string) bool {
	open, _ := utf8.DecodeLastRuneInString(before)
	shut, _ := utf8.DecodeRuneInString(after)
	return strings.ContainsRune("\"'`“‘«", open) && strings.ContainsRune("\"'`”’»", shut)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// textWords splits running text into words. Unlike internal/base/tokenize, it returns
// where each word is, because the rules of naming look at the quotation marks and
// capitals around a word, and it does not split camel case.
func textWords(s string) []word {
	var words []word
	start := -1
	for i, r := range s {
		switch {
		case isWordRune(r) && start < 0:
			start = i
		case !isWordRune(r) && start >= 0:
			words = append(words, word{strings.ToLower(s[start:i]), start, i})
			start = -1
		}
	}

	if start >= 0 {
		words = append(words, word{strings.ToLower(s[start:]), start, len(s)})
	}

	return words
}

// nameWords splits an identifier into words: at characters that are neither
// letters nor digits, before a capital that follows a small letter or a digit,
// and before the last capital of a run (PDFExporter: pdf, exporter).
func nameWords(name string) []string {
	var words []string
	for _, part := range textWords(name) {
		runes := []rune(name[part.start:part.end])
		start := 0
		for i := 1; i < len(runes); i++ {
			boundary := unicode.IsUpper(runes[i]) &&
				(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
			if boundary {
				words = append(words, strings.ToLower(string(runes[start:i])))
				start = i
			}
		}

		words = append(words, strings.ToLower(string(runes[start:])))
	}

	return words
}
