package trec

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// maxLine bounds the length of a line, so that a file that is not text cannot
// exhaust the memory.
const maxLine = 1 << 20

// text is the whole content of a file. Results refer to names of documents by
// their place in it, so it lives as long as they do.
type text struct {
	file    string
	data    []byte
	release func()
}

// readText reads a file to its end or, if possible, maps it into memory, which
// avoids a copy.
func readText(file string, r io.Reader) (*text, error) {
	if f, ok := r.(*os.File); ok {
		if data, release, ok := mapFile(f); ok {
			return &text{file, data, release}, nil
		}
	}
	data, err := readAll(r)
	t := &text{file: file, data: data, release: func() {}}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s after line %d: %w", file, t.lineAt(uint64(len(data)))-1, err)
	}
	return t, nil
}

// readAll reads to the end or to a line that is too long, which the reader of
// the lines then refuses.
func readAll(r io.Reader) ([]byte, error) {
	const most = 1 << 20
	var data []byte
	start := 0 // start of the last line
	for len(data)-start <= maxLine {
		if cap(data)-len(data) < most {
			data = append(make([]byte, 0, 2*cap(data)+most), data...)
		}
		n, err := r.Read(data[len(data) : len(data)+most])
		if end := bytes.LastIndexByte(data[len(data):len(data)+n], '\n'); end >= 0 {
			start = len(data) + end + 1
		}
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return data, err
		}
	}
	return data, nil
}

// lineAt returns the number, from 1, of the line that contains a place. Only
// errors need it.
func (t *text) lineAt(place uint64) int { return 1 + bytes.Count(t.data[:place], []byte{'\n'}) }

// blocks cuts the text into parts of about size bytes that end at the end of a
// line, so that they can be read in parallel. It returns the places between
// them, from 0 to the end.
func (t *text) blocks(size int) []int {
	places := []int{0}
	for at := size; at < len(t.data); {
		end := bytes.IndexByte(t.data[at:], '\n')
		if end < 0 || at+end+1 == len(t.data) {
			break
		}
		at += end + 1
		places = append(places, at)
		at += size
	}
	return append(places, len(t.data))
}

// nameAt returns the field that begins at a place.
func (t *text) nameAt(place uint64) []byte {
	rest := t.data[place:]
	end := 0
	for end < len(rest) && !isSpace(rest[end]) {
		end++
	}
	return rest[:end]
}
