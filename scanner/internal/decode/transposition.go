package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Letters in another order: written in a zigzag (rail fence) or by columns.

const (
	maxRails   = 10
	maxColumns = 12
)

// transposed tries to decode a whole text whose characters were written in a
// zigzag or by columns and read line by line. It returns "" if no attempt gives
// prose.
func transposed(s string) string {
	s = strings.TrimRight(s, "\n")
	if len(s) > MaxDecoded || len(s) < 2*MinDecoded {
		return ""
	}
	if char.IsASCII(s) {
		return reordered([]byte(s), func(text []byte) string { return string(text) })
	}
	return reordered([]rune(s), func(text []rune) string { return string(text) })
}

// reordered works on the bytes or characters of the text.
func reordered[T byte | rune](text []T, str func([]T) string) string {
	out := make([]T, len(text))
	before := ProseCost(str(text))
	best, cost := 0, before-costGain
	look := func(n int) {
		if c := ProseCost(str(out[:min(len(out), cipherSample)])); c < cost {
			best, cost = n, c
		}
	}
	for n := 2; n <= maxRails; n++ {
		fence(out, text, n)
		look(n)
	}
	for n := 2; n <= maxColumns; n++ {
		columns(out, text, n)
		look(-n)
	}
	switch {
	case best > 0:
		fence(out, text, best)
	case best < 0:
		columns(out, text, -best)
	}
	if best == 0 || !convincing([]byte(str(out[:min(len(out), cipherSample)])), cost, before) {
		return ""
	}
	return str(out)
}

// fence undoes a rail fence. text holds the rails one after the other, each
// with the characters that the zigzag touched there.
func fence[T byte | rune](out, text []T, rails int) {
	period := 2 * (rails - 1)
	at := 0
	for r := range rails {
		for i := r; i < len(out); {
			out[i] = text[at]
			at++
			// Between the outer rails the zigzag passes twice in each period.
			step := period
			if m := i % period; r > 0 && r < rails-1 {
				if m == r {
					step = period - 2*r
				} else {
					step = 2 * r
				}
			}
			i += step
		}
	}
}

// columns undoes writing in rows of n and reading by columns.
func columns[T byte | rune](out, text []T, n int) {
	at := 0
	for c := range n {
		for i := c; i < len(out); i += n {
			out[i] = text[at]
			at++
		}
	}
}
