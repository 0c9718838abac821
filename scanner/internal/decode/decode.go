package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Text hidden in an encoding becomes an additional field, whose layer names the
// encodings, and all text checks handle it like any other field. Each decoder
// first does a cheap test of the text, which most texts fail for all decoders.

// Decoder finds encoded runs in a text.
type Decoder struct {
	name string
	// find returns the decoded text of the runs in d, joined, or "".
	find func(d *token.Doc) string
}

// Decode returns the text that the decoder finds in d, "" if there is none, and
// the name of the encoding.
func (c *Decoder) Decode(d *token.Doc) (text, name string) {
	text = c.find(d)
	if text == "" {
		return "", ""
	}
	return text, c.name
}

// IsEncoded reports whether a whole text is in one of the byte encodings.
func IsEncoded(text string) bool {
	return decodeBase64(text) != "" || decodeHex(text) != "" || decodeBase32(text) != ""
}

var decoders = [deCount]Decoder{
	deBase64:   {"base64", findBase64},
	deHex:      {"hex", findHex},
	deBase32:   {"base32", findBase32},
	dePercent:  {"percent encoding", findPercent},
	deEscapes:  {"escapes", findEscapes},
	deEntities: {"HTML entities", findEntities},
	deNumbers:  {"numbers", findNumbers},
	deLeet:     {"leetspeak", findLeet},
	deSpaced:   {"spaced letters", findSpaced},
	deCipher:   {"a letter cipher", findCipher},
	deCase:     {"letters in any case", findCase},
}

// RawDecoder finds text in characters that normalisation removes.
type RawDecoder struct {
	Name string
	Find func(s string) string
}

// rawDecoders inspect the text before normalisation, which removes the
// characters that they decode.
var rawDecoders = []RawDecoder{
	{"tag characters", findTags},
	{"variation selectors", findSelectors},
	{"bidirectional override", findBidi},
	{"letters that look alike", findAlike},
}

// RawDecoders returns the raw decoders that are not in a set.
func RawDecoders(without Set) []RawDecoder {
	if without>>deCount == 0 {
		return rawDecoders
	}
	var left []RawDecoder
	for i, d := range rawDecoders {
		if without>>(int(deCount)+i)&1 == 0 {
			left = append(left, d)
		}
	}
	return left
}

// EncodedRun reports whether a text is one unbroken run of an encoding's
// alphabet, with digits or mixed case, which are rare in words.
func EncodedRun(s string) bool {
	upper, lower, digit := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c >= '0' && c <= '9' || c == '+' || c == '=':
			digit++
		case c == '/' || c == '_' || c == '-':
		default:
			return false
		}
	}

	return upper > 1 && lower > 1 || digit > 1 && upper+lower > 0
}

// readable reports whether decoded bytes are text that a model would read:
// valid, printable, with letters.
func readable(b []byte) bool {
	if len(b) < MinDecoded {
		return false
	}

	letters, odd, plain := 0, 0, true
	for i, r := range string(b) {
		plain = plain && (r >= 0x20 && r < 0x7f || r == '\n' || r == '\t' || r == '\r')
		switch {
		case r|0x20 >= 'a' && r|0x20 <= 'z' || r == ' ':
			letters++
		case r == 0xFFFD:
			if i+3 < len(b) {
				odd++
			}
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f:
			odd++
		case r >= 0x400:
			letters += 2 // other scripts take two and three bytes
		}
	}

	if plain && len(b) >= 2*MinDecoded {
		// Commands have as many digits and marks as letters. Random bytes of
		// this length are not all printable.
		return letters*3 >= len(b)
	}

	return odd*10 <= len(b) && letters*2 >= len(b)
}

// collector joins decoded runs.
type collector struct {
	b      strings.Builder
	pieces int
}

// add appends one more run. It returns false if there are enough.
func (c *collector) add(text string) bool {
	if text == "" {
		return true
	}
	if c.b.Len() > 0 {
		c.b.WriteByte('\n')
	}
	c.b.WriteString(text)
	c.pieces++
	return c.pieces < maxPieces
}

const (
	// MaxDecoded bounds the decoded text of one tool, in bytes, in addition to
	// twice its own size.
	MaxDecoded = 64 << 10
	// maxPieces bounds the encoded runs that are decoded per text.
	maxPieces = 16
	// MinDecoded is the length below which decoded text is not significant.
	MinDecoded = 8
)
