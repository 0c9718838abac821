package scanner

import "strings"

// Decoders for letters that stand for other letters: leetspeak, spacing,
// Caesar shifts (rot13 among them), Atbash, reversal.

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g', '@': 'a', '$': 's', '!': 'i', '|': 'l', '+': 't', '(': 'c', '6': 'g', '2': 'z'}

// findLeet undoes digits and signs that stand for letters. A one can be an i
// or an l; both readings are given.
func findLeet(d *doc) string {
	if d.stats.mixed < 2 && (d.stats.marks&markSign == 0 || signsInWords(d.text) < 2) {
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

// unleet reads digits and signs as letters in every word that has a letter,
// and in a number where that gives a known word.
func unleet(s string, one byte) string {
	b := []byte(s)
	leet := func(i int) bool {
		c := s[i]
		return wordByte(c) || (c == '@' || c == '$') && i+1 < len(s) && wordByte(s[i+1]) || c == '!' && i+1 < len(s) && letterByte(s[i+1])
	}
	for i := 0; i < len(s); {
		if !leet(i) {
			i++
			continue
		}
		start, letters := i, 0
		for i < len(s) && leet(i) {
			if letterByte(s[i]) {
				letters++
			}
			i++
		}
		if i-start > 24 {
			continue
		}
		for k := start; k < i; k++ {
			switch l := leetLetters[s[k]]; {
			case s[k] == '1':
				b[k] = one
			case l != 0:
				b[k] = l
			}
		}
		if letters == 0 {
			if _, known := knownWords(b[start:i]); known == 0 {
				copy(b[start:i], s[start:i])
			}
		}
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
		word, end := spacedWord(s, i)
		if len(word) >= 3 || len(word) > 0 && closed > 0 {
			b.WriteString(segment(word))
			closed += len(word)
			i = end
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

// spacedWord reads single characters with one separator between each two,
// from i; end is where it stops.
func spacedWord(s string, i int) (word string, end int) {
	if i+2 >= len(s) || s[i] <= ' ' || strings.IndexByte(" .-_*|/", s[i+1]) < 0 || i > 0 && wordByte(s[i-1]) {
		return "", i
	}
	sep := s[i+1]
	var buf [64]byte
	out := buf[:0]
	for end = i; end < len(s) && s[end] != sep && s[end] > ' ' && len(out) < 4096; end += 2 {
		if end+1 < len(s) && s[end+1] != sep {
			if !wordByte(s[end+1]) && s[end+1] <= ' ' {
				out = append(out, s[end])
				end++
			}
			return string(out), end
		}
		out = append(out, s[end])
		if end+2 >= len(s) || s[end+2] == sep || s[end+2] <= ' ' {
			return string(out), end + 1
		}
	}
	return string(out), min(end, len(s))
}

// segment cuts runs of letters without spaces into words of the lexicon,
// longest first; what it does not know stays together. Short runs are words
// already.
func segment(s string) string {
	if len(s) <= 12 {
		return s
	}
	lex := theLexicon().latin
	var b strings.Builder
	for i := 0; i < len(s); {
		if !letterByte(s[i]) {
			b.WriteByte(s[i])
			i++
			continue
		}
		end := i
		for end < len(s) && letterByte(s[end]) {
			end++
		}
		if end-i <= 14 {
			b.WriteString(s[i:end])
			i = end
			continue
		}
		for i < end {
			n, last := uint16(trieRoot), 0
			for j := i; j < end && j-i < 20; j++ {
				if n = lex.step(n, latinClass(s[j])); n == trieDead {
					break
				}
				if lex.exact(n).c != 0 && j > i {
					last = j + 1
				}
			}
			if last == 0 {
				b.WriteByte(s[i])
				i++
				continue
			}
			b.WriteByte(' ')
			b.WriteString(s[i:last])
			b.WriteByte(' ')
			i = last
		}
	}
	return b.String()
}

// englishFrequency is the share of each letter in English prose, per mille;
// twice over, so that a shifted alphabet is a slice of it.
var englishFrequency = [52]int{
	82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1,
	82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1,
}

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
		var count [26]int
		letters := 0
		for i := 0; i < len(sample); i++ {
			if b := sample[i]; letterByte(b) {
				count[b|0x20-'a']++
				letters++
			}
		}
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
		// Letters that are distributed as in prose are not shifted, however
		// unknown the words.
		if letters < 12 || letters > 40 && proseLike(&count, letters) {
			return true
		}
		// The three best shifts, and mirrored alphabets (Atbash) likewise.
		for _, mirror := range [...]bool{false, true} {
			score := shiftScores(&count, mirror)
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

// shiftScores says of each shift how much like English the letters are under
// it: the frequencies of what they stand for, added up.
func shiftScores(count *[26]int, mirror bool) (score [26]int) {
	for l, n := range count {
		if n == 0 {
			continue
		}
		if mirror {
			l = 25 - l
		}
		for shift, share := range englishFrequency[l : l+26] {
			score[shift] += n * share
		}
	}
	return score
}

// proseLike says whether letters have the shares that they have in prose.
func proseLike(count *[26]int, letters int) bool {
	score := 0
	for l, n := range count {
		score += n * englishFrequency[l]
	}
	return score >= 58*letters
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
			n = lex.step(n, latinClass(s[i]))
			i++
		}
		if i-start > 1 {
			words++
			if lex.exact(n).c != 0 {
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
			n = lex.step(n, latinClass(s[i]))
			i++
		}
		if i-start < 4 || i-start > 20 || lex.exact(n).c != 0 {
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
	if fixed < 3 || fixed*4 < unknown {
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
		if n := lex.step(lex.step(prefix, b), a); n != trieDead && a != b {
			for k := i + 2; k < len(word) && n != trieDead; k++ {
				n = lex.step(n, latinClass(word[k]))
			}
			if lex.exact(n).c != 0 && i > 0 {
				return i
			}
		}
		if prefix = lex.step(prefix, a); prefix == trieDead {
			break
		}
	}
	return -1
}
