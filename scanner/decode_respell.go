package scanner

// Words with letters missing, doubled or out of place.

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
