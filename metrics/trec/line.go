package trec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

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

// maxLine bounds the length of a line, so that a file that is not text cannot
// exhaust the memory.
const maxLine = 1 << 20

// manyFields is the largest number of fields that a message counts exactly.
// Further fields of a line are not read.
const manyFields = 7

// eachLine calls take with the number and the fields of each line that is not
// blank. A byte order mark before the first line is skipped. It stops at the first
// invalid line, for which take returns an error without a place. The fields are
// overwritten after the call.
func eachLine(file string, r io.Reader, take func(number int, fields [][]byte) *LineError) error {
	in := bufio.NewReaderSize(r, maxLine+2)
	var fields [manyFields][]byte
	for number := 1; ; number++ {
		line, end := in.ReadSlice('\n')
		if end != nil && !errors.Is(end, io.EOF) && !errors.Is(end, bufio.ErrBufferFull) {
			return fmt.Errorf("cannot read %s after line %d: %w", file, number-1, end)
		}

		if number == 1 {
			line = readlimit.WithoutMark(line)
		}

		err := checkLine(bytes.TrimSuffix(line, []byte{'\n'}))
		if found := splitFields(line, fields[:]); err == nil && found > 0 {
			err = take(number, fields[:found])
		}

		if err != nil {
			err.File, err.Line = file, number
			return err
		}

		if end != nil {
			return nil
		}
	}
}

// checkLine refuses a line that cannot be in a text file.
func checkLine(line []byte) *LineError {
	if len(line) > maxLine {
		return wrong("the line is longer than 1 MiB", "check that this is a text file with one result or label a line")
	}
	if bytes.HasPrefix(line, []byte(readlimit.Mark)) {
		return wrong("the line begins with a byte order mark",
			"remove the mark; it is allowed once, before the first line")
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return wrong("the line holds a NUL byte", "check that this is a text file")
	}
	if bytes.IndexByte(bytes.TrimSuffix(line, []byte{'\r'}), '\r') >= 0 {
		return wrong("the line holds a carriage return", "end each line with a line feed")
	}
	return nil
}

// splitFields splits a line at white space into at most len(fields) fields and
// ignores the rest. It returns the number of fields found.
func splitFields(line []byte, fields [][]byte) int {
	n, at := 0, 0
	for n < len(fields) {
		for at < len(line) && isSpace(line[at]) {
			at++
		}

		if at == len(line) {
			break
		}

		start := at
		for at < len(line) && !isSpace(line[at]) {
			at++
		}

		fields[n] = line[start:at]
		n++
	}

	return n
}

// isSpace is C's isspace in trec_eval's locale.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// wrong makes an error whose place is not known yet.
func wrong(message, remedy string) *LineError { return &LineError{Message: message, Remedy: remedy} }

func count(fields int) string {
	switch fields {
	case 1:
		return "1 field"
	case manyFields:
		return "more fields"
	}
	return fmt.Sprintf("%d fields", fields)
}

// quote shortens a field for a message.
func quote(field []byte) string {
	if len(field) > 60 {
		return fmt.Sprintf("%q...", field[:60])
	}
	return fmt.Sprintf("%q", field)
}
