package check

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// hiddenCounts counts the characters of one field.
type hiddenCounts struct {
	tags, bidi, bidiStrong, zeroWidth, selectors, soft, filler, private, ansi, colour, control int
	// rtl is set if the text has right-to-left letters, for which bidi controls
	// are ordinary.
	rtl            bool
	first          int  // offset of the first hidden character
	embedded       int  // zero-width characters inside a Latin word
	run, longest   int  // consecutive hidden characters
	compat         int  // letters in a compatibility form: full-width, mathematical
	alike          bool // some letter is of a script with Latin look-alikes
	overlays, last int
}

func countHidden(s string) hiddenCounts {
	c := hiddenCounts{first: -1}
	var prev rune
	for i, size := 0, 0; i < len(s); i += size {
		if n := char.PlainPrefix(s[i:]); n > 0 {
			size, prev, c.run = n, rune(s[i+n-1]), 0
			continue
		}

		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		if c.count(s, i, r, prev) {
			if c.first < 0 {
				c.first = i
			}

			c.last = i
			c.run++
			c.longest = max(c.longest, c.run)
		} else {
			c.run = 0
		}

		prev = r
	}

	return c
}

// count counts the rune r at offset i, after prev, and reports whether it is
// hidden.
func (c *hiddenCounts) count(s string, i int, r, prev rune) bool {
	switch {
	case r == 0x1b:
		if n := char.EscapeLength(s[i:]); n > 1 && s[i+n-1] == 'm' && !concealing(s[i+2:i+n-1]) {
			c.colour++
		} else {
			c.ansi++
		}
	case r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r >= 0x80 && r < 0xa0 && r != 0x85:
		c.control++
	case r < 0x80 || r >= 0x3400 && r < 0xA000: // ASCII, or Han, which is never suspicious
		return false
	case r >= 0xE0000 && r < 0xE0080:
		// Flags of regions consist of a black flag and tags.
		if emojiTag(s, i) {
			return false
		}

		c.tags++
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		c.bidi++
		if r == 0x202E || r == 0x202D {
			c.bidiStrong++
		}
	case r >= 0xE0100 && r <= 0xE01EF, isSelector(r):
		if selects(r, prev) {
			return false
		}

		c.selectors++
	default:
		return c.countBlank(s, i, r, prev)
	}

	return true
}

// selects reports whether a variation selector after prev is used as intended:
// after an emoji, a digit or a Han character.
func selects(r, prev rune) bool {
	if r != 0xFE0F && r != 0xFE0E && (!char.IsCJK(prev) || r < 0xE0100) {
		return false
	}
	return r < 0xFE10 && !isSelector(prev) || char.IsCJK(prev)
}

// countBlank counts blank or private characters, and the forms of visible ones.
func (c *hiddenCounts) countBlank(s string, i int, r, prev rune) bool {
	switch {
	case zeroWidth(r):
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		if joinsLetters(r, prev, i) || unspaced(prev) || unspaced(next) {
			return false // in scripts without spaces it marks where a line may break
		}

		c.zeroWidth++
		if unicode.In(prev, unicode.Latin, unicode.Cyrillic, unicode.Greek) &&
			unicode.In(next, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			c.embedded++
		}
	case r == 0x00AD:
		if hyphenates(s, i) {
			return false
		}

		c.soft++
	case r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800 &&
		!(prev > 0x2800 && prev < 0x2900 || prev == ' '):
		c.filler++
	case r >= 0xE000 && r <= 0xF8FE || r >= 0xF0000: // U+F8FF is Apple's logo
		c.private++
	case char.Invisible(r) && r != 0x2800:
		c.zeroWidth++
	default:
		c.countForm(r, prev)
		return false
	}

	return true
}

// zeroWidth reports whether a rune is a zero-width character, a joiner or an
// invisible operator.
func zeroWidth(r rune) bool {
	return r == 0x200B || r == 0x200C || r == 0x200D || r == 0x2060 || r == 0xFEFF || r >= 0x2061 && r <= 0x2065 ||
		r >= 0x206A && r <= 0x206F || r == 0x180E || r == 0x034F
}

// joinsLetters reports whether a joiner after prev belongs to orthography or an
// emoji, or is a byte order mark at the beginning of the text.
func joinsLetters(r, prev rune, i int) bool {
	return r == 0x200D && (emojiLike(prev) || isSelector(prev)) || (r == 0x200C || r == 0x200D) && joins(prev) ||
		r == 0xFEFF && i == 0
}

// countForm counts the form of a visible rune.
func (c *hiddenCounts) countForm(r, prev rune) {
	c.alike = c.alike || char.MayMix(r)
	switch {
	case r >= 0x590 && r < 0x900 || r >= 0xFB1D && r < 0xFE00:
		c.rtl = true
	case r >= 0x0335 && r <= 0x0338 || r >= 0x0300 && r < 0x0370 && prev >= 0x0300 && prev < 0x0370:
		c.overlays++
	case r >= 0xFF21 && r <= 0xFF5A || r >= 0x1D400 && r <= 0x1D7FF || r >= 0x24B6 && r <= 0x24E9 || r >= 0x1F130 &&
		r <= 0x1F189:
		c.compat++
	}
}

// emojiTag reports whether the tag character at i belongs to a flag emoji: a
// black flag, at most seven tags, and the cancel tag.
func emojiTag(s string, i int) bool {
	const flag = 0x1F3F4
	for n := 0; n < 8 && i > 0; n++ {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
		if r == flag {
			return true
		}

		if r < 0xE0020 || r > 0xE007F {
			return false
		}
	}

	return false
}

func isSelector(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F }

func emojiLike(r rune) bool {
	return r >= 0x1F000 && r < 0x20000 || r >= 0x2190 && r < 0x2C00 || r == 0xA9 || r == 0xAE
}

// joins reports whether a joiner after r is orthography, as in Arabic, Indic
// and other scripts with joined letters.
func joins(r rune) bool {
	return r >= 0x0600 && r < 0x08FF || r >= 0x0900 && r < 0x1100 || r >= 0x1780 && r < 0x1900 || r >= 0xFB50 &&
		r < 0xFEFF || emojiLike(r)
}

// unspaced reports whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && r < 0x1100 || r >= 0x1780 && r < 0x1800 || char.IsCJK(r) || r >= 0xAC00 && r < 0xD7B0
}

// hyphenates reports whether the soft hyphen at i is used as intended: between
// longer parts of a long word.
func hyphenates(s string, i int) bool {
	left, right, word := 0, 0, 0
	part := true
	for k := i; k > 0 && i-k < 80; {
		r, size := utf8.DecodeLastRuneInString(s[:k])
		if r == 0xAD {
			part = false
		} else if !unicode.IsLetter(r) {
			break
		} else if part {
			left++
		}

		word++
		k -= size
	}

	part = true
	for k := i + 2; k < len(s) && k-i < 80; {
		r, size := utf8.DecodeRuneInString(s[k:])
		if r == 0xAD {
			part = false
		} else if !unicode.IsLetter(r) {
			break
		} else if part {
			right++
		}

		word++
		k += size
	}

	return word >= 9 && left >= 2 && right >= 2
}

// concealing reports whether the parameters of a colour sequence hide text: 8
// conceals, and 30 on 40 and 37 on 47 use one colour for text and background.
func concealing(params string) bool {
	fg, bg := "", ""
	for p := range strings.SplitSeq(params, ";") {
		switch {
		case p == "8":
			return true
		case len(p) == 2 && p[0] == '3':
			fg = p[1:]
		case len(p) == 2 && p[0] == '4':
			bg = p[1:]
		}
	}

	return fg != "" && fg == bg
}
