package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Codes of two signs: Morse in any two signs, Bacon's cipher, bits, and the tap
// code; and letters by their place in the alphabet or in a square.

// morse are the codes of ITU-R M.1677-1, dots and dashes.
var morse = map[string]byte{
	".-": 'a', "-...": 'b', "-.-.": 'c', "-..": 'd', ".": 'e', "..-.": 'f', "--.": 'g', "....": 'h', "..": 'i',
	".---": 'j', "-.-": 'k', ".-..": 'l', "--": 'm', "-.": 'n', "---": 'o', ".--.": 'p', "--.-": 'q', ".-.": 'r',
	"...": 's', "-": 't', "..-": 'u', "...-": 'v', ".--": 'w', "-..-": 'x', "-.--": 'y', "--..": 'z',
	"-----": '0', ".----": '1', "..---": '2', "...--": '3', "....-": '4', ".....": '5', "-....": '6', "--...": '7',
	"---..": '8', "----.": '9', ".-.-.-": '.', "--..--": ',', "-..-.": '/', ".--.-.": '@', "..--.-": '_', "-....-": '-', "---...": ':',
	"..--..": '?', ".----.": '\'', "-.-.--": '!', "-.--.": '(', "-.--.-": ')', ".-..-.": '"', "-...-": '=', ".-.-.": '+', "-.-.-.": ';', ".-...": '&', "...-..-": '$',
}

// minSigns is the smallest number of signs of a run that may be a code.
const minSigns = 24

// signRun is a stretch of text that consists of two signs, or of words for
// them, with separators.
type signRun struct {
	signs []byte // '.' for the sign that occurs first, '-' for the other, ' ' and '/' between
	count int
	// tail is the beginning of the last equal signs, with which another run may
	// begin.
	tail int
}

// findSigns decodes runs of two signs as Morse, as groups of five (Bacon) or as
// bits, whichever is most like prose.
func findSigns(d *token.Doc) string {
	letters := d.Stats.Longest >= 8 || d.Stats.LongestWord >= minSigns
	if !fewSigns(d.Text, letters) {
		return ""
	}
	var c collector
	s := d.Text
	for i := 0; i < len(s); {
		if !letters && char.IsLetter(s[i]) || s[i] == ' ' || s[i] == '.' && i > 0 && char.IsLetter(s[i-1]) {
			i++
			continue
		}
		var run signRun
		end := i + 1
		if threeSigns(s[i:]) {
			// There is no run, and none begins with the first two of them.
		} else if threeHan(s[i:]) {
			end = i + hanSize
		} else if end = run.scan(s, i); run.count < minSigns {
			end = run.tail
		} else {
			signs := signRun{signs: make([]byte, 0, end-i)}
			signs.scan(s[:end], i)
			if !c.add(signs.read()) {
				break
			}
		}
		i = max(end, i+1)
		for i < len(s) && (char.WordBytes[s[i-1]] && (s[i] >= 0x80 || char.WordBytes[s[i]]) || signBorders[s[i]] || s[i] == '.' && char.IsLetter(s[i-1])) {
			i++ // runs begin at word boundaries
		}
	}
	return c.b.String()
}

// fewSigns reports whether some minSigns/2 consecutive characters may be two
// signs and separators. A run of two signs contains one of the tested places,
// with as many signs after it. Unless letters may be the signs, two adjacent
// letters are not signs.
func fewSigns(s string, letters bool) bool {
	for at := 0; at < len(s); at += minSigns / 2 {
		if !letters && twoLetters(s, at) || threeHan(s[at:]) {
			continue
		}
		for at < len(s) && (separators[s[at]] || !utf8.RuneStart(s[at])) {
			at++
		}
		if few, ends := fewSignsAt(s, at); few || ends {
			return few
		}
	}
	return false
}

// twoLetters reports whether two different letters are adjacent at an offset,
// and neither they nor the letters before them can belong to a word for a sign.
func twoLetters(s string, at int) bool {
	return at > 2 && at+1 < len(s) && char.IsLetter(s[at]) && char.IsLetter(s[at+1]) && s[at]|0x20 != s[at+1]|0x20 &&
		s[at-3]|0x20 != 'd' && s[at-2]|0x20 != 'd' && s[at-1]|0x20 != 'd' && s[at]|0x20 != 'd' && s[at+1]|0x20 != 'd'
}

// fewSignsAt reports whether the minSigns/2 characters from an offset may be
// two signs and separators, and whether the text ends before that is known.
func fewSignsAt(s string, i int) (few, ends bool) {
	var first, second rune
	for signs := 0; ; signs++ {
		if signs == minSigns/2 {
			return true, false
		}
		if i >= len(s) {
			return false, true
		}
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case c == first || c == second || separators[byte(c)] && c < utf8.RuneSelf || signLetters[byte(c)] && ofSignWord(s, i):
		case c == '\u00a0' || c >= utf8.RuneSelf && char.Invisible(c):
			signs-- // also a separator
		case first == 0:
			first = c
		case second == 0:
			second = c
		default:
			return false, false
		}
		for i += size; i < len(s) && separators[s[i]]; {
			i++
		}
	}
}

var (
	// separators occur between signs.
	separators = func() char.ByteSet {
		t := char.SetOf("/|,;")
		for c := range t[:' '+1] {
			t[c] = true
		}
		return t
	}()
	// signLetters are the letters of the words for signs.
	signLetters = char.SetOf("dithaosDITHAOS")
)

// ofSignWord reports whether the letter at an offset may belong to a word for a
// sign, which begins with d and has at most four letters.
func ofSignWord(s string, i int) bool {
	for k := i; k >= 0 && i-k < 4 && char.IsLetter(s[k]); k-- {
		if s[k]|0x20 == 'd' {
			return true
		}
	}
	return false
}

// signBorders are marks beside a run that do not belong to it.
var signBorders = char.SetOf(":()[]{}'\"?!")

// threeSigns reports whether a text begins with three different letters or
// digits, none of which can begin a word for a sign. Nearly all words do.
func threeSigns(s string) bool {
	if len(s) < 3 {
		return false
	}
	a, b, c := s[0], s[1], s[2]
	return a != b && b != c && a != c && char.IsWord(a) && char.IsWord(b) && char.IsWord(c) && a|0x20 != 'd' && b|0x20 != 'd' && c|0x20 != 'd'
}

// hanSize is the length of a Han character, in bytes.
const hanSize = 3

// threeHan reports whether a text begins with three different Han characters.
func threeHan(s string) bool {
	if len(s) < 3*hanSize || s[0] < 0xE4 || s[hanSize] < 0xE4 || s[2*hanSize] < 0xE4 || s[0] > 0xE9 || s[hanSize] > 0xE9 || s[2*hanSize] > 0xE9 {
		return false
	}
	a, b, c := s[:hanSize], s[hanSize:2*hanSize], s[2*hanSize:3*hanSize]
	return a != b && b != c && a != c
}

// scan reads the run of two signs at i. end is the offset after it. It keeps
// the signs if there is room for them.
func (r *signRun) scan(s string, i int) (end int) {
	var first, second rune
	var last byte
	for end = i; end < len(s); {
		c, size := rune(s[end]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[end:])
		}
		if c|0x20 == 'd' {
			if n := signWord(s[end:]); n > 0 {
				size = n
				if s[end+1]|0x20 == 'a' || s[end+1]|0x20 == 's' {
					c = '-'
				} else {
					c = '.'
				}
			}
		}
		switch {
		case c == '/' || c == '|' || c == '\n' || c == ',' || c == ';':
			r.keep('/')
		case c <= ' ' || c == '\u00a0' || c > 0x7f && char.Invisible(c):
			r.keep(' ')
		case first == 0:
			first = c
			fallthrough
		case c == first:
			r.sign('.', end, &last)
		case second == 0:
			second = c
			fallthrough
		case c == second:
			r.sign('-', end, &last)
		default:
			return end
		}
		end += size
		if r.count == 0 {
			r.tail = end
			return end
		}
	}
	r.tail = end
	return end
}

// sign records one sign at an offset. last is the previous sign.
func (r *signRun) sign(c byte, at int, last *byte) {
	if c != *last {
		*last, r.tail = c, at
	}
	r.keep(c)
	r.count++
}

func (r *signRun) keep(c byte) {
	if r.signs != nil {
		r.signs = append(r.signs, c)
	}
}

// signWord returns the length of a word for a dot or a dash ("dit", "dah",
// "di", "dot", "dash"), or 0 if there is none.
func signWord(s string) int {
	if len(s) < 2 || s[0]|0x20 != 'd' {
		return 0
	}
	for _, w := range [...]string{"dash", "dit", "dah", "dot", "di", "da"} {
		if len(s) >= len(w) && strings.EqualFold(s[:len(w)], w) && (len(s) == len(w) || !char.IsLetter(s[len(w)])) {
			return len(w)
		}
	}
	return 0
}

// read tries the possible meanings of the two signs.
func (r *signRun) read() string {
	best, cost := "", CostStrange
	consider := func(text string) {
		if len(text) >= MinDecoded {
			if c := ProseCost(text); c < cost {
				best, cost = text, c
			}
		}
	}
	flipped := make([]byte, len(r.signs))
	for i, b := range r.signs {
		switch b {
		case '.':
			b = '-'
		case '-':
			b = '.'
		}
		flipped[i] = b
	}
	for _, signs := range [...][]byte{r.signs, flipped} {
		consider(decodeMorse(string(signs)))
		consider(decodeMorse(joinSigns(signs)))
		for _, short := range [...]bool{false, true} {
			consider(decodeBacon(signs, short))
		}
		consider(decodeBits(signs, 8))
		consider(decodeBits(signs, 7))
	}
	return best
}

// joinSigns joins signs that are separated by one blank, so that two blanks
// separate letters.
func joinSigns(signs []byte) string {
	out := make([]byte, 0, len(signs))
	for i := 0; i < len(signs); {
		j := i
		for j < len(signs) && signs[j] == ' ' {
			j++
		}
		switch n := j - i; {
		case n == 0:
			out = append(out, signs[i])
			j++
		case n == 1:
		case n < 4:
			out = append(out, ' ')
		default:
			out = append(out, '/')
		}
		i = j
	}
	return string(out)
}

func decodeMorse(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(strings.ReplaceAll(s, "   ", "/"), "/") {
		letters := 0
		for code := range strings.FieldsSeq(word) {
			if l := morse[code]; l != 0 {
				b.WriteByte(l)
				letters++
			}
		}
		if letters > 0 {
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// decodeBacon decodes groups of five signs as letters. short means that the
// alphabet has 24 letters, without j and v.
func decodeBacon(signs []byte, short bool) string {
	var b strings.Builder
	n, v, gap := 0, 0, 0
	// If letters are not separated, a blank separates words.
	least := 2
	for run, i := 0, 0; i < len(signs); i++ {
		if run++; signs[i] == ' ' || signs[i] == '/' {
			run = 0
		}
		if run > 5 {
			least = 1
		}
	}
	for _, c := range signs {
		if c == ' ' || c == '/' {
			if n == 0 {
				gap++
				if (gap == least || c == '/') && b.Len() > 0 {
					b.WriteByte(' ')
				}
			}
			continue
		}
		gap = 0
		v *= 2
		if c == '-' {
			v++
		}
		if n++; n < 5 {
			continue
		}
		if short && v > 8 {
			v++
		}
		if short && v > 20 {
			v++
		}
		if v > 25 {
			return ""
		}
		b.WriteByte('a' + byte(v))
		n, v = 0, 0
	}
	return segment(strings.Join(strings.Fields(b.String()), " "))
}

// decodeBits decodes groups of width signs as bytes.
func decodeBits(signs []byte, width int) string {
	out := make([]byte, 0, len(signs)/width)
	n, v := 0, 0
	for _, c := range signs {
		if c == ' ' || c == '/' {
			continue
		}
		v *= 2
		if c == '-' {
			v++
		}
		if n++; n == width {
			out = append(out, byte(v))
			n, v = 0, 0
		}
	}
	return textOf(out)
}
