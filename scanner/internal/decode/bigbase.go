package decode

import (
	"math/bits"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Numbers in a base that is not a power of two: 58, 62, 36. All digits form one
// number whose bytes are the text, so decoding is quadratic; maxBigRun bounds
// it.

const (
	maxBigRun = 1500
	minBigRun = 32
)

// bigBases are the digits in use: Bitcoin's and Flickr's of base 58, and the
// three orders of letters of bases 62 and 36.
var bigBases = [...]string{
	"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
	"123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ",
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	"0123456789abcdefghijklmnopqrstuvwxyz",
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
}

var (
	bigValues = func() (t [len(bigBases)][256]int16) {
		for i, digits := range bigBases {
			t[i] = valuesOf(digits)
		}
		return t
	}()
	alnumSet = char.SetOf(char.AlphaNumeric)
)

func findBigBase(d *token.Doc) string {
	var c collector
	tried := 0
	char.Runs(d.Text, &alnumSet, minBigRun, func(run string) bool {
		if tried++; tried > 4 {
			return false
		}
		return c.add(decodeBigBase(run))
	})
	return c.b.String()
}

func decodeBigBase(run string) string {
	if len(run) > maxBigRun {
		return ""
	}
	upper, lower, digits := 0, 0, 0
	for i := 0; i < len(run); i++ {
		switch c := run[i]; {
		case c >= 'a':
			lower++
		case c >= 'A':
			upper++
		default:
			digits++
		}
	}
	// Digits of a number are evenly distributed, unlike words and hexadecimal
	// digits.
	if digits*20 < len(run) || upper > 0 && lower > 0 && (upper*6 < len(run) || lower*6 < len(run)) {
		return ""
	}
	for i := range bigValues {
		if upper > 0 && lower > 0 == (len(bigBases[i]) == 36) {
			continue
		}
		if b := bigNumber(run, &bigValues[i], uint64(len(bigBases[i]))); b != nil && readable(b) {
			return textOf(b)
		}
	}
	return ""
}

// bigNumber returns the bytes of a number, most significant first, or nil if a
// character is not a digit.
func bigNumber(run string, values *[256]int16, base uint64) []byte {
	words := make([]uint64, 0, len(run)/10+1) // least significant first
	for i := 0; i < len(run); i++ {
		carry := uint64(values[run[i]])
		if values[run[i]] < 0 {
			return nil
		}
		for k := range words {
			high, low := bits.Mul64(words[k], base)
			low, over := bits.Add64(low, carry, 0)
			words[k], carry = low, high+over
		}
		if carry > 0 {
			words = append(words, carry)
		}
	}
	var out []byte
	for k := len(words) - 1; k >= 0; k-- {
		for shift := 56; shift >= 0; shift -= 8 {
			if c := byte(words[k] >> shift); c != 0 || len(out) > 0 {
				out = append(out, c)
			}
		}
	}
	return out
}
