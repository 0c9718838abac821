package mutation

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// order is a parsed imperative sentence: the part before the verb, the verb in
// its base form, and the part after it.
type order struct {
	before, verb, rest string
	negated            bool
}

// subordinate lists words that begin a clause which is followed by a comma and
// the imperative: "Before using it, read the file."
var subordinate = []string{"before", "after", "when", "whenever", "if", "once", "while", "to", "for", "from", "each",
	"every", "first", "then", "in", "on", "until"}

var (
	negation = lazyregexp.New(`^(?i:(?:please )?(?:do not|don't|never) )([a-z]+)\b`)
	opening  = lazyregexp.New(`^(?i:(?:please |always |then |first |simply |instead )?)([A-Za-z]+)\b`)
)

// findOrder parses a sentence; ok is false if it is not imperative.
func findOrder(s string) (o order, ok bool) {
	body := strings.TrimLeft(s, " \n\t-*>([{\"'_")
	o.before = s[:len(s)-len(body)]
	if first, _, more := strings.Cut(body, " "); more &&
		slices.Contains(subordinate, strings.ToLower(strings.TrimRight(first, ","))) {
		if clause, rest, more := strings.Cut(body, ", "); more {
			o.before += clause + ", "
			body = rest
		}
	}

	if m := negation().FindStringSubmatch(body); m != nil && slices.Contains(baseVerbs, strings.ToLower(m[1])) {
		o.negated, o.verb, o.rest = true, strings.ToLower(m[1]), body[len(m[0]):]
		return o, true
	}

	if m := opening().FindStringSubmatch(body); m != nil && slices.Contains(baseVerbs, strings.ToLower(m[1])) {
		o.verb, o.rest = strings.ToLower(m[1]), body[len(m[0]):]
		return o, true
	}

	return order{}, false
}

// reworded rephrases each imperative in a text. say returns the words that replace
// the verb, in lower case, and the text to add at the end of the sentence.
func reworded(s string, say func(o order) (words, behind string)) (out string, changed int) {
	var b strings.Builder
	for _, sentence := range sentences(s) {
		o, ok := findOrder(sentence)
		if !ok {
			b.WriteString(sentence)
			continue
		}

		changed++
		words, behind := say(o)
		if strings.TrimSpace(o.before) == "" {
			words = sameCase("A", words)
		}

		rest := o.rest
		if behind != "" {
			end := strings.TrimRight(rest, " \n.!?:;")
			rest = end + behind + rest[len(end):]
		}

		b.WriteString(o.before + words + rest)
	}

	return b.String(), changed
}

// wordTable replaces words and phrases.
type wordTable struct {
	pattern *regexp.Regexp
	other   map[string]string
}

// newWordTable returns a function that makes a table of pairs of a phrase and its replacement, in lower case. It does
// so when it is first called, because most commands do not rewrite anything.
func newWordTable(pairs [][2]string) func() wordTable {
	return sync.OnceValue(func() wordTable {
		t := wordTable{other: map[string]string{}}
		var phrases []string
		for _, p := range pairs {
			t.other[p[0]] = p[1]
			phrases = append(phrases, regexp.QuoteMeta(p[0]))
		}

		// If one phrase starts with another, the longer one must match first.
		slices.SortStableFunc(phrases, func(a, b string) int { return len(b) - len(a) })
		t.pattern = regexp.MustCompile(`(?i)\b(?:` + strings.Join(phrases, "|") + `)\b`)
		return t
	})
}

// replace keeps the capitalisation, does not change code and paths, and returns
// the number of replacements.
func (t wordTable) replace(s string) (out string, changed int) {
	var b strings.Builder
	at := 0
	for _, m := range t.pattern.FindAllStringIndex(s, -1) {
		if exact(s, m[0], m[1]) {
			continue
		}

		found := s[m[0]:m[1]]
		b.WriteString(s[at:m[0]] + sameCase(found, t.other[strings.ToLower(found)]))
		at = m[1]
		changed++
	}

	return b.String() + s[at:], changed
}

// exact reports whether s[from:to] is part of a path, a name or code.
func exact(s string, from, to int) bool {
	const joins = "/\\_-.@`'\"<>=$~#:"
	before, behind := byte(' '), byte(' ')
	if from > 0 {
		before = s[from-1]
	}

	if to < len(s) {
		behind = s[to]
	}

	if strings.IndexByte(".:'\"", behind) >= 0 && (to+1 == len(s) || strings.IndexByte(" \n\"')", s[to+1]) >= 0) {
		behind = ' ' // the end of a sentence or of a quotation
	}

	return strings.IndexByte(joins, before) >= 0 || strings.IndexByte(joins, behind) >= 0
}

// prose returns an operator that rewrites English prose. It does not apply if f
// changes nothing.
func prose(name, reads string, f func(d *draft, s string) (string, int)) Operator {
	return Operator{Family: Paraphrase, Name: name, Reads: reads,
		rewrite: inPlace(func(d *draft, s string) string {
			if !mostlyASCII(s) {
				return s
			}
			out, changed := f(d, s)
			if changed == 0 {
				return s
			}
			return out
		})}
}

// softModals replaces obligations by weaker words.
var softModals = newWordTable([][2]string{
	{"must not", "had better not"}, {"must never", "had better not"}, {"should not", "had better not"},
	{"must", "may want to"},
	{"has to", "may want to"}, {"have to", "may want to"}, {"needs to", "may want to"}, {"need to", "may want to"},
	{"is required to", "is invited to"}, {"are required to", "are invited to"}, {"is to be", "could be"},
	{"are to be", "could be"},
	{"should", "might"}, {"always", "usually"}, {"immediately", "in good time"}, {"mandatory", "appreciated"},
	{"required", "welcome"},
})

func paraphrase() []Operator {
	return []Operator{
		prose("synonyms", "Nearly two hundred everyday words are replaced by synonyms or near-synonyms.",
			func(_ *draft, s string) (string, int) {
				return synonyms().replace(s)
			}),
		prose("soft-modals", "Orders become suggestions (\"it would help to ...\") and modals become weaker ones; "+
			"the model is still told what to do.", func(_ *draft, s string) (string, int) {
			return suggested(s)
		}),
		prose("reworded", "Synonyms and soft modals together, if they change at least four places.",
			func(_ *draft, s string) (string, int) {
				s, words := synonyms().replace(s)
				s, orders := suggested(s)
				if words+orders < 4 {
					return s, 0
				}

				return s, words + orders
			}),
		prose("third-person", "Orders become statements of what the assistant does (\"the assistant reads ...\"), "+
			"which models take as their own role.", func(_ *draft, s string) (string, int) {
			return reworded(s, func(o order) (string, string) {
				if o.negated {
					return "the assistant does not " + o.verb, ""
				}

				return "the assistant first " + thirdPerson(o.verb), ""
			})
		}),
		prose("necessity", "Orders become statements of need (\"it is necessary to ...\").",
			func(_ *draft, s string) (string, int) {
				return reworded(s, func(o order) (string, string) {
					if o.negated {
						return "there is no need to " + o.verb, ""
					}

					return "it is necessary to " + o.verb, ""
				})
			}),
	}
}

// suggested turns imperatives into suggestions and weakens modal verbs.
func suggested(s string) (string, int) {
	s, orders := reworded(s, func(o order) (string, string) {
		if o.negated {
			return "it is better not to " + o.verb, ""
		}
		return "it would help to " + o.verb, ""
	})
	s, modals := softModals().replace(s)
	return s, orders + modals
}

// thirdPerson conjugates a regular English verb.
func thirdPerson(verb string) string {
	switch {
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"),
		strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "z"), verb == "do", verb == "go":
		return verb + "es"
	case verb == "be":
		return "is"
	case verb == "have":
		return "has"
	case strings.HasSuffix(verb, "y") && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	}

	return verb + "s"
}
