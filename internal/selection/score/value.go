package score

import (
	"encoding/json"
	"math/big"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// similarity is how much of an expected value the actual one matches, 0 to 1.
//
//   - Values of different JSON types differ: "5" is not 5.
//   - Numbers are equal by value: 1, 1.0 and 1e0.
//   - Strings are equal after sameString.
//   - In an object each expected member counts the same, and unexpected members
//     do not count.
//   - An array is a list: its elements count by their place, over the longer of
//     the two. If the schema has uniqueItems it is a set: each expected element is
//     paired with its best partner.
func similarity(expected, actual any, s node) float64 {
	switch want := expected.(type) {
	case nil:
		return truth(actual == nil)
	case bool:
		got, ok := actual.(bool)
		return truth(ok && got == want)
	case json.Number:
		got, ok := actual.(json.Number)
		return truth(ok && sameNumber(want, got))
	case string:
		got, ok := actual.(string)
		return truth(ok && sameString(want, got, s))
	case map[string]any:
		got, ok := actual.(map[string]any)
		if !ok {
			return 0
		}

		return objectSimilarity(want, got, s)
	case []any:
		got, ok := actual.([]any)
		if !ok {
			return 0
		}

		if s.unique() {
			return setSimilarity(want, got, s.items())
		}

		return listSimilarity(want, got, s.items())
	}

	return 0
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func objectSimilarity(want, got map[string]any, s node) float64 {
	if len(want) == 0 {
		return 1
	}

	sum := 0.0
	for name, v := range want {
		member := s.property(name)
		if g, ok := got[name]; ok {
			sum += similarity(v, g, member)
		} else if d, ok := member.defaultValue(); ok {
			sum += similarity(v, d, member)
		}
	}

	return sum / float64(len(want))
}

func listSimilarity(want, got []any, items node) float64 {
	longer := max(len(want), len(got))
	if longer == 0 {
		return 1
	}
	sum := 0.0
	for i := range min(len(want), len(got)) {
		sum += similarity(want[i], got[i], items)
	}
	return sum / float64(longer)
}

// maxSet bounds the number of comparisons of two sets, which is the product of
// their sizes.
const maxSet = 1000

func setSimilarity(want, got []any, items node) float64 {
	longer := max(len(want), len(got))
	switch {
	case longer == 0:
		return 1
	case longer > maxSet:
		return listSimilarity(want, got, items)
	}

	taken := make([]bool, len(got))
	sum := 0.0
	// Equal elements are paired first, so that no similar element takes their
	// place.
	paired := make([]bool, len(want))
	for _, exactly := range []bool{true, false} {
		for i, w := range want {
			best, at := 0.0, -1
			for j := 0; j < len(got) && !paired[i]; j++ {
				if taken[j] {
					continue
				}

				if v := similarity(w, got[j], items); v > best && (v == 1 || !exactly) {
					best, at = v, j
				}
			}

			if at >= 0 {
				taken[at], paired[i] = true, true
				sum += best
			}
		}
	}

	return sum / float64(longer)
}

// maxExponent bounds exact computation: a number such as 1e999999999 is useless
// as a fraction.
const maxExponent = 400

// sameNumber compares decimal numbers by value, without rounding.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, okX := rational(string(a))
	y, okY := rational(string(b))
	return okX && okY && x.Cmp(y) == 0
}

func rational(text string) (*big.Rat, bool) {
	mantissa, exponent, found := strings.Cut(strings.ToLower(text), "e")
	if len(mantissa) > 2*maxExponent {
		return nil, false
	}
	if found {
		if e, err := strconv.Atoi(exponent); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// sameString compares two strings. Both are normalised to NFC first. Then:
//
//   - Two dates are equal if they are the same day, two times if they are the
//     same instant, however they are written.
//   - Two URLs are equal if they differ only in the case of scheme and host, in
//     a default port or in the path "/".
//   - If the schema restricts the value (enum, const, pattern or format), other
//     strings are equal only if all their characters are.
//   - Other strings are compared without surrounding blanks, with runs of
//     blanks as one and, if they consist only of words, without case: "paris" is
//     "Paris", but "id_A" is not "id_a".
func sameString(a, b string, s node) bool {
	a, b = norm.NFC.String(a), norm.NFC.String(b)
	if a == b || sameTime(a, b) || sameURL(a, b) {
		return true
	}

	if s.restricted() {
		return false
	}

	a, b = strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " ")
	if a == b {
		return true
	}

	return words(a) && words(b) && cases.Fold().String(a) == cases.Fold().String(b)
}

// words reports whether a text consists of letters, marks, blanks and sentence
// punctuation only, so that its case cannot matter to a program.
func words(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsSpace(r) && !strings.ContainsRune("'’-,.!?;", r)
	})
}

func sameTime(a, b string) bool {
	return sameIn(a, b, selection.ParseDay) || sameIn(a, b, selection.ParseInstant)
}

func sameIn(a, b string, parse func(string) (time.Time, bool)) bool {
	x, okX := parse(a)
	y, okY := parse(b)
	return okX && okY && x.Equal(y)
}

func sameURL(a, b string) bool {
	x, okX := canonicalURL(a)
	y, okY := canonicalURL(b)
	return okX && okY && x == y
}

func canonicalURL(text string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	u.Host = strings.ToLower(u.Host)
	u.Host = strings.TrimSuffix(u.Host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), true
}
