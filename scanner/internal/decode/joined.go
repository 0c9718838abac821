package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Words that were joined without a blank, and words that were split.

const (
	// longWord is the smallest length of a word that may be several words.
	longWord = 13
	// maxWord is the length of the longest word that is searched inside it.
	maxWord = 20
)

// findJoined splits words that were joined, and joins pieces of words that were
// split.
func findJoined(d *token.Doc) string {
	st := &d.Stats
	if st.LongestWord >= longWord+4 && st.LongestStrange >= longWord && (st.LongestWord >= 2*longWord || !wellSpelled(d)) {
		if text, n := apart(d.Text); n >= minUnknown {
			return text
		}
	}
	if st.Stops >= 2*MinDecoded && strings.Count(d.Text, ".") >= 2*MinDecoded {
		if text := undotted(d.Text); text != "" {
			return text
		}
	}
	if unknown := st.Words - st.Known; unknown >= 2*minUnknown && unknown*2 >= st.Words && st.Foreign*8 < st.Words && !wellSpelled(d) {
		if text := regrouped(d.Text); text != "" {
			return text
		}
		return patched(d.Text)
	}
	return ""
}

// undotted splits words that are joined by full stops, if there are enough for
// a sentence.
func undotted(s string) string {
	joins := 0
	for i := 0; i < len(s); i++ {
		next := strings.IndexByte(s[i:], '.')
		if next < 0 {
			break
		}
		if i += next; i > 0 && i+1 < len(s) && char.IsLetter(s[i-1]) && char.IsLetter(s[i+1]) {
			joins++
		}
	}
	if joins < 5+minUnknown {
		return ""
	}
	b := []byte(s)
	n, run := 0, 0
	for i := 1; i+1 < len(b); i++ {
		switch {
		case b[i] <= ' ':
			run = 0
		case b[i] == '.' && char.IsLetter(b[i-1]) && char.IsLetter(b[i+1]):
			if run++; run > 5 {
				n++
			}
			b[i] = ' '
		}
	}
	if n < minUnknown {
		return ""
	}
	return string(b)
}

// apart splits joined words. n is the number of resulting words.
func apart(s string) (text string, n int) {
	var b strings.Builder
	last := 0
	char.EachWord(s, func(from, to int) bool {
		if to-from < longWord || from > 0 && partOfName(s[from-1]) || to < len(s) && partOfName(s[to]) || lexicon.IsSpelled(s[from:to]) {
			return true
		}
		words, whole := cutWords(s[from:to])
		if !whole {
			return true
		}
		b.WriteString(s[last:from])
		if from > 0 && s[from-1] > ' ' && s[from-1] != '(' {
			b.WriteByte(' ')
		}
		b.WriteString(words)
		if to < len(s) && char.IsLetter(s[to]) {
			b.WriteByte(' ')
		}
		n += strings.Count(words, " ") + 1
		last = to
		return true
	})
	if n == 0 {
		return "", 0
	}
	b.WriteString(s[last:])
	return b.String(), n
}

// segment splits runs of letters without blanks into words. Short runs are
// words already.
func segment(s string) string {
	var b strings.Builder
	last := 0
	char.EachWord(s, func(from, to int) bool {
		if to-from < longWord || lexicon.IsSpelled(s[from:to]) {
			return true
		}
		words, _ := cutWords(s[from:to])
		b.WriteString(s[last:from])
		b.WriteString(words)
		last = to
		return true
	})
	b.WriteString(s[last:])
	return b.String()
}

// cutWords splits a run of letters into known words with the fewest letters
// left over, then with the fewest words. whole reports that hardly any letters
// were left over. It takes maxWord steps a letter.
func cutWords(run string) (words string, whole bool) {
	const over = 8 // cost of a letter that belongs to no word; a word costs 2 or 3
	t := lexicon.Spelling()
	cost := make([]int32, len(run)+1)
	from := make([]int32, len(run)+1)
	for i := range cost[1:] {
		cost[i+1] = 1 << 30
	}
	for i := range len(run) {
		if c := cost[i] + over; c < cost[i+1] {
			cost[i+1], from[i+1] = c, int32(i)
		}
		n := uint16(lexicon.Root)
		for j := i; j < len(run) && j-i < maxWord; j++ {
			if n = t.Step(n, lexicon.LatinLetter(run[j])); n == lexicon.Dead {
				break
			}
			if t.Exact(n).Form == lexicon.OtherForm || j == i && run[j]|0x20 != 'a' && run[j]|0x20 != 'i' {
				continue
			}
			by := int32(3)
			if j-i > 2 {
				by = 2
			} else if j == i {
				by = 5
			}
			if c := cost[i] + by; c < cost[j+1] {
				cost[j+1], from[j+1] = c, int32(i)
			}
		}
	}
	var cuts []int
	alone := 0
	for i := len(run); i > 0; i = int(from[i]) {
		cuts = append(cuts, i)
		if i-int(from[i]) == 1 {
			alone++
		}
	}
	var b strings.Builder
	at, single := 0, false
	for k := len(cuts) - 1; k >= 0; k-- {
		piece := run[at:cuts[k]]
		if at > 0 && !(single && len(piece) == 1) {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
		single = len(piece) == 1
		at = cuts[k]
	}
	return b.String(), alone*5 <= len(run)
}

// regrouped decodes text that was cut into groups of equal size, regardless of
// words.
func regrouped(s string) string {
	var sizes [maxWord]int
	words := 0
	for w := range strings.FieldsSeq(s) {
		words++
		sizes[min(len(w), maxWord-1)]++
	}
	size := 0
	for n := 3; n < 9; n++ {
		if sizes[n] > sizes[size] {
			size = n
		}
	}
	if size < 3 || sizes[size]*5 < words*3 {
		return ""
	}
	var b strings.Builder
	joined := false
	for w := range strings.FieldsSeq(s) {
		if b.Len() > 0 && !(joined && len(w) <= size) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		joined = len(w) == size
	}
	text, n := apart(b.String())
	if n < minUnknown {
		return ""
	}
	return text
}

// patched joins neighbours that are not words separately but are one word
// together.
func patched(s string) string {
	type word struct {
		span
		known bool
	}
	var b strings.Builder
	var before word
	n, last := 0, 0
	char.EachWord(s, func(from, to int) bool {
		now := word{span{from, to}, lexicon.IsSpelled(s[from:to])}
		gap := from - before.to
		if gap == 1 && before.to > 0 && strings.IndexByte(" -.", s[from-1]) >= 0 && !(now.known && before.known && to-from > 2 && before.to-before.from > 2) && to-before.from <= maxWord {
			whole := s[before.from:before.to] + s[from:to]
			if len(whole) > 3 && lexicon.IsSpelled(whole) {
				b.WriteString(s[last:before.from])
				b.WriteString(whole)
				last = to
				n++
				before = word{}
				return true
			}
		}
		before = now
		return true
	})
	if n < minUnknown {
		return ""
	}
	b.WriteString(s[last:])
	return b.String()
}

// findReordered decodes text whose words are in reverse order: it ends with a
// capitalised word and no full stop.
func findReordered(d *token.Doc) string {
	s := d.Text
	for s != "" && !char.IsLetter(s[len(s)-1]) && endsLikeWord(s) {
		s = s[:len(s)-1]
	}
	if s == "" || !char.IsLetter(s[len(s)-1]) {
		return ""
	}
	at := len(s)
	for at > 0 && char.IsLetter(s[at-1]) {
		at--
	}
	if s[at] >= 'a' || len(s)-at > 1 && s[at+1] < 'a' || at == 0 || s[at-1] != ' ' || len(s) > MaxDecoded {
		return ""
	}
	from := 0
	if colon := strings.Index(s[:min(len(s), 2*NoteLength)], ": "); colon >= 0 {
		from = colon + 2
	}
	words := strings.Fields(s[from:])
	for x, y := 0, len(words)-1; x < y; x, y = x+1, y-1 {
		words[x], words[y] = words[y], words[x]
	}
	text := strings.Join(words, " ")
	if len(words) < 6 || begins([]byte(text)) < begins([]byte(s[from:]))+2 {
		return ""
	}
	return text
}
