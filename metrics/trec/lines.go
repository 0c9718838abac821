package trec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line, so that a file that is not text at all cannot fill
// the memory.
const maxLine = 1 << 20

// LineError is a line that does not fit its format.
type LineError struct {
	File    string
	Line    int
	Message string
	Remedy  string
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: %s; %s", e.File, e.Line, e.Message, e.Remedy)
}

// lines walks over the lines of a file that hold anything. It reuses one
// buffer: a field lives until the next call of next.
type lines struct {
	file   string
	reader *bufio.Reader
	long   []byte
	number int
	fields [7][]byte
}

func newLines(file string, r io.Reader) *lines {
	return &lines{file: file, reader: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the fields of the next line that is not blank: at most seven,
// whatever follows is left in the last. It returns io.EOF at the end.
func (l *lines) next() ([][]byte, error) {
	for {
		line, err := l.line()
		if len(line) == 0 && err != nil {
			return nil, err
		}
		l.number++
		if err := l.check(line); err != nil {
			return nil, err
		}
		if fields := l.split(line); len(fields) > 0 {
			return fields, nil
		}
	}
}

// line reads one line. It returns the last one together with io.EOF when no
// line feed ends it.
func (l *lines) line() ([]byte, error) {
	part, err := l.reader.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, l.wrap(err)
	}
	l.long = append(l.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) && len(l.long) <= maxLine {
		part, err = l.reader.ReadSlice('\n')
		l.long = append(l.long, part...)
	}
	if len(l.long) > maxLine {
		return nil, tooLong(l.file, l.number+1)
	}
	return l.long, l.wrap(err)
}

// check refuses a line that no text file has.
func (l *lines) check(line []byte) error {
	if len(line) > maxLine {
		return tooLong(l.file, l.number)
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return l.errorf("the line holds a NUL byte", "check that this is a text file")
	}
	return nil
}

func tooLong(file string, line int) *LineError {
	return &LineError{file, line, "the line is longer than 1 MiB", "check that this is a text file with one result or label a line"}
}

func (l *lines) wrap(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("cannot read %s after line %d: %w", l.file, l.number, err)
}

func (l *lines) split(line []byte) [][]byte {
	n := 0
	for n < len(l.fields) {
		start := 0
		for start < len(line) && isSpace(line[start]) {
			start++
		}
		if start == len(line) {
			break
		}
		end := start
		for end < len(line) && !isSpace(line[end]) {
			end++
		}
		l.fields[n] = line[start:end]
		line = line[end:]
		n++
	}
	return l.fields[:n]
}

// isSpace is C's isspace in the locale that trec_eval runs in.
func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || '\t' <= c && c <= '\r') }

func (l *lines) errorf(message, remedy string) *LineError {
	return &LineError{l.file, l.number, message, remedy}
}

// quote shortens a field for a message.
func quote(field []byte) string {
	if len(field) > 60 {
		return fmt.Sprintf("%q...", field[:60])
	}
	return fmt.Sprintf("%q", field)
}
