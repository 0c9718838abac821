package advice

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// fillers are words of queries and descriptions that do not describe what a
// tool does.
var fillers = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a about all also am an and any are as at be been but by can could did do does for from get give
		had has have how i if in into is it its just let like make may me might must my need no not now of on one only or our
		out please s should show so some such t tell than that the their them then there these they this those to tool up us
		use used user uses using want was we were what when where which who why will with would you your`) {
		set[w] = true
	}
	return set
}()

// keywords returns the words of a text except fillers, each once, in order.
func keywords(text string) []string {
	var found []string
	for _, w := range tokenize.Words(norm.NFKC.String(text)) {
		if !fillers[w] && len(w) > 1 && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	return found
}

// stem removes the most common English endings, so that "cities" and "city", or
// "searching" and "search", count as one word.
func stem(w string) string {
	for _, e := range []struct{ ending, instead string }{{"ies", "y"}, {"ing", ""}, {"sses", "ss"}, {"es", ""},
		{"ed", ""}, {"s", ""}} {
		if strings.HasSuffix(w, e.ending) && len(w) >= len(e.ending)+3 && !strings.HasSuffix(w, "ss") {
			return strings.TrimSuffix(strings.TrimSuffix(w, e.ending)+e.instead, "e")
		}
	}
	return strings.TrimSuffix(w, "e")
}

func stems(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[stem(w)] = true
	}
	return set
}

// common splits list into the words whose stems are in set and the others.
func common(list []string, set map[string]bool) (in, out []string) {
	for _, w := range list {
		if set[stem(w)] {
			in = append(in, w)
		} else {
			out = append(out, w)
		}
	}
	return in, out
}

// toolStems returns the stems of the texts of a tool that a model reads.
func toolStems(t selection.Tool) map[string]bool {
	text := t.Name + " " + t.Description
	for _, p := range parametersOf(t.InputSchema) {
		text += " " + p.name + " " + p.description
	}
	return stems(keywords(text))
}

// sentencesWith returns the sentences of a text that contain one of the words,
// at most three, shortened.
func sentencesWith(text string, words []string) []string {
	set := stems(words)
	var found []string
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?\n;", r) }) {
		if in, _ := common(keywords(sentence), set); len(in) > 0 && len(found) < 3 {
			found = append(found, clip(strings.TrimSpace(sentence), 200))
		}
	}
	return found
}

func clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n]) + "…"
}

// quote formats words as a list in a sentence.
func quote(words []string) string {
	const most = 8
	var quoted []string
	for _, w := range words[:min(len(words), most)] {
		quoted = append(quoted, `"`+w+`"`)
	}
	text := strings.Join(quoted, ", ")
	if len(words) > most {
		text += " and others"
	}
	return text
}
