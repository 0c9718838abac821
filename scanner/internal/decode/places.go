package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Letters written one by one: by their place in the alphabet, by row and column
// of a square, or by the words of a spelling alphabet.

// minPlaces is the smallest number of letters that form a text.
const minPlaces = 12

// findPlaces decodes numbers as places in the alphabet (A1Z26), or pairs of
// digits as rows and columns of a square of 25 letters (Polybius, tap code).
func findPlaces(d *token.Doc) string {
	var c collector
	s := d.Text
	for i := 0; i < len(s); {
		if char.IsLetter(s[i]) {
			i++
			continue
		}
		p := places{}
		end := p.scan(s, i)
		if len(p.numbers) >= minPlaces && !c.add(p.read()) {
			break
		}
		i = max(end, i+1)
	}
	return c.b.String()
}

// dotted reports whether that many groups of dots are close to each other, with
// no more between two than two numbers and a separator.
func dotted(s string, groups int) bool {
	const near = 2*2 + 3*5
	n, last := 0, -near
	for i := 0; i < len(s); i++ {
		next := strings.IndexByte(s[i:], '.')
		if next < 0 {
			break
		}
		if i += next; i-last > near {
			n = 0
		}
		if i-last > 1 {
			n++
		}
		if last = i; n >= groups {
			return true
		}
	}
	return false
}

// places are small numbers with their separators: the number of bytes, and
// whether there is more than a blank.
type places struct {
	numbers []uint8
	gaps    []gap // before each number
}

type gap struct {
	width int
	mark  byte
}

// scan reads numbers of at most two digits, or groups of dots, from i on.
func (p *places) scan(s string, i int) (end int) {
	g := gap{}
	for end = i; end < len(s); {
		c := s[end]
		switch {
		case c >= '0' && c <= '9':
			n, from := 0, end
			for end < len(s) && s[end] >= '0' && s[end] <= '9' {
				n = min(n*10+int(s[end]-'0'), 255)
				end++
			}
			if end-from > 2 {
				return end
			}
			p.numbers = append(p.numbers, uint8(n))
			p.gaps = append(p.gaps, g)
			g = gap{}
			continue
		case c == '.':
			n := 0
			for end < len(s) && s[end] == '.' {
				n++
				end++
			}
			if n > 5 || end < len(s) && s[end] > ' ' {
				return end
			}
			p.numbers = append(p.numbers, uint8(n))
			p.gaps = append(p.gaps, g)
			g = gap{}
			continue
		case c == ' ' || c == '\n':
			g.width++
		case strings.IndexByte("-,;/|_:+()[]", c) >= 0:
			g.width++
			if g.mark == 0 || strings.IndexByte("/|;", c) >= 0 {
				g.mark = c
			}
		default:
			return end + 1
		}
		if g.width > 5 {
			return end + 1
		}
		end++
	}
	return end
}

// read tries the possible meanings of the numbers and returns the one that is
// most like prose.
func (p *places) read() string {
	best, cost := "", CostStrange
	consider := func(text string) {
		if c := ProseCost(text); c < cost {
			best, cost = text, c
		}
	}
	highest := uint8(0)
	for _, n := range p.numbers {
		highest = max(highest, n)
	}
	wide := p.wordGap()
	switch {
	case highest <= 5:
		for _, square := range squares {
			consider(p.pairs(square))
		}
	case highest <= 27:
		for base := range uint8(2) {
			consider(p.letters(wide, func(n uint8) byte {
				if n -= base; n < 26 {
					return 'a' + n
				}
				return ' '
			}))
		}
	case highest <= 55:
		for _, square := range squares {
			consider(p.letters(wide, func(n uint8) byte {
				if row, column := n/10-1, n%10-1; row < 5 && column < 5 {
					return square[row*5+column]
				}
				return ' '
			}))
		}
	}
	return best
}

// squares are the alphabets of 25 letters: k is written as c in the tap code,
// and j as i in Polybius' square.
var squares = [...]string{"abcdefghijlmnopqrstuvwxyz", "abcdefghiklmnopqrstuvwxyz"}

// wordGap returns the gaps that separate words: those unlike most others.
func (p *places) wordGap() gap {
	count := map[gap]int{}
	for _, g := range p.gaps[1:] {
		count[g]++
	}
	common := gap{}
	for g, n := range count {
		if n > count[common] || n == count[common] && (g.width < common.width || g.width == common.width && g.mark < common.mark) {
			common = g
		}
	}
	return common
}

func (p *places) letters(common gap, letter func(uint8) byte) string {
	var b strings.Builder
	for i, n := range p.numbers {
		if i > 0 && p.gaps[i] != common {
			b.WriteByte(' ')
		}
		b.WriteByte(letter(n))
	}
	return segment(b.String())
}

// pairs decodes two numbers a letter.
func (p *places) pairs(square string) string {
	var b strings.Builder
	even := places{gaps: []gap{{}}}
	for i := 0; i+1 < len(p.numbers); i += 2 {
		even.gaps = append(even.gaps, p.gaps[i])
	}
	common := gap{}
	if len(even.gaps) > 2 {
		even.gaps = even.gaps[2:]
		common = (&places{gaps: append([]gap{{}}, even.gaps...)}).wordGap()
	}
	for i := 0; i+1 < len(p.numbers); i += 2 {
		row, column := p.numbers[i]-1, p.numbers[i+1]-1
		if row > 4 || column > 4 {
			return ""
		}
		if i > 0 && p.gaps[i] != common {
			b.WriteByte(' ')
		}
		b.WriteByte(square[row*5+column])
	}
	return segment(b.String())
}

// spellingWords are the words of the common spelling alphabets, by letter: the
// ICAO's, its older English one, and other spellings of both.
const spellingWords = "alfa alpha able bravo baker charlie delta dog echo easy foxtrot fox golf george hotel how india item " +
	"juliet juliett jig kilo king lima love mike november nan oscar oboe papa peter quebec queen romeo roger sierra sugar " +
	"tango tare uniform uncle victor whiskey whisky william xray yankee yoke zulu zebra"

var IsSpellingWord = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(spellingWords) {
		m[w] = true
	}
	return m
}()

// findSpelling decodes the words of a spelling alphabet to their first letters.
func findSpelling(d *token.Doc) string {
	s := d.Text
	// E and T are in every text, so one of the words for each must occur.
	if !strings.Contains(s, "ango") && !strings.Contains(s, "ANGO") && !strings.Contains(s, "TARE") && !strings.Contains(s, "tare") && !strings.Contains(s, "Tare") {
		return ""
	}
	var c collector
	var p places
	last := 0
	flush := func() bool {
		defer func() { p = places{} }()
		if len(p.numbers) < minPlaces {
			return true
		}
		return c.add(p.letters(p.wordGap(), func(n uint8) byte { return 'a' + n }))
	}
	char.EachWord(s, func(from, to int) bool {
		word := strings.ToLower(s[from:min(to, from+12)])
		if word == "x" && strings.HasPrefix(s[to:], "-ray") || word == "x" && strings.HasPrefix(s[to:], "-Ray") {
			word = "xray"
		} else if word == "ray" && from > 1 && s[from-1] == '-' {
			last = to
			return true
		}
		switch n := len(p.numbers); {
		case IsSpellingWord[word]:
			g := gap{width: from - last}
			if n > 0 && g.width == 1 {
				g.mark = s[from-1]
			}
			if n > 0 && last >= 0 && strings.ContainsAny(s[last:from], "/|\n.,;") {
				g.mark = '/'
			}
			p.numbers = append(p.numbers, word[0]-'a')
			p.gaps = append(p.gaps, g)
		case n > 0 && (word == "space" || word == "blank" || word == "stop" || word == "break"):
			last = -to // a gap like no other
			return true
		case n > 0:
			if !flush() {
				return false
			}
		}
		last = to
		return true
	})
	flush()
	return c.b.String()
}
