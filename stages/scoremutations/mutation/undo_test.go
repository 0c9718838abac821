package mutation

import (
	"bytes"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/contracts"
)

// undo gets the result of an operator and the passage. It returns both in a form in which they must
// be equal, mostly the passage itself.
type undo func(left, passage string) (got, want string)

func without(characters string) undo {
	return func(left, passage string) (string, string) {
		drop := func(s string) string {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(characters, r) {
					return -1
				}
				return r
			}, s)
		}
		return drop(left), drop(passage)
	}
}

// unnoted removes the note and decodes the rest.
func unnoted(decode func(string) string) undo {
	return func(left, passage string) (string, string) {
		_, code, _ := strings.Cut(left, ": ")
		return decode(code), passage
	}
}

// must adapts a decoder that returns an error.
func must[T string | []byte](f func(string) (T, error)) func(string) string {
	return func(s string) string {
		out, err := f(s)
		if err != nil {
			return "error: " + err.Error()
		}
		return string(out)
	}
}

func untable(table map[rune]rune) undo {
	back := map[rune]rune{}
	for latin, other := range table {
		back[other] = latin
	}
	return func(left, passage string) (string, string) {
		f := func(s string) string { return lookAlike(s, back, 1) }
		return f(left), f(passage)
	}
}

func normalised(left, passage string) (string, string) {
	return norm.NFKC.String(left), norm.NFKC.String(passage)
}

// sameLetters compares only the letters.
func sameLetters(left, passage string) (string, string) {
	f := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, norm.NFKC.String(strings.ToUpper(s)))
	}
	return f(left), f(passage)
}

var sequence = regexp.MustCompile("\x1b(\\[[0-9;]*[A-Za-z]|\\][^\x1b]*\x1b\\\\)|\u009b[0-9;]*[A-Za-z]")

func plainTerminal(left, passage string) (string, string) {
	f := func(s string) string { return flat(sequence.ReplaceAllString(s, "")) }
	return f(left), f(passage)
}

// inside looks for the passage in the result. It ignores line breaks and characters that the markup
// cannot contain.
func inside(left, passage string) (string, string) {
	f := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || strings.ContainsRune("\"'|/->*()[]", r) {
				return -1
			}
			return r
		}, s)
	}
	if strings.Contains(f(left), f(passage)) {
		return "", ""
	}
	return f(left), f(passage)
}

func unmorse(s string) string {
	back := map[string]string{"/": " "}
	for r, code := range morseCodes {
		back[code] = string(r)
	}
	var b strings.Builder
	for _, sign := range strings.Fields(s) {
		b.WriteString(back[sign])
	}
	return b.String()
}

// escaped matches one escaped byte, and decodes all of them.
func escaped(pattern string, base int) func(string) string {
	re := regexp.MustCompile(pattern)
	return func(s string) string {
		var out []byte
		for _, m := range re.FindAllStringSubmatch(s, -1) {
			n, err := strconv.ParseUint(m[1], base, 8)
			if err != nil {
				return "error: " + err.Error()
			}
			out = append(out, byte(n))
		}
		return string(out)
	}
}

func sorted(s string) string {
	r := []rune(s)
	slices.Sort(r)
	return string(r)
}

var undos = map[string]undo{
	"zero-width-space": without("\u200b"), "zero-width-joiner": without("\u200d"), "zero-width-non-joiner": without("\u200c"),
	"word-joiner": without("\u2060"), "soft-hyphen": without("\u00ad"),
	"tag-characters": func(left, passage string) (string, string) {
		return strings.Map(func(r rune) rune {
			if r > 0xE0000 {
				return r - 0xE0000
			}
			return r
		}, left), passage
	},
	"cyrillic-letters": untable(cyrillic), "cyrillic-all": untable(cyrillic),
	"full-width": normalised, "mathematical-bold": normalised, "underlined": without("\u0332"),
	"bidi-override": func(left, passage string) (string, string) {
		return reversed(strings.Trim(left, "\u202e\u202c")), passage
	},
	"base64":     unnoted(must(base64.StdEncoding.DecodeString)),
	"base64-url": unnoted(must(base64.RawURLEncoding.DecodeString)),
	"base32":     unnoted(must(base32.StdEncoding.DecodeString)),
	"base85": unnoted(must(func(s string) ([]byte, error) {
		s = strings.TrimSuffix(strings.TrimPrefix(s, "<~"), "~>")
		return io.ReadAll(ascii85.NewDecoder(strings.NewReader(s)))
	})),
	"hex":      unnoted(must(hex.DecodeString)),
	"octal":    unnoted(escaped(`\\([0-7]{3})`, 8)),
	"percent":  unnoted(must(url.PathUnescape)),
	"entities": unnoted(html.UnescapeString),
	"unicode-escapes": unnoted(must(func(s string) (out string, err error) {
		err = json.Unmarshal([]byte(`"`+s+`"`), &out)
		return out, err
	})),
	"base64-twice": unnoted(must(func(s string) ([]byte, error) {
		once, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			return nil, err
		}
		return base64.StdEncoding.DecodeString(string(once))
	})),
	"rot13":    unnoted(func(s string) string { return caesar(s, 13) }),
	"caesar-3": unnoted(func(s string) string { return caesar(s, 23) }),
	"atbash":   unnoted(atbash),
	"reversed": unnoted(reversed),
	"morse": func(left, passage string) (string, string) {
		_, code, _ := strings.Cut(left, ": ")
		keep := strings.Map(func(r rune) rune {
			if _, ok := morseCodes[r]; !ok && !unicode.IsSpace(r) {
				return -1
			}
			return r
		}, strings.ToLower(passage))
		return unmorse(code), flat(keep)
	},
	"braille": func(left, passage string) (string, string) {
		_, code, _ := strings.Cut(left, ": ")
		return strings.Map(func(r rune) rune {
			if i := slices.Index(brailleDots[:], r-0x2800); i >= 0 && r > 0x2800 {
				return 'a' + rune(i)
			}
			return r
		}, code), mapASCIILetters(passage, func(place int, _ bool) string { return string('a' + rune(place)) })
	},
	"leet":            func(left, passage string) (string, string) { return leet.Replace(left), leet.Replace(passage) },
	"swapped-letters": func(left, passage string) (string, string) { return sorted(left), sorted(passage) },
	"flipped-words": func(left, passage string) (string, string) {
		_, flipped, _ := strings.Cut(left, ": ")
		return mapWords(flipped, func(w string) string {
			if !latinWord(w, 2) {
				return w
			}
			return reversed(w)
		}), passage
	},
	"spaced-letters": without(" "),
	"random-case":    sameLetters,
	"lost-vowel": func(left, passage string) (string, string) {
		at := 0
		for i := range len(passage) { // left is what remains of it, in order
			if at < len(left) && left[at] == passage[i] {
				at++
			}
		}
		if at == len(left) && len(left)*10 >= len(passage)*7 {
			return "", ""
		}
		return left, passage
	},
	"emphasis": without("*"), "html-comment": inside, "code-fence": inside, "link-title": inside,
	"table-cell": inside, "block-quote": inside, "list": inside,
	"conceal": plainTerminal, "black-on-black": plainTerminal, "erased-line": plainTerminal, "colours": plainTerminal,
	"carrier-german": inside, "carrier-spanish": inside, "carrier-chinese": inside,
}

// A program that does not know the passage can undo every operator that keeps the wording.
func TestUndo(t *testing.T) {
	for _, op := range all() {
		if op.Family == Placement || op.Family == Splitting || strings.HasPrefix(op.Name, "mixed-") || op.Family == Paraphrase {
			continue
		}
		back, ok := undos[op.Name]
		if !ok {
			t.Errorf("%s cannot be undone", op.Name)
			continue
		}
		tried, enough := 0, 40
		entries := committed(t)
		if testing.Short() {
			entries, enough = some(t), 4
		}
		for _, e := range entries {
			d, ok := newDraft(definitionOf(e), newRandom(1, op.Name, e.ID))
			if !ok || d.at != nil {
				continue
			}
			passage := d.passage
			if strings.Contains(passage, "\u202e") || !op.rewrite(d) {
				continue
			}
			tried++
			left := strings.TrimPrefix(d.Description, d.cover+d.gap)
			if got, want := back(left, passage); got != want {
				t.Errorf("%s of %s left\n%q\nwhich is undone to\n%q\nand not to\n%q", op.Name, e.ID, left, got, want)
				break
			}
		}
		if tried < enough {
			t.Errorf("%s applies to %d descriptions", op.Name, tried)
		}
	}
}

// A moved or divided passage is still present, unchanged.
func TestEveryPartIsThere(t *testing.T) {
	for _, op := range all() {
		if op.Family != Placement && op.Family != Splitting || op.Name == "base64-in-two" {
			continue
		}
		for _, e := range some(t) {
			d, ok := newDraft(definitionOf(e), newRandom(1, op.Name, e.ID))
			if !ok {
				continue
			}
			passage := d.passage
			if !op.rewrite(d) {
				continue
			}
			var texts bytes.Buffer
			texts.WriteString(d.Description + "\n")
			for _, raw := range []json.RawMessage{d.InputSchema, d.OutputSchema, d.Annotations} {
				writeStrings(&texts, decode(raw))
			}
			for _, s := range d.siblings {
				texts.WriteString(s.Description + "\n")
			}
			parts := []string{passage}
			if op.Family == Splitting {
				parts = strings.FieldsFunc(passage, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
				if len(strings.Fields(passage)) < 6 {
					parts = strings.Split(passage, "") // it may have been cut anywhere
				}
			}
			for _, part := range parts {
				if !strings.Contains(texts.String(), strings.TrimSpace(part)) {
					t.Errorf("%s of %s lost %q in %q", op.Name, e.ID, part, texts.String())
				}
			}
		}
	}
}

func writeStrings(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			writeStrings(b, item)
		}
	case []any:
		for _, item := range v {
			writeStrings(b, item)
		}
	case string:
		b.WriteString(v + "\n")
	}
}

func TestBase64InTwo(t *testing.T) {
	for _, op := range Development() {
		if op.Name != "base64-in-two" {
			continue
		}
		views, _ := op.Variant(contracts.SecurityEntry{ID: "x", Description: "Adds two numbers. Read the notes first."}, 1)
		pieces := regexp.MustCompile(`of 2\): ([A-Za-z0-9+/=]+)`)
		a := pieces.FindStringSubmatch(views[0].Description)
		b := pieces.FindSubmatch(views[0].InputSchema)
		if text, err := base64.StdEncoding.DecodeString(a[1] + string(b[1])); err != nil || string(text) != "Read the notes first." {
			t.Errorf("%q, %v", text, err)
		}
	}
}
