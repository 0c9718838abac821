package decode

import (
	"bytes"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Letters replaced by other letters: shifted and mirrored alphabets, alphabets
// with a stated key, neighbours on a keyboard, rot47.

// englishFrequency is the share of each letter in English prose, per mille.
var englishFrequency = [26]int{82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2, 20, 1}

// NoteLength is the largest distance of a key before a text, in bytes.
const NoteLength = 80

// substitutions tries all substitution ciphers. before is the cost of the text
// as written, and note is the text before it, which may contain a key.
func (t *trial) substitutions(before int, note string) {
	var count [26]int
	letters, marks := 0, 0
	for _, b := range t.sample {
		switch {
		case char.IsLetter(b):
			count[b|0x20-'a']++
			letters++
		case b > ' ' && b < 0x7f:
			marks++
		}
	}
	if marks*3 > letters {
		t.try(rot47)
	}
	if letters < 12 || before < costMoved {
		return
	}
	// Marks beside letters were typed for letters.
	some := keyboards[:]
	if bytes.ContainsAny(t.sample, "[;") {
		some = keyboards[:4]
	}
	for i := range some {
		t.try(some[i].read)
	}
	if before < costShifted {
		return
	}
	t.affine(&count, letters)
	keys := 0
	char.EachWord(note, func(from, to int) bool {
		if to-from < 3 {
			return true
		}
		keys++
		key := strings.ToLower(note[from:to])
		t.try(func(b []byte) []byte { return vigenere(b, key, false) })
		t.try(func(b []byte) []byte { return vigenere(b, key, true) })
		t.try(keyedAlphabet(key))
		return keys < 12
	})
	t.try(func(b []byte) []byte { return vigenere(b, "abcdefghijklmnopqrstuvwxyz", false) })
}

// affine tries the alphabets with a fixed step: Caesar's with step one, Atbash
// with step minus one. The frequencies of the letters decide which are worth a
// try.
func (t *trial) affine(count *[26]int, letters int) {
	for _, step := range [...]int{1, 25, 3, 5, 7, 9, 11, 15, 17, 19, 21, 23} {
		var score [26]int
		for l, n := range count {
			if n == 0 {
				continue
			}
			for shift, share := range frequencyFrom[l*step%26][:26] {
				score[shift] += n * int(share)
			}
		}
		for range 3 {
			best := 0
			for s := range score {
				if score[s] > score[best] {
					best = s
				}
			}
			if score[best] < 45*letters {
				break
			}
			score[best] = -1
			t.try(func(b []byte) []byte { return decipher(b, step, best) })
		}
	}
}

// frequencyFrom holds englishFrequency rotated to each letter.
var frequencyFrom = func() (t [26][26]int32) {
	for from := range t {
		for l := range t[from] {
			t[from][l] = int32(englishFrequency[(from+l)%26])
		}
	}
	return t
}()

// decipher maps each letter's place l to l*step+shift.
func decipher(b []byte, step, shift int) []byte {
	for i, c := range b {
		if char.IsLetter(c) {
			b[i] = c&^0x1f | byte(((int(c&0x1f)-1)*step+shift)%26) + 1
		}
	}
	return b
}

// rot47 shifts the printable characters of ASCII by half of their number.
func rot47(b []byte) []byte {
	for i, c := range b {
		if c > ' ' && c < 0x7f {
			b[i] = '!' + (c-'!'+47)%94
		}
	}
	return b
}

// vigenere undoes a shift of each letter by the next letter of the key. every
// means that other characters also use up letters of the key.
func vigenere(b []byte, key string, every bool) []byte {
	k := 0
	for i, c := range b {
		if char.IsLetter(c) {
			b[i] = c&^0x1f | (c&0x1f-1+26-(key[k%len(key)]-'a'))%26 + 1
		}
		if char.IsLetter(c) || every {
			k++
		}
	}
	return b
}

// keyedAlphabet undoes an alphabet that begins with the letters of a key and
// continues with the remaining ones.
func keyedAlphabet(key string) reading {
	var plain [26]byte // of each letter of the cipher
	used, n := uint32(0), byte(0)
	for _, c := range []byte(key + "abcdefghijklmnopqrstuvwxyz") {
		if l := c - 'a'; used&(1<<l) == 0 {
			used |= 1 << l
			plain[l] = n
			n++
		}
	}
	return func(b []byte) []byte {
		for i, c := range b {
			if char.IsLetter(c) {
				b[i] = c&^0x1f | plain[c&0x1f-1] + 1
			}
		}
		return b
	}
}

// keyboard maps typed characters to the intended ones.
type keyboard [256]byte

func (k *keyboard) read(b []byte) []byte {
	for i, c := range b {
		b[i] = k[c]
	}
	return b
}

// keyboards are the ways in which a text is typed with shifted hands: one key
// to the right or left on an English keyboard, the same for letters only, with
// the ends of a row treated as neighbours, and English and Dvorak keys
// exchanged.
var keyboards = func() (t [6]keyboard) {
	rows := [...][2]string{
		{"`1234567890-=", "~!@#$%^&*()_+"}, {"qwertyuiop[]\\", "QWERTYUIOP{}|"},
		{"asdfghjkl;'", "ASDFGHJKL:\""}, {"zxcvbnm,./", "ZXCVBNM<>?"},
	}
	dvorak := [...][2]string{
		{"`1234567890[]", "~!@#$%^&*(){}"}, {"',.pyfgcrl/=\\", "\"<>PYFGCRL?+|"},
		{"aoeuidhtns-", "AOEUIDHTNS_"}, {";qjkxbmwvz", ":QJKXBMWVZ"},
	}
	for k := range t {
		for c := range t[k] {
			t[k][c] = byte(c)
		}
	}
	for _, row := range [...]string{"qwertyuiop", "asdfghjkl", "zxcvbnm"} {
		for i := range len(row) {
			at, next := row[i], row[(i+1)%len(row)]
			t[4][next], t[5][at] = at, next
			t[4][next-32], t[5][at-32] = at-32, next-32
		}
	}
	for r, row := range rows {
		for s, keys := range row {
			for i := range len(keys) {
				if i > 0 {
					t[0][keys[i]], t[1][keys[i-1]] = keys[i-1], keys[i]
				}
				other := dvorak[r][s][i]
				t[2][other], t[3][keys[i]] = keys[i], other
			}
		}
	}
	return t
}()
