//go:build !containers

package source

import (
	"encoding/json"
	"strings"
)

// lineMap gives the lines of an original text from those of the text that was made of it.
type lineMap struct {
	starts   []int // the offset of each generated line
	segments [][]segment
}

// segment begins at a column of the generated line.
type segment struct{ column, original int }

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// newLineMap reads a source map, version 3 (ECMA-426): for each generated line, segments of
// differences in base 64, of which the third is that of the original line.
func newLineMap(code, sourceMap []byte) *lineMap {
	var m struct{ Mappings string }
	_ = json.Unmarshal(sourceMap, &m) // without mappings, all lines are 1
	l := &lineMap{starts: []int{0}}
	for i, c := range code {
		if c == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}

	original := 0
	for line := range strings.SplitSeq(m.Mappings, ";") {
		var list []segment
		column := 0
		for text := range strings.SplitSeq(line, ",") {
			fields := differences(text)
			if len(fields) < 4 {
				continue
			}

			column += fields[0]
			original += fields[2]
			list = append(list, segment{column, original})
		}

		l.segments = append(l.segments, list)
	}

	return l
}

// differences decodes the numbers of a segment.
func differences(text string) (list []int) {
	value, shift := 0, 0
	for i := range len(text) {
		digit := strings.IndexByte(base64Digits, text[i])
		if digit < 0 || shift > 30 {
			return nil
		}

		value |= digit & 31 << shift
		if shift += 5; digit&32 != 0 {
			continue
		}

		n := value >> 1
		if value&1 != 0 {
			n = -n
		}

		list = append(list, n)
		value, shift = 0, 0
	}

	return list
}

// line returns the original line of an offset in the generated text, from 1.
func (l *lineMap) line(offset int) int {
	lo, hi := 0, len(l.starts)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.starts[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}

	for at := lo; at >= 0; at-- {
		if at >= len(l.segments) {
			continue
		}

		found := -1
		for _, s := range l.segments[at] {
			if at == lo && s.column > offset-l.starts[lo] {
				break
			}
			found = s.original
		}

		if found >= 0 {
			return found + 1
		}
	}

	return 1
}
