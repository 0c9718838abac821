package scanner

import "strings"

// Decoders for letters that stand for other letters: leetspeak, spacing,
// Caesar shifts (rot13 among them), Atbash, reversal.

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g', '@': 'a', '$': 's', '!': 'i', '|': 'l', '+': 't', '(': 'c', '6': 'g', '2': 'z'}

// findLeet undoes digits and signs that stand for letters. A one can be an i
// or an l; both readings are given.
func findLeet(d *doc) string {
	if d.stats.mixed < 2 && (strings.IndexByte(d.text, '@') < 0 && strings.IndexByte(d.text, '$') < 0 || signsInWords(d.text) < 2) {
		return ""
	}
	first := unleet(d.text, 'i')
	// Identifiers and encoded runs have digits in words, too; only what gives
	// more words than before was leetspeak.
	_, before := knownWords(d.text)
	if _, after := knownWords(first); after < before+2 {
		return ""
	}
	if second := unleet(d.text, 'l'); second != first {
		return first + "\n" + second
	}
	return first
}

func unleet(s string, one byte) string {
	b := []byte(s)
	for i, c := range b {
		l := leetLetters[c]
		if l == 0 {
			continue
		}
		// Only inside or beside letters: prices and numbers stay.
		if !(i > 0 && letterByte(s[i-1]) || i+1 < len(s) && letterByte(s[i+1]) || i > 0 && leetLetters[s[i-1]] != 0 && i > 1 && letterByte(b[i-1])) {
			continue
		}
		if c == '!' && (i+1 >= len(s) || !letterByte(s[i+1])) || c == '(' || c == '|' || c == '+' {
			continue
		}
		if c == '1' || c == '|' {
			l = one
		}
		b[i] = l
	}
	return string(b)
}

func letterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func signsInWords(s string) int {
	n := 0
	for i := 1; i+1 < len(s); i++ {
		if (s[i] == '@' || s[i] == '$') && letterByte(s[i-1]) && letterByte(s[i+1]) {
			n++
		}
	}
	return n
}

// findSpaced closes up words whose letters stand apart: "i g n o r e",
// "i.g.n.o.r.e". Where the gap between words is no wider than between
// letters, words are found again by the lexicon.
func findSpaced(d *doc) string {
	if d.stats.singles < 8 {
		return ""
	}
	s := d.text
	var b strings.Builder
	closed := 0
	for i := 0; i < len(s); {
		j, n := i, 0
		var sep byte
		for j < len(s) && letterByte(s[j]) && (j+1 >= len(s) || !letterByte(s[j+1])) {
			n++
			if j+2 >= len(s) || !letterByte(s[j+2]) || sep != 0 && s[j+1] != sep || s[j+1] >= 0x80 || s[j+1] == '\n' {
				j++
				break
			}
			sep = s[j+1]
			j += 2
		}
		if (n >= 3 || n == 2 && closed > 0) && (i == 0 || !letterByte(s[i-1])) {
			word := make([]byte, 0, n)
			for k := i; k < j; k += 2 {
				word = append(word, s[k])
			}
			b.WriteString(segment(string(word)))
			closed += n
			i = j
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	if closed < minDecoded {
		return ""
	}
	return strings.ToValidUTF8(b.String(), "")
}

// segment cuts letters without spaces into words of the lexicon, longest
// first; what it does not know stays together.
func segment(s string) string {
	if len(s) <= 12 {
		return s
	}
	lex := theLexicon()
	var b strings.Builder
	for i := 0; i < len(s); {
		n, end := uint16(trieRoot), 0
		for j := i; j < len(s) && j-i < 20; j++ {
			k := latinClass(s[j])
			if k == 255 {
				break
			}
			if n = lex.latin.next[n][k]; n == trieDead {
				break
			}
			if lex.latin.exact[n].c != 0 {
				end = j + 1
			}
		}
		if end == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s[i:end])
		i = end
		if i < len(s) {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// englishFrequency is the share of each letter in English prose, per mille.
var englishFrequency = [26]int{82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1}

// findCipher looks at runs of words that no lexicon knows: read from the back,
// or with the shift under which their letters are distributed as English
// letters are. Only what gives words counts.
func findCipher(d *doc) string {
	if d.stats.longest < 4 {
		return ""
	}
	var c collector
	unknownRuns(d, func(run string) bool {
		var buf [480]byte
		sample := run[:min(len(run), len(buf))]
		n := copy(buf[:], sample)
		reverseBytes(buf[:n])
		if knownShare(buf[:n]) >= 0.5 {
			return c.add(reversed(run))
		}
		copy(buf[:], sample)
		reverseWords(buf[:n])
		if knownShare(buf[:n]) >= 0.6 {
			b := []byte(run)
			reverseWords(b)
			return c.add(string(b))
		}
		var count [26]int
		letters := 0
		for _, b := range []byte(sample) {
			if letterByte(b) {
				count[b|0x20-'a']++
				letters++
			}
		}
		if letters < 12 {
			return true
		}
		// The three best shifts, and mirrored alphabets (Atbash) likewise.
		for _, mirror := range [...]bool{false, true} {
			var score [26]int
			for shift := range 26 {
				for l, n := range count {
					score[shift] += n * englishFrequency[decipher(l, shift, mirror)]
				}
			}
			for range 3 {
				best := 0
				for s := range score {
					if score[s] > score[best] {
						best = s
					}
				}
				if !mirror && best == 0 || score[best] < 45*letters {
					break
				}
				score[best] = -1
				copy(buf[:], sample)
				decipherBytes(buf[:n], best, mirror)
				if knownShare(buf[:n]) >= 0.5 {
					b := []byte(run)
					decipherBytes(b, best, mirror)
					return c.add(string(b))
				}
			}
		}
		return true
	})
	return c.b.String()
}

func decipher(l, shift int, mirror bool) int {
	if mirror {
		return (25 - l + shift) % 26
	}
	return (l + shift) % 26
}

func decipherBytes(b []byte, shift int, mirror bool) {
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = 'a' + byte(decipher(int(c-'a'), shift, mirror))
		case c >= 'A' && c <= 'Z':
			b[i] = 'A' + byte(decipher(int(c-'A'), shift, mirror))
		}
	}
}

func reverseBytes(b []byte) {
	for x, y := 0, len(b)-1; x < y; x, y = x+1, y-1 {
		b[x], b[y] = b[y], b[x]
	}
}

// reverseWords turns each word around and leaves their order.
func reverseWords(b []byte) {
	for i := 0; i < len(b); {
		j := i
		for j < len(b) && letterByte(b[j]) {
			j++
		}
		reverseBytes(b[i:j])
		i = j + 1
	}
}

// unknownRuns calls f with stretches of text in which hardly any word is
// known, cut at sentences that are.
func unknownRuns(d *doc, f func(string) bool) {
	for from := 0; from < len(d.text); {
		end := from
		words, known := 0, 0
		// Sentence by sentence, joining those that are equally unknown.
		for end < len(d.text) {
			stop := sentenceEnd(d.text, end)
			w, k := knownWords(d.text[end:stop])
			if w >= 3 && k*3 > w {
				if words > 0 {
					break
				}
				end, from = stop, stop
				continue
			}
			words, known, end = words+w, known+k, stop
			if end-from > maxDecoded {
				break
			}
		}
		if words >= 3 && known*3 <= words && !f(d.text[from:end]) {
			return
		}
		if end == from {
			return
		}
		from = end
	}
}

// sentenceEnd is the offset after the next full stop or line break.
func sentenceEnd(s string, from int) int {
	for i := from; i < len(s); i++ {
		if s[i] == '\n' || (s[i] == '.' || s[i] == '!' || s[i] == '?') && i+1 < len(s) && s[i+1] == ' ' {
			return i + 1
		}
	}
	return len(s)
}

// knownWords counts the words of a text and those that the lexicon knows.
func knownWords[T string | []byte](s T) (words, known int) {
	lex := theLexicon().latin
	for i := 0; i < len(s); {
		if !letterByte(s[i]) {
			i++
			continue
		}
		n, start := uint16(trieRoot), i
		for i < len(s) && letterByte(s[i]) {
			n = lex.next[n][latinClass(s[i])]
			i++
		}
		if i-start > 1 {
			words++
			if lex.exact[n].c != 0 {
				known++
			}
		}
	}
	return words, known
}

func knownShare[T string | []byte](s T) float64 {
	w, k := knownWords(s)
	if w < 3 {
		return 0
	}
	return float64(k) / float64(w)
}

// findSwapped undoes words in which two neighbouring letters changed places.
// It takes several of them to tell a disguise from a slip.
func findSwapped(d *doc) string {
	if d.stats.words-d.stats.known < 4 || d.stats.words < 6 {
		return ""
	}
	lex := theLexicon().latin
	var out []byte
	fixed, unknown, last := 0, 0, 0
	s := d.text
	for i := 0; i < len(s); {
		if !letterByte(s[i]) {
			i++
			continue
		}
		start, n := i, uint16(trieRoot)
		for i < len(s) && letterByte(s[i]) {
			n = lex.next[n][latinClass(s[i])]
			i++
		}
		if i-start < 4 || i-start > 20 || lex.exact[n].c != 0 {
			continue
		}
		unknown++
		if at := swapAt(lex, s[start:i]); at > 0 {
			fixed++
			out = append(out, s[last:start+at]...)
			out = append(out, s[start+at+1], s[start+at])
			last = start + at + 2
		}
	}
	if fixed < 4 || fixed*3 < unknown {
		return ""
	}
	return string(append(out, s[last:]...))
}

// swapAt gives where to swap a letter with the next to get a known word; -1
// when nowhere.
func swapAt(lex *trie, word string) int {
	prefix := uint16(trieRoot)
	for i := 0; i+1 < len(word); i++ {
		a, b := latinClass(word[i]), latinClass(word[i+1])
		if n := lex.next[lex.next[prefix][b]][a]; n != trieDead && a != b {
			for k := i + 2; k < len(word) && n != trieDead; k++ {
				n = lex.next[n][latinClass(word[k])]
			}
			if lex.exact[n].c != 0 && i > 0 {
				return i
			}
		}
		if prefix = lex.next[prefix][a]; prefix == trieDead {
			break
		}
	}
	return -1
}
