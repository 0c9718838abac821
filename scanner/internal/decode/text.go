package decode

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"io"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Kinds of decoded bytes: text, UTF-16, another encoding, raw deflate.

// textOf returns decoded bytes as text, inflating compressed ones first. It
// returns "" if they are not text.
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
			out, _ := io.ReadAll(io.LimitReader(r, MaxDecoded))
			if readable(out) {
				return strings.ToValidUTF8(string(out), "�")
			}

			return ""
		}
	}

	if readable(b) {
		return strings.ToValidUTF8(string(b), "�")
	}

	if text := utf16Text(b); text != "" {
		return text
	}

	if encodedAgain(b) {
		return string(b)
	}

	// Raw deflate has no header, but its first block is usually recognisable.
	if len(b) > 24 && len(b) < MaxDecoded && deflated(b[0]) {
		out, err := inflate(b)
		if err == nil && readable(out) {
			return strings.ToValidUTF8(string(out), "�")
		}
	}

	return ""
}

// utf16Text decodes bytes as UTF-16 of either byte order, if nearly all of the
// result is in living scripts. Otherwise it returns "".
func utf16Text(b []byte) string {
	if len(b) < 2*MinDecoded {
		return ""
	}

	n := len(b) / 2
	for _, order := range [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		strange := 0
		for i := 0; i < n && strange*10 <= n; i++ {
			switch u := order.Uint16(b[2*i:]); {
			case u >= ' ' && u < 0x180, u >= 0x400 && u < 0x500, u >= 0x3000 && u < 0x3100, u >= 0x4E00 && u < 0xA000,
				u >= 0xFF00 && u < 0xFF60, u == '\n':
			default:
				strange++
			}
		}

		if strange*10 > n {
			continue
		}

		units := make([]uint16, n)
		for i := range units {
			units[i] = order.Uint16(b[2*i:])
		}

		if text := []byte(string(utf16.Decode(units))); readable(text) {
			return string(text)
		}
	}

	return ""
}

// inflaters are reused, because each has tables of 40 KB.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// inflate decompresses raw deflate.
func inflate(b []byte) ([]byte, error) {
	z := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(z)
	if err := z.(flate.Resetter).Reset(bytes.NewReader(b), nil); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, MaxDecoded))
}

// encodedAgain reports whether bytes are another encoded run: only digits and
// letters, of significant length.
func encodedAgain(b []byte) bool {
	if len(b) < 2*token.MinRun {
		return false
	}
	for _, c := range b {
		if !char.Hex[c] {
			return false
		}
	}
	return true
}
