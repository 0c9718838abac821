package readlimit

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Both sides of a protocol of lines use Line, so that neither side can make the
// other use unlimited memory.

// ErrLineTooLong is the error of Line for a line beyond its limit.
var ErrLineTooLong = errors.New("line too long")

// Line returns the next line without its newline; the last line may lack one.
// After ErrLineTooLong, the rest of the line is still unread; see SkipLine. At the end of
// the input the error is io.EOF.
func Line(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		full := bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case len(full) > limit:
			// ReadSlice may have consumed the newline that SkipLine expects.
			if len(full) < len(line) {
				_ = r.UnreadByte() // one was just read
			}

			return nil, ErrLineTooLong
		case err == nil, err == io.EOF && len(line) > 0:
			return full, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// Read is a line of Lines, or the error that ended them.
type Read struct {
	Line []byte
	Err  error
}

// Lines reads lines as Line does, whether or not somebody waits for one, so that a program
// which writes them never blocks on a full pipe. The last value has an error: io.EOF at the
// end of the input, or ErrLineTooLong. Then, or when stop is closed, the channel is closed.
func Lines(r io.Reader, limit int, stop <-chan struct{}) <-chan Read {
	lines := make(chan Read)
	go func() {
		defer close(lines)
		buffered := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := Line(buffered, limit)
			select {
			case lines <- Read{line, err}:
			case <-stop:
				return
			}

			if err != nil {
				return
			}
		}
	}()
	return lines
}

// SkipLine reads past the next newline, or to the end of the input.
func SkipLine(r *bufio.Reader) error {
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
