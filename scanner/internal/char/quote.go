package char

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a quotation in bytes, before and after characters are escaped.
const (
	maxAround = 60
	maxQuoted = MaxEvidence - 2*maxAround - 2*len("…")
)

// Quotation is an excerpt of a text, printable and of at most MaxEvidence bytes.
// Text[Start:End] are the quoted words, and what surrounds them is context.
type Quotation struct {
	Text       string
	Start, End int
}

// Quote returns text[start:end] with some context, cut between words where the
// script has spaces. An ellipsis shows where text was cut.
func Quote(text string, start, end int) Quotation {
	start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
	start, end = wordStart(text, start), wordEnd(text, max(start, end))
	end = max(start, end) // bytes that are no characters have no words
	for start < end && isSpace(text[start]) {
		start++
	}

	for end > start && isSpace(text[end-1]) {
		end--
	}

	from, to := contextStart(text, start), contextEnd(text, end)
	before := printable(strings.TrimLeftFunc(text[from:start], unicode.IsSpace), maxAround)
	words := printable(text[start:end], maxQuoted)
	after := printable(strings.TrimRightFunc(text[end:to], unicode.IsSpace), maxAround)
	if strings.TrimSpace(text[:from]) != "" {
		before = "…" + before
	}

	if strings.TrimSpace(text[to:]) != "" && !strings.HasSuffix(after, "…") {
		after += "…"
	}

	return Quotation{before + words + after, len(before), len(before) + len(words)}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// nearWord is the distance in bytes within which the end of a word is looked for.
const nearWord = 24

func wordStart(text string, at int) int {
	for i := at; i >= max(0, at-nearWord); i-- {
		if i == 0 || isSpace(text[i-1]) {
			return i
		}
	}
	return runeStart(text, at)
}

func wordEnd(text string, at int) int {
	for i := at; i <= min(len(text), at+nearWord); i++ {
		if i == len(text) || isSpace(text[i]) {
			return i
		}
	}
	return runeStart(text, at)
}

// around is the length of the context in bytes.
const around = 32

func contextStart(text string, at int) int {
	if at <= around {
		return 0
	}
	for i := at - around; i < at; i++ {
		if isSpace(text[i]) {
			return i
		}
	}
	return runeStart(text, at-around)
}

func contextEnd(text string, at int) int {
	if len(text)-at <= around {
		return len(text)
	}
	for i := at + around; i > at; i-- {
		if isSpace(text[i]) {
			return i
		}
	}
	return runeStart(text, at+around)
}

// runeStart moves a position back to the start of a character. Among bytes that are none it
// stays.
func runeStart(text string, at int) int {
	for i := at; i > at-utf8.UTFMax && i >= 0 && at < len(text); i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return at
}
