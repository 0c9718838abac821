package scanner

import "strings"

// phraseSet finds any of some lower case phrases in one pass over a text.
type phraseSet struct {
	// by lists the phrases by their first byte; a capital letter of a script
	// beyond ASCII begins with another one and is listed as well.
	by [256][]string
}

func newPhraseSet(phrases ...string) *phraseSet {
	s := new(phraseSet)
	for _, p := range phrases {
		first := p[0]
		s.by[first] = append(s.by[first], p)
		if up := strings.ToUpper(p); up[0] != first {
			s.by[up[0]] = append(s.by[up[0]], p)
		}
	}
	return s
}

// in says whether the text has one of the phrases; only the beginning of a
// long text counts, where claims stand.
func (s *phraseSet) in(text string) bool {
	text = text[:min(len(text), 1000)]
	for i := range len(text) {
		for _, p := range s.by[text[i]] {
			if len(p) <= len(text)-i && text[i+1]|0x20 == p[1]|0x20 && strings.EqualFold(text[i:i+len(p)], p) {
				return true
			}
		}
	}
	return false
}
