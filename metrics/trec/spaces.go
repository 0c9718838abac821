package trec

import (
	"bytes"
	"encoding/binary"
)

// isSpace is C's isspace in trec_eval's locale.
func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || '\t' <= c && c <= '\r') }

// windowSize is the number of bytes that are searched for the ends of fields at
// a time. It is small enough for the processor's nearest cache.
const windowSize = 16 << 10

// window is a part of a text, with a bit for each byte that may end a field or
// a line, that is, each byte not above the space. These bytes are classified
// later. Finding them 64 at a time saves nearly all branches (after Langdale
// and Lemire, Parsing Gigabytes of JSON per Second, VLDB Journal 28, 2019).
type window struct {
	data []byte
	bits [windowSize/64 + 2]uint64
}

// turnTo makes data, at most windowSize bytes, the current part.
func (w *window) turnTo(data []byte) {
	w.data = data
	at := 0
	for ; at+64 <= len(data); at += 64 {
		part := data[at : at+64]
		w.bits[at/64] = ^(aboveSpace(binary.LittleEndian.Uint64(part)) |
			aboveSpace(binary.LittleEndian.Uint64(part[8:]))<<8 |
			aboveSpace(binary.LittleEndian.Uint64(part[16:]))<<16 |
			aboveSpace(binary.LittleEndian.Uint64(part[24:]))<<24 |
			aboveSpace(binary.LittleEndian.Uint64(part[32:]))<<32 |
			aboveSpace(binary.LittleEndian.Uint64(part[40:]))<<40 |
			aboveSpace(binary.LittleEndian.Uint64(part[48:]))<<48 |
			aboveSpace(binary.LittleEndian.Uint64(part[56:]))<<56)
	}
	clear(w.bits[at/64:])
	for ; at < len(data); at++ {
		if data[at] <= ' ' {
			w.bits[at/64] |= 1 << (at % 64)
		}
	}
}

// aboveSpace sets a bit for each of eight bytes, from the lowest, that is above
// the space.
func aboveSpace(word uint64) uint64 {
	const low, high = 0x7f * ones, 0x80 * ones
	above := (word&low + (0x7f-' ')*ones) | word
	return above & high * 0x0002040810204081 >> 56
}

// ones has a 1 in each of eight bytes.
const ones = 0x0101010101010101

// from returns the bits of 64 bytes from a place on.
func (w *window) from(place int) uint64 {
	word, shift := uint(place)/64, uint(place)%64
	return w.bits[word]>>shift | w.bits[word+1]<<1<<(63-shift)
}

// lineReader reads lines from a window.
type lineReader interface {
	// plain reads lines from a place in the window, which begins at start in
	// the file, as long as they have the usual form. It returns the place in
	// the window where the first other line begins.
	plain(at, start int) int
	// careful reads a line of any form from its beginning and returns where the
	// next one begins. ok is false if the line is invalid.
	careful(at int) (next int, ok bool)
}

// walk reads the lines between two places of a file with r and stops at the
// first invalid one.
func (w *window) walk(data []byte, start, end int, r lineReader) {
	for ok := true; ok && start < end; {
		part := data[start:min(start+windowSize, end)]
		w.turnTo(part)
		for at, next := start, 0; ok; at = next {
			at = start + r.plain(at-start, start)
			rest := part[at-start:]
			if at > start && bytes.IndexByte(rest, '\n') < 0 && start+len(part) < end || len(rest) == 0 {
				start = at // the rest is a line of the next window
				break
			}
			if next, ok = r.careful(at); next >= start+len(part) {
				start = next
				break
			}
		}
	}
}
