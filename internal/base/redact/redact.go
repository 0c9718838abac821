// Package redact removes the values of secrets from text that leaves the program:
// messages, events, logs, records and reports. A Set learns a value when the program
// learns it, and every text that leaves passes through the Set.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// Mark is the text that replaces a secret.
const Mark = "[secret]"

// MinLength is the length in bytes of the shortest value that is replaced. A shorter
// value occurs by chance in many words: replacing it would make text unreadable and not
// protect it.
const MinLength = 4

// Set holds the values to remove. The zero value holds none. A Set is safe for
// concurrent use, and a nil Set removes nothing.
type Set struct {
	mu       sync.RWMutex
	known    map[string]bool
	patterns []string // what to replace: each value in each of its forms
}

// Add adds the values of secrets. Of a value with several lines, each line is removed
// too, because programs print lines.
func (s *Set) Add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range values {
		for _, v := range append(strings.Split(value, "\n"), value) {
			if v = strings.TrimSpace(v); len(v) < MinLength || s.known[v] {
				continue
			}

			if s.known == nil {
				s.known = map[string]bool{}
			}

			s.known[v] = true
			s.patterns = append(s.patterns, forms(v)...)
		}
	}

	slices.SortFunc(s.patterns, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	s.patterns = slices.Compact(s.patterns)
}

// forms lists a value as it is, quoted for JSON, Go, HTML and URLs, and encoded as
// base64 and hexadecimal.
func forms(v string) []string {
	inGo := strconv.Quote(v)
	inASCII := strconv.QuoteToASCII(v)
	list := []string{
		v, inGo[1 : len(inGo)-1], inASCII[1 : len(inASCII)-1],
		jsonText(v, true), jsonText(v, false), asciiJSON(v), html.EscapeString(v),
		strings.ReplaceAll(v, "'", `'\''`), // in a word of a shell
	}
	for _, escaped := range []string{url.QueryEscape(v), url.PathEscape(v),
		strings.ReplaceAll(url.QueryEscape(v), "+", "%20")} {
		list = append(list, escaped, lowerEscapes(escaped))
	}

	digits := hex.EncodeToString([]byte(v))
	list = append(list, digits, strings.ToUpper(digits))
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		list = append(list, e.EncodeToString([]byte(v)), e.WithPadding(base64.NoPadding).EncodeToString([]byte(v)))
		for shift := range 3 {
			list = append(list, inside(e, v, shift))
		}
	}

	return slices.DeleteFunc(list, func(f string) bool { return len(f) < MinLength || f != v && len(f) < minEncoded })
}

// minEncoded is the length of the shortest part of an encoded value that is replaced.
const minEncoded = 6

// inside returns the characters of base64 text that only depend on v, if shift bytes
// and a multiple of three are encoded before it, and others after it.
func inside(e *base64.Encoding, v string, shift int) string {
	text := e.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), v...))
	first := (shift*8 + 5) / 6       // the characters before it hold bits of other bytes
	last := (shift*8 + len(v)*8) / 6 // so do those from here
	return text[min(first, last):last]
}

func jsonText(v string, escapeHTML bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	if enc.Encode(v) != nil {
		return v
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// asciiJSON is JSON as Python and PHP write it, with every other character escaped.
func asciiJSON(v string) string {
	var b strings.Builder
	for _, r := range jsonText(v, false) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// lowerEscapes writes the digits of %2F in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:], bytes.ToLower(b[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// Text returns a text without the secrets.
func (s *Set) Text(text string) string {
	if s == nil {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	spans := find(text, s.patterns, strings.Index)
	if len(spans) == 0 {
		return text
	}
	return string(without(text, spans))
}

// Bytes returns content without the secrets. It returns content itself if it holds none.
func (s *Set) Bytes(content []byte) []byte {
	if s == nil {
		return content
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	spans := find(content, s.patterns, func(b []byte, pattern string) int { return bytes.Index(b, []byte(pattern)) })
	if len(spans) == 0 {
		return content
	}
	return without(content, spans)
}

// copied is the number of bytes that Copy holds at once, besides the length of the longest secret.
const copied = 1 << 20

// Copy copies r to w without the secrets. It holds only a part of the text at a time.
func (s *Set) Copy(w io.Writer, r io.Reader) error {
	if s.Empty() {
		_, err := io.Copy(w, r)
		return err
	}

	s.mu.RLock()
	patterns := slices.Clone(s.patterns)
	s.mu.RUnlock()
	longest := 0
	for _, p := range patterns {
		longest = max(longest, len(p))
	}

	var text []byte
	for more := true; more; {
		n, err := io.CopyN((*appending)(&text), r, copied+int64(longest))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}

		more = n == copied+int64(longest)
		spans := find(text, patterns, func(b []byte, p string) int { return bytes.Index(b, []byte(p)) })
		cut := len(text)
		if more {
			// A secret that begins before cut also ends in text.
			cut -= longest
		}

		for i, p := range spans {
			if p.end > cut && cut < len(text) {
				cut, spans = min(cut, p.start), spans[:i]
				break
			}
		}

		if _, err := w.Write(without(text[:cut], spans)); err != nil {
			return err
		}
		text = append(text[:0], text[cut:]...)
	}
	return nil
}

// appending is a writer that appends to a slice.
type appending []byte

func (a *appending) Write(b []byte) (int, error) {
	*a = append(*a, b...)
	return len(b), nil
}

// without returns content with a mark in the place of each span.
func without[T string | []byte](content T, spans []span) []byte {
	var b []byte
	at := 0
	for _, p := range spans {
		b = append(append(b, content[at:p.start]...), Mark...)
		at = p.end
	}
	return append(b, content[at:]...)
}

// Holds reports whether a text holds a secret.
func (s *Set) Holds(text string) bool { return s.Text(text) != text }

// Empty reports whether there is nothing to remove.
func (s *Set) Empty() bool {
	if s == nil {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.patterns) == 0
}

type span struct{ start, end int }

// find lists where patterns occur. Spans that overlap are joined, because one secret may
// contain the beginning of another.
func find[T string | []byte](text T, patterns []string, index func(T, string) int) []span {
	var spans []span
	for _, p := range patterns {
		for at := 0; ; {
			i := index(text[at:], p)
			if i < 0 {
				break
			}

			spans = append(spans, span{at + i, at + i + len(p)})
			at += i + 1
		}
	}

	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	joined := spans[:0]
	for _, p := range spans {
		if n := len(joined); n > 0 && p.start < joined[n-1].end {
			joined[n-1].end = max(joined[n-1].end, p.end)
			continue
		}

		joined = append(joined, p)
	}

	return joined
}
