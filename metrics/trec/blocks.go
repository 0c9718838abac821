package trec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// block is a part of a file that ends where a line does, so that blocks can
// be read side by side.
type block struct {
	index int
	text  []byte
	// failed makes the error that comes after the text, when the file cannot
	// be read on.
	failed func(linesBefore int) error
}

// readBlocks cuts what r holds into blocks of about size bytes and calls yield
// with each until it returns false. Texts that are done with may come back
// through free.
func readBlocks(file string, r io.Reader, size int, free <-chan []byte, yield func(block) bool) {
	var rest []byte
	for index := 0; ; index++ {
		var text []byte
		select {
		case text = <-free:
		default:
		}
		if cap(text) < len(rest)+size {
			text = make([]byte, len(rest)+size)
		}
		text = text[:cap(text)]
		start := copy(text, rest)
		n, err := io.ReadFull(r, text[start:])
		text = text[:start+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			yield(block{index: index, text: text})
			return
		}
		end := bytes.LastIndexByte(text, '\n') + 1
		rest = append(rest[:0], text[end:]...)
		b := block{index: index, text: text[:end]}
		switch {
		case err != nil:
			b.failed = func(before int) error { return fmt.Errorf("cannot read %s after line %d: %w", file, before, err) }
		case len(rest) > maxLine:
			b.failed = func(before int) error { return tooLong(file, before+1) }
		}
		if !yield(b) || b.failed != nil {
			return
		}
	}
}
