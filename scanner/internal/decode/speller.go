package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
)

// speller finds the word that was meant: the word in a trie of all known words
// that needs the fewest and likeliest slips.
type speller struct {
	words *lexicon.Trie
	word  []byte // as it is spelled, lower case
	path  [maxSpelled]byte
	best  struct {
		cost, length int
		known        bool // it has a meaning in the lexicon
		word         [maxSpelled]byte
	}
	limit      int  // costs above it are not searched
	common     bool // search only for the most common slip of each kind, one a word
	vowels     bool // only the vowels of this word are missing
	devowelled int  // 1 if the whole text lacks vowels, so that short words may lack them too
	foreign    bool // search only for swapped neighbours and lost vowels
	steps      int  // remaining steps for this word
}

const (
	maxSpelled = 24
	// maxSteps bounds the nodes that are visited for a word, and allSteps those
	// for a text.
	maxSteps = 4_000
	allSteps = 2_000_000
)

// Costs of slips. People more often swap neighbours, drop vowels and double
// letters than replace letters.
const (
	slipSwap   = 2
	slipVowel  = 2 // a vowel is missing
	slipDouble = 2 // a letter is doubled, or a double letter is single
	slipSound  = 2 // a letter that sounds alike
	slipLetter = 4 // any other letter is missing
	slipOther  = 5 // an extra letter, or a replaced one
)

// meant returns the intended word, or "" if none is similar. The result is
// valid until the next call.
func (s *speller) meant(word string) string {
	if len(word) > maxSpelled-4 {
		return ""
	}
	s.word = s.word[:0]
	for i := 0; i < len(word); i++ {
		// Three equal letters count as one slip, like two.
		if i < 2 || word[i]|0x20 != word[i-1]|0x20 || word[i]|0x20 != word[i-2]|0x20 {
			s.word = append(s.word, lowered(word[i]))
		}
	}
	s.best.length, s.best.known, s.steps = 0, false, maxSteps
	s.vowels = len(word) > 2-s.devowelled && !hasVowel(s.word[1:]) && strings.IndexByte(word, '*') < 0
	switch n := len(s.word); {
	case s.vowels:
		s.limit = 6 * slipVowel
	case n < 4:
		return ""
	case s.foreign || s.common:
		s.limit = slipSwap
	case n < 6:
		s.limit = slipOther - 1
	case n < 8:
		s.limit = slipOther
	default:
		s.limit = slipOther + slipSwap
	}
	limit := s.limit
	if len(s.word) > 4 && !s.foreign && !s.vowels {
		s.anagram()
	}
	s.limit, s.steps = limit, maxSteps
	if s.best.length == 0 {
		s.best.cost = s.limit + 1
	}
	s.search(lexicon.Root, 0, 0, 0, false)
	if s.best.length == 0 {
		return ""
	}
	return string(s.best.word[:s.best.length])
}

func lowered(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func hasVowel(word []byte) bool {
	for _, c := range word {
		if isVowel(c) {
			return true
		}
	}
	return false
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// take records a word that path spells up to length.
func (s *speller) take(length, cost int, known bool) {
	if s.vowels && !known {
		cost += 2 * slipVowel // so little is left that a word with a meaning is more likely
	}
	if cost > s.best.cost || cost == s.best.cost && (s.best.known || !known) || length < 2 {
		return
	}
	s.best.cost, s.best.length, s.best.known = cost, length, known
	s.best.word = s.path
}

// search continues from a node after i letters of the word, which match length
// letters of the intended one. inserted means that the last of them is missing
// in the word.
func (s *speller) search(n uint16, i, length, cost int, inserted bool) {
	if s.steps--; s.steps < 0 || cost > s.best.cost || cost > s.limit || length == maxSpelled {
		return
	}
	w := s.word
	s.takeEnd(n, i, length, cost)
	if i < len(w) && w[i] != '*' {
		s.letter(n, w[i], i+1, length, cost, false)
	}
	if cost == s.limit {
		return
	}
	// A vowel is missing here.
	for _, c := range []byte("aeiouy") {
		s.letter(n, c, i, length, cost+slipVowel, true)
	}
	switch {
	case s.vowels || i == len(w):
	case s.foreign || s.common:
		if i > 0 && s.word[i-1] == s.word[i] {
			s.search(n, i+1, length, cost+slipDouble, false)
		}
		s.swap(n, i, length, cost)
		if s.common {
			s.sounds(n, i, length, cost)
		}
	case w[i] == '*':
		s.anyLetter(n, i, length, cost)
	default:
		s.slips(n, i, length, cost, inserted)
	}
}

// takeEnd takes the word that ends at a node, if all letters were read. In
// another language it also takes a stem with the remaining letters.
func (s *speller) takeEnd(n uint16, i, length, cost int) {
	t, w := s.words, s.word
	if i == len(w) {
		if e := t.Exact(n); e.Form != lexicon.OtherForm {
			s.take(length, cost, e.Means != 0)
		}
	} else if e := t.Stem(n); s.foreign && e.Known() && i > 3 && len(w)-i < 8 && length+len(w)-i <= maxSpelled {
		rest := length + copy(s.path[length:], w[i:])
		s.take(rest, cost, true)
	}
}

// letter continues with c as the next letter of the intended word, after i
// letters of the word.
func (s *speller) letter(n uint16, c byte, i, length, cost int, inserted bool) {
	if m := s.words.Step(n, lexicon.LatinLetter(c)); m != lexicon.Dead {
		s.path[length] = c
		s.search(m, i, length+1, cost, inserted)
	}
}

// anyLetter treats an asterisk as any letter; a vowel is more likely.
func (s *speller) anyLetter(n uint16, i, length, cost int) {
	for l := byte('a'); l <= 'z'; l++ {
		by := slipSwap
		if isVowel(l) {
			by = 0
		}
		s.letter(n, l, i+1, length, cost+by, false)
	}
}

// slips tries the possible slips at letter i.
func (s *speller) slips(n uint16, i, length, cost int, inserted bool) {
	w, c := s.word, s.word[i]
	s.swap(n, i, length, cost)
	if i > 0 && w[i-1] == c {
		s.search(n, i+1, length, cost+slipDouble, false)
	} else if cost+slipOther <= s.limit {
		s.search(n, i+1, length, cost+slipOther, false)
	}
	if length > 0 {
		s.letter(n, s.path[length-1], i, length, cost+slipDouble, true)
	}
	if !inserted && cost+slipLetter <= s.limit {
		for l := byte('a'); l <= 'z'; l++ {
			if !isVowel(l) {
				s.letter(n, l, i, length, cost+slipLetter, true)
			}
		}
	}
	for l := byte('a'); l <= 'z'; l++ {
		if l != c {
			by := slipOther
			if soundAlike(l, c) {
				by = slipSound
			}
			s.letter(n, l, i+1, length, cost+by, false)
		}
	}
	s.sounds(n, i, length, cost)
}

// swap continues as if the next two letters had been swapped.
func (s *speller) swap(n uint16, i, length, cost int) {
	if i+1 >= len(s.word) || s.word[i] == s.word[i+1] || s.word[i+1] == '*' || length+1 >= maxSpelled {
		return
	}
	c, d := s.word[i], s.word[i+1]
	if m := s.words.Step(n, lexicon.LatinLetter(d)); m != lexicon.Dead {
		if k := s.words.Step(m, lexicon.LatinLetter(c)); k != lexicon.Dead {
			s.path[length], s.path[length+1] = d, c
			s.search(k, i+2, length+2, cost+slipSwap, false)
		}
	}
}

// soundGroups are letters that are confused because they sound alike, as sets
// of the groups of a letter.
var soundGroups = func() (t [128]uint8) {
	for i, group := range [...]string{"aeiouy", "ckqx", "szx", "fv", "gj", "td", "uwv", "ij"} {
		for _, c := range group {
			t[c] |= 1 << i
		}
	}
	return t
}()

func soundAlike(a, b byte) bool { return soundGroups[a]&soundGroups[b] != 0 }

// spoken are groups of letters that are confused because they sound alike: the
// written ones and the intended ones.
var spoken = [...][2]string{
	{"f", "ph"}, {"k", "ck"}, {"k", "ch"}, {"kw", "qu"}, {"ks", "x"}, {"shun", "tion"}, {"shun", "sion"}, {"d", "th"},
	{"w", "wh"}, {"n", "kn"}, {"r", "wr"}, {"ite", "ight"}, {"uff", "ough"}, {"u", "oo"}, {"u", "you"}, {"a", "er"},
	{"ee", "ea"}, {"ea", "ee"}, {"tch", "ch"}, {"s", "ce"}, {"z", "se"}, {"o", "ow"}, {"or", "our"}, {"j", "dge"},
	{"r", "are"}, {"i", "igh"}, {"ay", "ai"}, {"uw", "ou"}, {"f", "gh"}, {"g", "gu"}, {"v", "f"}, {"er", "re"},
}

// spokenBy is spoken by the first written letter.
var spokenBy = func() (t [128][][2]string) {
	for _, pair := range spoken {
		t[pair[0][0]] = append(t[pair[0][0]], pair)
	}
	return t
}()

func (s *speller) sounds(n uint16, i, length, cost int) {
	if cost+slipSound > s.limit {
		return
	}
	if i == len(s.word) {
		return
	}
	for _, pair := range spokenBy[s.word[i]&0x7f] {
		if len(s.word)-i < len(pair[0]) || string(s.word[i:i+len(pair[0])]) != pair[0] || length+len(pair[1]) > maxSpelled {
			continue
		}
		m := n
		for k := range len(pair[1]) {
			m = s.words.Step(m, lexicon.LatinLetter(pair[1][k]))
			s.path[length+k] = pair[1][k]
		}
		if m != lexicon.Dead {
			s.search(m, i+len(pair[0]), length+len(pair[1]), cost+slipSound, false)
		}
	}
}

// anagram looks for a word with the same first and last letter and the same
// letters between them in another order.
func (s *speller) anagram() {
	var count [26]int8
	for _, c := range s.word {
		if c < 'a' || c > 'z' {
			return
		}
	}
	last := len(s.word) - 1
	for _, c := range s.word[1:last] {
		count[c-'a']++
	}
	if s.steps = maxSteps; s.common {
		s.steps = maxSteps / 16
	}
	s.path[0] = s.word[0]
	s.limit = slipSwap + 1
	s.best.cost = s.limit + 1
	s.arrange(s.words.Step(lexicon.Root, lexicon.LatinLetter(s.word[0])), 1, last, &count)
}

func (s *speller) arrange(n uint16, at, last int, count *[26]int8) {
	if s.steps--; n == lexicon.Dead || s.steps < 0 {
		return
	}
	if at == last {
		n = s.words.Step(n, lexicon.LatinLetter(s.word[last]))
		s.path[last] = s.word[last]
		if e := s.words.Exact(n); n != lexicon.Dead && e.Form != lexicon.OtherForm {
			s.take(last+1, s.limit, e.Means != 0)
		}
		return
	}
	for l := range count {
		if count[l] > 0 {
			count[l]--
			s.path[at] = 'a' + byte(l)
			s.arrange(s.words.Step(n, byte(l)), at+1, last, count)
			count[l]++
		}
	}
}
