package trec

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// exactPowers are the powers of ten that a float64 holds exactly.
var exactPowers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber is strconv.ParseFloat with a fast path for plain decimals of at
// most 15 digits: the digits and the power of ten are exact as float64, so one
// division rounds once (Clinger, How to Read Floating Point Numbers Accurately,
// PLDI 1990). A number out of range becomes infinite or 0. NaN is refused.
func parseNumber(text []byte) (float64, bool) {
	digits, at := text, -1
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	var whole uint64
	n := 0
	for i, c := range digits {
		switch {
		case '0' <= c && c <= '9' && n < 15:
			whole = whole*10 + uint64(c-'0')
			n++
		case c == '.' && at < 0:
			at = i
		default:
			return parseAnyNumber(text)
		}
	}
	if n == 0 {
		return parseAnyNumber(text)
	}
	value := float64(whole)
	if at >= 0 {
		value /= exactPowers[len(digits)-1-at]
	}
	if len(digits) < len(text) {
		value = -value
	}
	return value, true
}

func parseAnyNumber(text []byte) (float64, bool) {
	value, err := strconv.ParseFloat(string(text), 64)
	return value, (err == nil || errors.Is(err, strconv.ErrRange)) && !math.IsNaN(value)
}

// wholePowers are the powers of ten for as many decimals as parsePlain accepts.
var wholePowers = [8]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}

// parsePlain is parseNumber for a field data[start:end] of the most common
// form, which it reads as two words: one to eight digits, a point and at most
// seven digits. It needs 16 bytes before the end. plain is false for any other
// field.
func parsePlain(data []byte, start, end int) (value float64, plain bool) {
	if end < 16 {
		return 0, false
	}
	text := (*[16]byte)(data[end-16 : end])
	digit := start
	if data[start] == '-' {
		digit++
	}
	last := binary.LittleEndian.Uint64(text[8:])
	differs := last ^ '.'*ones
	found := (differs - ones) &^ differs & (0x80 * ones) // the lowest bit is at the point
	if found == 0 {
		return 0, false
	}
	point := bits.TrailingZeros64(found) / 8
	whole := end - 8 + point - digit // digits before the point
	if uint(whole-1) > 7 {
		return 0, false
	}
	before := binary.LittleEndian.Uint64(text[point&7:]) ^ zeros
	cut := uint(8-whole) * 8 & 63
	before = before >> cut << cut
	after := (last ^ zeros) &^ (found ^ (found - 1)) // all above the point
	const six, upper = 6 * ones, 0xf0 * ones
	if (before|after|(before+six)|(after+six))&upper != 0 {
		return 0, false // not all are digits
	}
	decimals := (7 - point) & 7
	value = float64(number(before)*wholePowers[decimals]+number(after)) / exactPowers[decimals]
	if digit > start {
		value = -value
	}
	return value, true
}

const zeros = '0' * ones

// number converts eight digits, each a byte of 0 to 9 with the lowest byte
// first. It combines neighbours, then pairs, then fours.
func number(digits uint64) int64 {
	digits = digits*10 + digits>>8
	const pairs = 0xff<<32 | 0xff
	return int64((digits&pairs*(100|1000000<<32) + digits>>16&pairs*(1|10000<<32)) >> 32)
}
