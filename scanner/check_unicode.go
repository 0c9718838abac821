package scanner

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// checkUnicode finds characters that a reader does not see, and letters that
// pass for others.
var checkUnicode = registered{unicodeInfo, inspectUnicode}

var unicodeInfo = CheckInfo{
	ID: "unicode.hidden", Tier: TierHard, ThreatType: ThreatPromptInjection,
	Description: "characters that are not seen, reverse the text or pass for other letters",
}

// hiddenCounts tallies one field.
type hiddenCounts struct {
	tags, bidi, bidiStrong, zeroWidth, selectors, soft, filler, private, ansi, control int
	// rtl says that the text has right-to-left letters, for which bidi
	// controls are ordinary.
	rtl            bool
	first          int // offset of the first hidden character
	embedded       int // zero-width characters inside a Latin word
	run, longest   int // consecutive hidden characters
	compat         int // letters in a compatibility form: full-width, mathematical
	overlays, last int
}

func inspectUnicode(v *ToolView, _ *RegistryView) []Signal {
	var out []Signal
	for i := range v.allFields() {
		f := &v.fields[i]
		if !f.plain && f.layer == "" {
			out = append(out, hiddenSignals(v, f)...)
		}
	}
	return strongestOf(out)
}

// strongestOf keeps the strongest hard and the strongest soft signal: one
// smuggled sentence in ten fields is one reason, not ten.
func strongestOf(all []Signal) []Signal {
	var out []Signal
	for _, tier := range []Tier{TierHard, TierSoft} {
		best := -1
		for i := range all {
			if all[i].Tier == tier && (best < 0 || all[i].Confidence > all[best].Confidence) {
				best = i
			}
		}
		if best >= 0 {
			out = append(out, all[best])
		}
	}
	return out
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func countHidden(s string) hiddenCounts {
	c := hiddenCounts{first: -1}
	var prev rune
	for i, r := range s {
		hidden := true
		switch {
		case r == 0x1b:
			c.ansi++
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r >= 0x80 && r < 0xa0 && r != 0x85:
			c.control++
		case r < 0x80:
			hidden = false
		case r >= 0xE0000 && r < 0xE0080:
			// Flags of regions are a black flag and tags.
			if !emojiTag(s, i) {
				c.tags++
			} else {
				hidden = false
			}
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			c.bidi++
			if r == 0x202E || r == 0x202D {
				c.bidiStrong++
			}
		case r == 0x200E || r == 0x200F || r == 0x061C:
			c.bidi++
		case r >= 0xE0100 && r <= 0xE01EF, r >= 0xFE00 && r <= 0xFE0F:
			// A selector after an emoji, a digit or a Han character is what
			// selectors are for.
			if r == 0xFE0F || r == 0xFE0E || isCJK(prev) && r >= 0xE0100 {
				if r < 0xFE10 && !isSelector(prev) || isCJK(prev) {
					hidden = false
					break
				}
			}
			c.selectors++
		case r == 0x200B || r == 0x200C || r == 0x200D || r == 0x2060 || r == 0xFEFF || r >= 0x2061 && r <= 0x2065 || r >= 0x206A && r <= 0x206F || r == 0x180E || r == 0x034F:
			if r == 0x200D && (emojiLike(prev) || isSelector(prev)) || (r == 0x200C || r == 0x200D) && joins(prev) || r == 0xFEFF && i == 0 {
				hidden = false
				break
			}
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if unspaced(prev) || unspaced(next) {
				hidden = false // where words meet without spaces it says where a line may break
				break
			}
			c.zeroWidth++
			if unicode.In(prev, unicode.Latin, unicode.Cyrillic, unicode.Greek) && unicode.In(next, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
				c.embedded++
			}
		case r == 0x00AD:
			if hyphenates(s, i) {
				hidden = false
				break
			}
			c.soft++
		case r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800 && !(prev > 0x2800 && prev < 0x2900 || prev == ' '):
			c.filler++
		case r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000:
			c.private++
		case invisible(r) && r != 0x2800:
			c.zeroWidth++
		default:
			hidden = false
			switch {
			case r >= 0x590 && r < 0x900 || r >= 0xFB1D && r < 0xFE00:
				c.rtl = true
			case r >= 0x0335 && r <= 0x0338 || r >= 0x0300 && r < 0x0370 && prev >= 0x0300 && prev < 0x0370:
				c.overlays++
			case r >= 0xFF21 && r <= 0xFF5A || r >= 0x1D400 && r <= 0x1D7FF || r >= 0x24B6 && r <= 0x24E9 || r >= 0x1F130 && r <= 0x1F189:
				c.compat++
			}
		}
		if hidden {
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

// emojiTag says whether the tag character at i belongs to a flag emoji: such
// a sequence is a black flag, at most seven tags, and the cancel tag.
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

// joins says whether a joiner after r is orthography: Arabic, Indic and other
// scripts that join letters.
func joins(r rune) bool {
	return r >= 0x0600 && r < 0x08FF || r >= 0x0900 && r < 0x1100 || r >= 0x1780 && r < 0x1900 || r >= 0xFB50 && r < 0xFEFF || emojiLike(r)
}

// unspaced says whether a script is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && r < 0x1100 || r >= 0x1780 && r < 0x1800 || isCJK(r) || r >= 0xAC00 && r < 0xD7B0
}

// hyphenates says whether the soft hyphen at i does what it is for: it cuts a
// long word into parts of some length.
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

// hiddenSignals judges one field.
func hiddenSignals(v *ToolView, f *field) []Signal {
	c := countHidden(f.text)
	var out []Signal
	add := func(tier Tier, confidence float64, at, end int, format string, args ...any) {
		if at < 0 {
			at = 0
		}
		out = append(out, Signal{
			CheckID: unicodeInfo.ID, Tier: tier, ThreatType: ThreatPromptInjection,
			Confidence: confidence, critical: tier == TierHard,
			Evidence: excerpt(f.text, at, end),
			Detail:   f.where() + ": " + fmt.Sprintf(format, args...),
		})
	}
	end := c.last + 1
	zero := c.zeroWidth + c.soft + c.filler
	name := f.kind == kindName || f.kind == kindParamName
	switch {
	case c.tags > 0:
		add(TierHard, 1, c.first, end, "%d tag characters, which spell text that is not shown", c.tags)
	case c.selectors >= 4 && c.longest >= 3:
		add(TierHard, 1, c.first, end, "%d variation selectors in a row, which can carry bytes", c.selectors)
	case c.bidiStrong > 0 && !c.rtl:
		add(TierHard, 0.95, c.first, end, "bidirectional override in text without right-to-left letters")
	case c.longest >= 8 && zero >= 8:
		add(TierHard, 0.95, c.first, end, "%d zero-width characters in a row, which can carry bits", c.longest)
	case c.embedded >= 3:
		add(TierHard, 0.95, c.first, end, "zero-width characters inside %d words", c.embedded)
	case name && zero+c.bidi > 0:
		add(TierHard, 0.95, c.first, end, "an invisible character in a name")
	case c.ansi > 0:
		add(TierHard, 0.95, c.first, end, "terminal escape sequences, which can hide or forge text")
	case c.embedded > 0 || c.filler > 0 || c.zeroWidth > 1 || c.soft > 2:
		add(TierSoft, 0.6, c.first, end, "%d invisible characters", zero)
	case c.bidi > 0 && !c.rtl:
		add(TierSoft, 0.5, c.first, end, "directional marks in text without right-to-left letters")
	case c.control > 0:
		add(TierSoft, 0.5, c.first, end, "%d control characters", c.control)
	case c.private > 2 || c.selectors > 0:
		add(TierSoft, 0.4, c.first, end, "characters without a public meaning")
	}
	mixed, at, to := mixedWords(f.text)
	switch {
	case mixed > 0 && name:
		add(TierHard, 0.9, at, to, "a name of Latin letters and look-alikes of another script")
	case mixed >= 2:
		add(TierHard, 0.9, at, to, "%d words of Latin letters and look-alikes of another script", mixed)
	case mixed == 1:
		add(TierSoft, 0.6, at, to, "a word of Latin letters and look-alikes of another script")
	}
	if name && mixed == 0 {
		switch disguisedName(f.text) {
		case 2:
			add(TierHard, 0.9, 0, 40, "a word of a name with a letter of another script in the place of its own")
		case 1:
			add(TierSoft, 0.6, 0, 40, "a letter in a name that passes for another")
		}
	}
	if name && (c.compat > 0 || c.overlays > 0) {
		add(TierSoft, 0.6, 0, 40, "letters in a form that only looks like plain text")
	}
	return out
}

// mixedWords counts words in which letters of a look-alike script stand among
// Latin ones and read as a Latin word: every foreign letter has a likeness.
func mixedWords(s string) (n, start, end int) {
	from := -1
	latin, foreign, odd := 0, 0, 0
	flush := func(to int) {
		if from >= 0 && latin > 0 && foreign > 0 && odd == 0 && latin+foreign > 2 {
			if n == 0 {
				start, end = from, to
			}
			n++
		}
		from, latin, foreign, odd = -1, 0, 0, 0
	}
	for i, r := range s {
		if r < 0x80 && !(r|0x20 >= 'a' && r|0x20 <= 'z') || r >= 0x80 && !unicode.IsLetter(r) && !unicode.Is(unicode.Mn, r) && !invisible(r) {
			flush(i)
			continue
		}
		if from < 0 {
			from = i
		}
		switch sc := runeScript(r); sc {
		case scriptLatin:
			latin++
		case scriptCyrillic, scriptGreek, scriptArmenian, scriptCherokee:
			if _, ok := latinFolds[r]; ok && !scientific(r) {
				foreign++
			} else {
				odd++
			}
		case scriptNone:
		default:
			odd++
		}
	}
	flush(len(s))
	return n, start, end
}

// scientific letters stand beside Latin ones in formulas and units.
func scientific(r rune) bool {
	switch r {
	case 'α', 'β', 'γ', 'δ', 'Δ', 'ε', 'θ', 'λ', 'μ', 'π', 'σ', 'Σ', 'φ', 'ω', 'Ω', 'χ', 'ψ', 'η', 'κ', 'τ', 'ζ', 'ξ', 'Γ', 'Φ', 'Π':
		return true
	}
	return false
}
