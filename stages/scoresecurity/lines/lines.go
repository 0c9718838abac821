// Package lines reads lines of limited length. Both sides of the detector
// protocol use it, so that neither side can make the other use unlimited memory.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is the error of Read for a line beyond its limit.
var ErrTooLong = errors.New("line too long")

// Read returns the next line without its newline; the last line may lack one.
// After ErrTooLong, the rest of the line is still unread; see Skip. At the end of
// the input the error is io.EOF.
func Read(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		full := bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case len(full) > limit:
			// ReadSlice may have consumed the newline that Skip expects.
			if len(full) < len(line) {
				_ = r.UnreadByte() // one was just read
			}
			return nil, ErrTooLong
		case err == nil, err == io.EOF && len(line) > 0:
			return full, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// Skip reads past the next newline, or to the end of the input.
func Skip(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}
