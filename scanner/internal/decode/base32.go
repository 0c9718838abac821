package decode

import (
	"encoding/base32"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Base32 in the alphabets in use: that of RFC 4648 in capitals or small letters,
// its hexadecimal one, and Crockford's.

var (
	base32Sets = [...]*base32.Encoding{
		base32.StdEncoding.WithPadding(base32.NoPadding),
		base32.HexEncoding.WithPadding(base32.NoPadding),
		base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding),
	}
)

func findBase32(d *token.Doc) string {
	var c collector
	char.Runs(d.Text, &char.Base64, token.MinRun, func(run string) bool { return c.add(decodeBase32(run)) })
	return c.b.String()
}

func decodeBase32(run string) string {
	run = strings.TrimRight(run, "=")
	if len(run) < token.MinRun {
		return ""
	}

	letters, digits, small := 0, 0, 0
	for i := 0; i < len(run); i++ {
		switch c := run[i]; {
		case c >= 'A' && c <= 'Z':
			letters++
		case c >= 'a' && c <= 'z':
			small++
		case c >= '0' && c <= '9':
			digits++
		default:
			return ""
		}
	}

	if letters > 0 && small > 0 || digits == 0 && len(run) < 2*token.MinRun || letters+small < digits {
		return ""
	}

	if small > 0 {
		run = strings.ToUpper(run)
	}

	switch len(run) % 8 {
	case 1, 3, 6:
		run = run[:len(run)-1]
	}

	for _, enc := range base32Sets {
		if b, err := enc.DecodeString(run); err == nil {
			if text := textOf(b); text != "" {
				return text
			}
		}
	}

	return ""
}
