package scanner

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf8"
)

// Decoders for bytes written in an alphabet: base64, base32, base85, hex.

const minRun = 16

// byteSet is a set of ASCII characters.
type byteSet [256]bool

func setOf(s string) (t byteSet) {
	for i := 0; i < len(s); i++ {
		t[s[i]] = true
	}
	return t
}

const alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	base64Set = setOf(alnum + "+/-_=")
	base32Set = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567=")
	hexSet    = setOf("0123456789abcdefABCDEF")
)

// runs calls f with each maximal run of the set's characters of at least
// least bytes, until f says stop. It looks at where a run from i would have to
// reach and from there back, so that most of a text of short words is never
// looked at.
func runs(s string, set *byteSet, least int, f func(run string) bool) {
	for i := 0; i+least <= len(s); {
		k := i + least - 1
		for k >= i && set[s[k]] {
			k--
		}
		if k >= i {
			i = k + 1
			continue
		}
		j := i + least
		for j < len(s) && set[s[j]] {
			j++
		}
		if !f(s[i:j]) {
			return
		}
		i = j
	}
}

func findBase64(d *doc) string {
	if d.stats.longestWord < 12 {
		return ""
	}
	var c collector
	runs(unwrapped(d.text), &base64Set, minRun, func(run string) bool {
		text := decodeBase64(run)
		if text == "" && len(run) >= 24 && mixedRun(run) {
			if text = decodeBase64(reversed(run)); text == "" {
				turned := []byte(run)
				decipher(turned, 1, 13)
				text = decodeBase64(string(turned))
			}
		}
		return c.add(text)
	})
	return c.b.String()
}

// unwrapped removes line breaks from text that looks like wrapped base64:
// every line of one length. Others come back as they are.
func unwrapped(s string) string {
	if strings.IndexByte(s, '\n') < 0 {
		return s
	}
	var b strings.Builder
	rest := s
	for {
		line, tail, found := strings.Cut(rest, "\n")
		b.WriteString(line)
		if !found {
			break
		}
		last := strings.TrimRight(line, "\r")
		// A line that ends inside a long run goes on in the next.
		n := 0
		for n < len(last) && base64Set[last[len(last)-1-n]] {
			n++
		}
		if n < 24 || tail == "" || !base64Set[tail[0]] {
			b.WriteByte('\n')
		}
		rest = tail
	}
	return b.String()
}

// decodeBase64 decodes a run of either alphabet, padded or not; text that is
// compressed inside is inflated. A run may start inside a word: up to three
// characters are skipped to find the frame.
func decodeBase64(run string) string {
	run = strings.Trim(run, "=")
	if len(run) < minRun-2 || !mixedRun(run) {
		return ""
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
		if strings.ContainsAny(run, "+/") {
			return ""
		}
	}
	if strings.IndexByte(run, '=') >= 0 {
		// Several padded runs written one after the other, or a name before
		// its value: short letters that are no text when decoded.
		var all strings.Builder
		for part := range strings.SplitSeq(run, "=") {
			if b, err := enc.DecodeString(part); err == nil && (len(part) >= minRun || utf8.Valid(b)) {
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

// promising decodes the beginning of a run only: most runs are identifiers
// and end here, without an allocation.
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
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			odd++
		}
	}
	return odd*8 <= len(b)
}

// deflated says whether a byte may begin a raw deflate stream of text.
func deflated(b byte) bool { return b&7 >= 2 && b&7 <= 5 }

// mixedRun says whether a run is more than one long word, number or path.
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
	// Encoded text is a third upper case; identifiers are not.
	return upper*6 >= len(run) && lower > 1 || upper > 1 && other*4 > len(run)
}

// textOf gives decoded bytes as text, inflating them first when compressed;
// "" when they are not text.
func textOf(b []byte) string {
	if len(b) > 4 {
		var r io.Reader
		switch {
		case b[0] == 0x1f && b[1] == 0x8b:
			if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
				r = z
			}
		case b[0] == 0x78 && (b[1] == 0x01 || b[1] == 0x5e || b[1] == 0x9c || b[1] == 0xda):
			if z, err := zlib.NewReader(bytes.NewReader(b)); err == nil {
				r = z
			}
		}
		if r != nil {
			out, _ := io.ReadAll(io.LimitReader(r, maxDecoded))
			if readable(out) {
				return strings.ToValidUTF8(string(out), "�")
			}
			return ""
		}
	}
	if readable(b) || encodedAgain(b) {
		return strings.ToValidUTF8(string(b), "�")
	}
	if len(b) > 24 && len(b) < maxDecoded && !readable(b) {
		// Raw deflate has no header; its first block says so often enough.
		if deflated(b[0]) {
			out, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxDecoded))
			if err == nil && readable(out) {
				return strings.ToValidUTF8(string(out), "�")
			}
		}
	}
	return ""
}

// encodedAgain says whether bytes are one more encoded run: digits and letters
// only, of a length that says something.
func encodedAgain(b []byte) bool {
	if len(b) < 2*minRun {
		return false
	}
	for _, c := range b {
		if !hexSet[c] {
			return false
		}
	}
	return true
}

func findHex(d *doc) string {
	if d.stats.longestWord < minRun {
		return ""
	}
	var c collector
	runs(d.text, &hexSet, minRun, func(run string) bool { return c.add(decodeHex(run)) })
	return c.b.String()
}

func decodeHex(run string) string {
	run = strings.TrimPrefix(run, "0x")
	if len(run) < minRun {
		return ""
	}
	b, err := hex.DecodeString(run[:len(run)&^1])
	if err != nil {
		return ""
	}
	return textOf(b)
}

func findBase32(d *doc) string {
	if d.stats.longestWord < minRun {
		return ""
	}
	var c collector
	runs(d.text, &base32Set, minRun, func(run string) bool { return c.add(decodeBase32(run)) })
	return c.b.String()
}

func decodeBase32(run string) string {
	run = strings.TrimRight(run, "=")
	if len(run) < minRun || strings.IndexByte(run, '=') >= 0 {
		return ""
	}
	switch len(run) % 8 {
	case 1, 3, 6:
		run = run[:len(run)-1]
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(run)
	if err != nil {
		return ""
	}
	return textOf(b)
}

// findBase85 reads both alphabets in use: Adobe's (ascii85) and the one of
// RFC 1924, which Python's b85encode writes.
func findBase85(d *doc) string {
	s := d.text
	if d.stats.odd < 3 || len(s) < 25 {
		return ""
	}
	var c collector
	for i := 0; i < len(s); {
		// A run is unbroken, long, and rich in marks that prose uses singly.
		j, marks := i, 0
		for j < len(s) && s[j] > ' ' && s[j] < 0x7f {
			if !wordByte(s[j]) {
				marks++
			}
			j++
		}
		if j-i >= 25 && marks*8 >= j-i && !strings.Contains(s[i:j], "://") && !c.add(decodeBase85(s[i:j])) {
			break
		}
		for j < len(s) && !(s[j] > ' ' && s[j] < 0x7f) {
			j++
		}
		i = j
	}
	return c.b.String()
}

const rfc1924 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

var rfc1924Value = func() (t [256]int16) {
	for i := range t {
		t[i] = -1
	}
	for i := 0; i < len(rfc1924); i++ {
		t[rfc1924[i]] = int16(i)
	}
	return t
}()

func decodeBase85(run string) string {
	if len(run) > maxDecoded {
		return ""
	}
	inner := strings.TrimSuffix(strings.TrimPrefix(run, "<~"), "~>")
	buf := make([]byte, len(inner)+8)
	if n, _, err := ascii85.Decode(buf, []byte(inner), true); err == nil {
		if text := textOf(buf[:n]); text != "" {
			return text
		}
	}
	return textOf(decodeRFC1924(run))
}

func decodeRFC1924(run string) []byte {
	var out []byte
	for i := 0; i < len(run); i += 5 {
		var n uint64
		size := min(5, len(run)-i)
		for k := range 5 {
			digit := int16(84)
			if k < size {
				if digit = rfc1924Value[run[i+k]]; digit < 0 {
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
