package reference

import (
	"slices"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stopWords are the English words that say little on their own, as Snowball lists them, without those
// that have an apostrophe: words never returns one.
var stopWords = wordSet(`
	a about above after again against all am an and any are as at be because been before being below
	between both but by cannot could did do does doing down during each few for from further had has
	have having he her here hers herself him himself his how i if in into is it its itself me more most
	my myself no nor not of off on once only or other ought our ours ourselves out over own same she
	should so some such than that the their theirs them themselves then there these they this those
	through to too under until up very was we were what when where which while who whom why with would
	you your yours yourself yourselves`)

// requestWords are words of requests in general. They do not say what is requested.
// They are frequent in requests and rare in descriptions, so their inverse document
// frequency would give them a high weight. They are also dropped from indexed text: a word
// that no query contains only makes documents longer.
var requestWords = wordSet(`
	please help want wants wanted need needs like would could can find give tell show
	look looking get make way using use let know should will also any some something
	hi hello hey thanks thank suggest recommend recommendation tool tools
	s t d m ve re ll`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// analyze returns the terms that a text is searched or indexed by, in its order: lower-case words
// without stopWords and requestWords, stemmed by Snowball's algorithm for English.
func analyze(text string) []string {
	terms := slices.DeleteFunc(words(text), func(w string) bool { return stopWords[w] || requestWords[w] })
	for i, word := range terms {
		env := snowballstem.NewEnv(word)
		english.Stem(env)
		terms[i] = env.Current()
	}
	return terms
}

// Terms returns the distinct terms that a text is searched or indexed by, sorted:
// lower-case words, stemmed, without stopWords and requestWords.
func Terms(text string) []string {
	terms := analyze(text)
	slices.Sort(terms)
	return slices.Compact(terms)
}

// FieldsWith returns the names of the fields in which a tool contains a term. tool is
// the index of the tool.
func (w *Variant) FieldsWith(tool int, term string) []string {
	fields := []string{}
	for field, f := range searchFields {
		if w.text(tool, field).contains(term) {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// ToolsWith returns the number of tools that contain a term in any field.
func (w *Variant) ToolsWith(term string) int {
	if n, known := w.toolsWith[term]; known {
		return n
	}
	tools := map[int]bool{}
	for field := range searchFields {
		w.postings(field, term, func(p posting) { tools[p.tool] = true })
	}
	w.toolsWith[term] = len(tools)
	return len(tools)
}
