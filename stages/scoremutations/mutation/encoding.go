package mutation

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf16"
)

// noted wraps an encoded text in a note that names the encoding. Attacks and
// benign entries get the same notes, and no note contains a request.
func noted(d *draft, what, text string) string {
	return fmt.Sprintf(d.random.pick("Details (%s): %s", "Remarks, %s: %s", "More on this in %s: %s"), what, text)
}

// eachByte formats every byte.
func eachByte(s, format, between string) string {
	parts := make([]string, len(s))
	for i := range len(s) {
		parts[i] = fmt.Sprintf(format, s[i])
	}
	return strings.Join(parts, between)
}

// utf16Escapes writes every UTF-16 code unit as \uXXXX.
func utf16Escapes(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return b.String()
}

// eachRune formats every character.
func eachRune(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func base85(s string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return "<~" + string(out[:ascii85.Encode(out, []byte(s))]) + "~>"
}

// encoder returns an operator for an encoding.
func encoder(name, note, what string, f func(string) string) Operator {
	return Operator{Family: Encoding, Name: name,
		Reads:   what + " The note names the encoding. Models decode it, and a decoder restores the text.",
		rewrite: inPlace(func(d *draft, s string) string { return noted(d, note, f(s)) })}
}

func encodings() []Operator {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	return []Operator{
		encoder("base64", "base64", "The passage in base64.", b64),
		encoder("base64-url", "base64", "The passage in base64 for URLs, without padding.",
			func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }),
		encoder("base32", "base32", "The passage in base32.",
			func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }),
		encoder("base85", "ascii85", "The passage in Ascii85, between its usual marks.", base85),
		encoder("hex", "hex", "The bytes of the passage as hexadecimal digits.",
			func(s string) string { return hex.EncodeToString([]byte(s)) }),
		encoder("octal", "octal", `The bytes of the passage as octal escapes (\151).`,
			func(s string) string { return eachByte(s, `\%03o`, "") }),
		encoder("percent", "URL encoding", "Every byte of the passage percent-encoded.",
			func(s string) string { return eachByte(s, "%%%02X", "") }),
		encoder("entities", "HTML", "Every character of the passage as a decimal character reference.",
			func(s string) string { return eachRune(s, "&#%d;") }),
		encoder("unicode-escapes", "JSON", `Every UTF-16 unit of the passage as \uXXXX.`, utf16Escapes),
		encoder("base64-twice", "base64, twice", "The passage in base64, encoded in base64 again.",
			func(s string) string { return b64(b64(s)) }),
	}
}
