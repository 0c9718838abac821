package quality

import (
	"regexp"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// personal are patterns of data about people. Addresses and numbers that are
// reserved for examples are no one's: RFC 2606 and RFC 6761 for names, and the
// numbers that regulators keep for films in North America (555), Britain (7700
// 900, Ofcom) and Germany (171 39200, Bundesnetzagentur).
var personal = []struct {
	what    string
	pattern func() *regexp.Regexp
	// innocent reports whether a match is nobody's.
	innocent func(string) bool
}{
	{"an e-mail address", lazyregexp.New(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`),
		func(s string) bool {
			return reservedName().MatchString(s)
		}},
	{"a telephone number", lazyregexp.New(`\+[1-9][0-9]{0,2}[ .-]?\(?[0-9]{2,4}\)?([ .-]?[0-9]{2,4}){2,4}\b`),
		func(s string) bool {
			digits := strings.Map(func(c rune) rune {
				if c < '0' || c > '9' {
					return -1
				}
				return c
			}, s)
			return strings.Contains(digits, "555") || strings.HasPrefix(digits, "447700900") ||
				strings.HasPrefix(digits, "4917139200")
		}},
	{"a payment card number", lazyregexp.New(`\b[3-6][0-9]{3}([ -]?[0-9]{4}){2}[ -]?[0-9]{3,4}\b`),
		func(s string) bool {
			return !luhn(s)
		}},
	{"an IBAN", lazyregexp.New(`\b[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?\b`), func(s string) bool {
		return !validIBAN(s)
	}},
	{"a US social security number", lazyregexp.New(`\b[0-8][0-9]{2}-[0-9]{2}-[0-9]{4}\b`), func(s string) bool {
		return strings.HasPrefix(s, "000") || strings.HasPrefix(s, "666")
	}},
	{"a secret key", lazyregexp.New(`\b(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|xox[abprs]-[A-Za-z0-9-]{10,}|sk-[A-Za-z0-9]{32,})\b|-----BEGIN [A-Z ]*PRIVATE KEY-----`), func(s string) bool {
		return strings.Contains(strings.ToUpper(s), "EXAMPLE")
	}},
}

var reservedName = lazyregexp.New(`(?i)(@|\.)(example(\.(com|net|org|edu))?|test|invalid|localhost|local)$`)

// luhn reports whether the digits of s have a valid check digit (ISO/IEC 7812).
func luhn(s string) bool {
	sum, double := 0, false
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] < '0' || s[i] > '9' {
			continue
		}

		d := int(s[i] - '0')
		if double {
			if d *= 2; d > 9 {
				d -= 9
			}
		}

		sum, double = sum+d, !double
	}

	return sum%10 == 0
}

// validIBAN reports whether the check digits are right (ISO 13616).
func validIBAN(s string) bool {
	s = strings.ReplaceAll(s, " ", "")
	if len(s) < 15 || len(s) > 34 {
		return false
	}

	rest := 0
	for _, c := range s[4:] + s[:4] {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		default:
			rest = (rest*100 + int(c-'A'+10)) % 97
		}
	}

	return rest == 1
}

// abuse are words that no dataset needs. The list is short on purpose: it finds
// what slipped in, and judges nothing.
var abuse = map[string]bool{
	"asshole": true, "bastard": true, "bitch": true, "cunt": true, "dickhead": true, "fuck": true, "fucking": true,
	"motherfucker": true,
	"shit":         true, "slut": true, "whore": true,
}

// checkText reports personal data and abuse in the text of an entry.
func (r *Report) checkText(entry, text string) {
	for _, p := range personal {
		for _, match := range p.pattern().FindAllString(text, -1) {
			if !p.innocent(match) {
				r.find("personal-data", entry, "%s: %.60q", p.what, match)
			}
		}
	}

	for _, word := range tokenize.Words(text) {
		if abuse[word] {
			r.find("abuse", entry, "the word %q", word)
		}
	}
}
