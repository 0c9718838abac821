package trec

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A line of a run file is "topic Q0 document rank score tag". The rank is
// ignored, as trec_eval ignores it: the scores alone order a run. Fields after
// the tag are ignored too.

// piece is a stretch of lines of one topic.
type piece struct {
	topic   string
	entries []entry
}

// parsed is what a block holds. Documents are numbered as its reader met
// them, lines from the block's first.
type parsed struct {
	index  int
	reader int
	pieces []piece
	lines  int // of this block
	before int // of the blocks before it
	tag    string
	err    *LineError // the first line that does not fit
	failed func(linesBefore int) error
}

// parseBlock reads the lines of a block up to the first that does not fit.
func parseBlock(file string, b block, documents *dictionary) parsed {
	p := parsed{index: b.index, failed: b.failed}
	entries := make([]entry, 0, bytes.Count(b.text, []byte{'\n'})+1)
	begin := 0 // where the piece at hand begins
	cut := func() {
		if begin < len(entries) {
			p.pieces[len(p.pieces)-1].entries = entries[begin:len(entries):len(entries)]
			begin = len(entries)
		}
	}
	topic := ""
	hasNUL := bytes.IndexByte(b.text, 0) >= 0
	for text := b.text; len(text) > 0; {
		var fields [6][]byte
		found, length := splitResult(text, &fields)
		line := text[:length]
		text = text[min(length+1, len(text)):]
		p.lines++
		if found == 0 && length <= maxLine {
			continue
		}
		score, isNumber := parseNumber(fields[4])
		if found < len(fields) || !isNumber || length > maxLine || hasNUL && bytes.IndexByte(line, 0) >= 0 {
			p.err = explain(file, p.lines, line)
			break
		}
		if string(fields[0]) != topic || len(p.pieces) == 0 {
			cut()
			topic = string(fields[0])
			p.pieces = append(p.pieces, piece{topic: topic})
		}
		if string(fields[5]) != p.tag {
			p.tag = string(fields[5])
		}
		entries = append(entries, entry{documents.number(fields[2]), float32(score), uint32(p.lines)})
	}
	cut()
	return p
}

// splitResult cuts the first line of a text at white space into the fields
// that count. It returns how many there are of them and the line's length.
func splitResult(text []byte, fields *[6][]byte) (found, length int) {
	at := 0
	for found < len(fields) {
		for at < len(text) && isSpace(text[at]) {
			if text[at] == '\n' {
				return found, at
			}
			at++
		}
		if at == len(text) {
			return found, at
		}
		start := at
		for at < len(text) && !isSpace(text[at]) {
			at++
		}
		fields[found] = text[start:at]
		found++
	}
	if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
		return found, at + end
	}
	return found, len(text)
}

// explain says what is wrong with a line.
func explain(file string, number int, line []byte) *LineError {
	l := &lines{file: file, number: number}
	var said *LineError
	if err := l.check(line); errors.As(err, &said) {
		return said
	}
	fields := l.split(line)
	if len(fields) < 6 {
		return l.errorf(fmt.Sprintf("%s instead of 6", count(fields)), `write "topic Q0 document rank score tag"`)
	}
	return l.errorf(fmt.Sprintf("score %s is not a number", quote(fields[4])), "write a decimal number, higher for better")
}

// exactPowers are the powers of ten that a float64 holds exactly.
var exactPowers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber is strconv.ParseFloat, by a shorter way for a plain decimal of at
// most 15 digits: its digits and the power of ten are exact as float64, so one
// division rounds once (Clinger, How to Read Floating Point Numbers
// Accurately, PLDI 1990). A number out of range is infinite or 0; NaN is no
// number.
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
