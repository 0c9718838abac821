package trec

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// maxLine bounds a line, so that a file that is not text at all cannot fill
// the memory.
const maxLine = 1 << 20

// text is all that a file holds. Names of documents are looked up in it, so it
// stays as long as what was read of it.
type text struct {
	file    string
	data    []byte
	release func()
}

// readText reads a file to its end or, where that is possible, maps it into
// memory, which saves copying it.
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

// readAll reads to the end or to a line that is too long, which whoever reads
// the lines then refuses.
func readAll(r io.Reader) ([]byte, error) {
	const most = 1 << 20
	var data []byte
	start := 0 // of the last line
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

// lineAt is the number, from 1, of the line that holds a place. Nothing needs
// it but an error.
func (t *text) lineAt(place uint64) int { return 1 + bytes.Count(t.data[:place], []byte{'\n'}) }

// blocks cuts the text into parts of about size bytes that end where a line
// does, so that they can be read side by side. It gives the places between
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

// nameAt is the field that begins at a place.
func (t *text) nameAt(place uint64) []byte {
	rest := t.data[place:]
	end := 0
	for end < len(rest) && !isSpace(rest[end]) {
		end++
	}
	return rest[:end]
}
