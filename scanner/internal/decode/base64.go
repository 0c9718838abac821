package decode

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Decoders for bytes in base64 and hexadecimal digits.

func findBase64(d *token.Doc) string {
	var c collector
	whole := d.Text
	if d.Stats.Longest >= 4 && d.Stats.StrangeRun >= 4 && d.Stats.Capitals > 0 {
		whole = rejoined(whole)
	}
	char.Runs(whole, &char.Base64, token.MinRun, func(run string) bool {
		return c.add(decodeBase64(run))
	})
	return c.b.String()
}

// rejoined joins a run that was cut into pieces of equal length, at least four
// characters, separated by blanks or by the separators of a list of strings.
func rejoined(s string) string {
	var b strings.Builder
	last := 0
	for i := 0; i < len(s); {
		if !char.Base64[s[i]] {
			i++
			continue
		}

		from := i
		for i < len(s) && char.Base64[s[i]] {
			i++
		}

		size := i - from
		if size < 4 || size > 80 {
			continue
		}

		// Pieces of the same size follow; the last may be shorter.
		gap, pieces, end := 0, 1, i
		for {
			at := end
			for at < len(s) && at-end <= 5 && strings.IndexByte(" \"',+\n[]", s[at]) >= 0 {
				at++
			}

			if at == end || at-end > 5 || gap > 0 && at-end != gap {
				break
			}

			stop := at
			for stop < len(s) && char.Base64[s[stop]] {
				stop++
			}

			if stop == at || stop-at > size {
				break
			}

			gap = at - end
			pieces++
			end = stop
			if stop-at < size {
				break
			}
		}

		if pieces < 4 {
			continue
		}

		b.WriteString(s[last:from])
		for at := from; at < end; at += size + gap {
			b.WriteString(s[at:min(at+size, end)])
		}

		last, i = end, end
	}

	if last == 0 {
		return s
	}

	b.WriteString(s[last:])
	return b.String()
}

// decodeBase64 decodes a run of either alphabet, padded or not, and inflates
// compressed text. A run may start inside a word: up to three characters are
// skipped to find the start of a group.
func decodeBase64(run string) string {
	run = strings.Trim(run, "=")
	if len(run) > token.MinRun && run[0] == '+' && run[len(run)-1] == '-' {
		run = run[1 : len(run)-1] // UTF-7 encloses a run in these characters
	}

	if len(run) < token.MinRun-2 || !mixedRun(run) {
		return ""
	}

	enc := base64.RawStdEncoding
	if strings.IndexByte(run, '-') >= 0 || strings.IndexByte(run, '_') >= 0 {
		enc = base64.RawURLEncoding
		if strings.IndexByte(run, '+') >= 0 || strings.IndexByte(run, '/') >= 0 {
			return ""
		}
	}

	if strings.IndexByte(run, '=') >= 0 {
		// Several padded runs one after the other, or a name before its value:
		// the short part does not decode to text.
		var all strings.Builder
		for part := range strings.SplitSeq(run, "=") {
			if b, err := enc.DecodeString(part); err == nil && (len(part) >= token.MinRun || utf8.Valid(b)) {
				all.Write(b)
			}
		}

		return textOf([]byte(all.String()))
	}

	frames := 1
	if len(run) > 40 {
		frames = 4
	}

	for skip := range frames {
		r := run[skip:]
		if len(r)%4 == 1 {
			r = r[:len(r)-1]
		}

		if !promising(enc, r) {
			continue
		}

		b, err := enc.DecodeString(r)
		if err != nil {
			continue
		}

		if text := textOf(b); text != "" {
			return text
		}
	}

	return ""
}

// promising decodes only the beginning of a run: most runs are identifiers, and
// are refused here without an allocation.
func promising(enc *base64.Encoding, run string) bool {
	var in, out [48]byte
	n := copy(in[:], run)
	m, err := enc.Decode(out[:], in[:n&^3])
	if err != nil {
		return false
	}

	b := out[:m]
	if len(b) > 1 && (b[0] == 0x1f && b[1] == 0x8b || b[0] == 0x78) || len(run) > 48 && deflated(b[0]) {
		return true
	}

	odd := 0
	for i, c := range b {
		if c == 0 && i > 0 && i+1 < len(b) && b[i-1] != 0 && b[i+1] != 0 {
			continue // half of a character of UTF-16
		}

		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			odd++
		}
	}

	return odd*8 <= len(b)
}

// deflated reports whether a byte may begin a raw deflate stream of text.
func deflated(b byte) bool { return b&7 >= 2 && b&7 <= 5 }

// mixedRun reports whether a run is more than one long word, number or path.
func mixedRun(run string) bool {
	upper, lower, other, slashes := 0, 0, 0, 0
	for i := 0; i < len(run); i++ {
		switch c := run[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c == '/' || c == '_' || c == '-':
			slashes++
		default:
			other++
		}
	}

	if slashes*6 > len(run) || other == 0 && len(run) < 48 {
		return false
	}

	// A third of encoded text is upper case, unlike identifiers.
	return upper*6 >= len(run) && lower > 1 || upper > 1 && other*4 > len(run)
}

func findHex(d *token.Doc) string {
	var c collector
	char.Runs(d.Text, &char.Hex, token.MinRun, func(run string) bool { return c.add(decodeHex(run)) })
	return c.b.String()
}

func decodeHex(run string) string {
	run = strings.TrimPrefix(run, "0x")
	if len(run) < token.MinRun {
		return ""
	}
	b, err := hex.DecodeString(run[:len(run)&^1])
	if err != nil {
		return ""
	}
	return textOf(b)
}
