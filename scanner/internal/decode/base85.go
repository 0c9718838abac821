package decode

import (
	"encoding/ascii85"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Base85, and lines of uuencode.

// findBase85 decodes Adobe's variant (ascii85), that of RFC 1924, which
// Python's b85encode writes, and Z85.
func findBase85(d *token.Doc) string {
	var c collector
	char.Runs(d.Text, &char.VisibleASCII, minRun85, func(run string) bool {
		marks := 0
		for i := range len(run) {
			if !char.WordBytes[run[i]] {
				marks++
			}
		}
		return marks*8 < len(run) || strings.Contains(run, "://") || c.add(decodeBase85(run))
	})
	return c.b.String()
}

// minRun85 is the smallest length of an unbroken run with many marks that may
// be base85.
const minRun85 = 25

// rfc1924 and z85 are the digits of RFC 1924 and of ZeroMQ's Z85.
const (
	rfc1924 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	z85     = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
)

var rfc1924Value, z85Value = valuesOf(rfc1924), valuesOf(z85)

// valuesOf maps digits to their values, and other bytes to -1.
func valuesOf(digits string) (t [256]int16) {
	for i := range t {
		t[i] = -1
	}
	for i := 0; i < len(digits); i++ {
		t[digits[i]] = int16(i)
	}
	return t
}

func decodeBase85(run string) string {
	if len(run) > MaxDecoded {
		return ""
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(run, "<~"), "~>")
	buf := make([]byte, len(inner)+8)
	if n, _, err := ascii85.Decode(buf, []byte(inner), true); err == nil {
		if text := textOf(buf[:n]); text != "" {
			return text
		}
	}
	for _, values := range [...]*[256]int16{&rfc1924Value, &z85Value} {
		if text := textOf(decodeDigits85(run, values)); text != "" {
			return text
		}
	}
	return ""
}

// decodeDigits85 decodes groups of five base-85 digits to four bytes.
func decodeDigits85(run string, values *[256]int16) []byte {
	var out []byte
	for i := 0; i < len(run); i += 5 {
		var n uint64
		size := min(5, len(run)-i)
		for k := range 5 {
			digit := int16(84)
			if k < size {
				if digit = values[run[i+k]]; digit < 0 {
					return nil
				}
			}
			n = n*85 + uint64(digit)
		}
		if n > 0xFFFFFFFF {
			return nil
		}
		four := []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
		out = append(out, four[:max(size-1, 0)]...)
	}
	return out
}

// findUU decodes lines of uuencode: the first character of a line is the number
// of bytes that follow, with four characters for each three.
func findUU(d *token.Doc) string {
	var out []byte
	lines := 0
	s := d.Text
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, "\r")
		if end := len(line) - 1; end < 4 || line[end] > '`' || line[end-1] > '`' || line[end-2] > '`' {
			continue // not a line of uuencode, nor the end of one
		}
		got := uuLine(line)
		if got == nil && lines == 0 {
			// A note may stand before the first line.
			if at := strings.Index(line, ": "); at >= 0 {
				got = uuLine(line[at+2:])
			}
		}
		if got != nil {
			lines++
			out = append(out, got...)
		}
	}
	if lines == 0 || len(out) < 2*MinDecoded {
		return ""
	}
	return textOf(out)
}

// uuLine returns the bytes of one line, or nil if it is not uuencode.
func uuLine(line string) []byte {
	if len(line) < 5 || line[0] <= ' ' || line[0] > ' '+45 {
		return nil
	}
	size := int(line[0] - ' ')
	digits := (size + 2) / 3 * 4
	if len(line)-1 > digits+1 || len(line)-1 < digits-3 {
		return nil
	}
	var group [4]byte
	out := make([]byte, 0, digits)
	for i := range digits {
		c := byte(' ') // blanks at the end of a line may be stripped
		if i+1 < len(line) {
			c = line[i+1]
		}
		if c < ' ' || c > '`' {
			return nil
		}
		group[i&3] = (c - ' ') & 63
		if i&3 == 3 {
			out = append(out, group[0]<<2|group[1]>>4, group[1]<<4|group[2]>>2, group[2]<<6|group[3])
		}
	}
	return out[:size]
}
