package char

import "strings"

// phraseSet finds any of some lower case phrases in one pass over a text.
type phraseSet struct {
	// by lists the phrases by their first byte. A capital letter of a script
	// beyond ASCII begins with another byte and is listed as well. second has
	// bit b&31 for each second byte, where both cases of a letter are equal.
	by [256]struct {
		second  uint32
		phrases []string
	}
}

func NewPhraseSet(phrases ...string) *phraseSet {
	s := new(phraseSet)
	add := func(first byte, p string) {
		at := &s.by[first]
		at.second |= 1 << (p[1] & 31)
		at.phrases = append(at.phrases, p)
	}
	for _, p := range phrases {
		add(p[0], p)
		if up := strings.ToUpper(p); up[0] != p[0] {
			add(up[0], p)
		}
	}

	return s
}

// In reports whether the text has one of the phrases. It searches only the
// beginning of a long text, where claims are.
func (s *phraseSet) In(text string) bool {
	text = text[:min(len(text), 1000)]
	for i := 0; i+1 < len(text); i++ {
		at := &s.by[text[i]]
		if at.second&(1<<(text[i+1]&31)) == 0 {
			continue
		}

		for _, p := range at.phrases {
			if len(p) <= len(text)-i && text[i+1]|0x20 == p[1]|0x20 && strings.EqualFold(text[i:i+len(p)], p) {
				return true
			}
		}
	}

	return false
}
