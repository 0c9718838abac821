package trec

import (
	"bytes"
	"fmt"
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

// lineFrom returns the line that begins at a place, without its line feed, and
// the place where the next line begins.
func (t *text) lineFrom(place int) (line []byte, next int) {
	rest := t.data[place:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		return rest[:end], place + end + 1
	}
	return rest, len(t.data)
}

// span is a part of a line, from one place up to but not including another.
type span struct{ start, end int }

func (s span) of(line []byte) []byte { return line[s.start:s.end] }

// splitFields splits a line at white space into at most len(fields) fields and
// ignores the rest. It returns the number of fields found.
func splitFields(line []byte, fields []span) int {
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
		fields[n] = span{start, at}
		n++
	}
	return n
}

// checkLine refuses a line that cannot be in a text file.
func checkLine(line []byte) *LineError {
	if len(line) > maxLine {
		return wrong("the line is longer than 1 MiB", "check that this is a text file with one result or label a line")
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return wrong("the line holds a NUL byte", "check that this is a text file")
	}
	return nil
}

// wrong makes an error whose place is not known yet.
func wrong(message, remedy string) *LineError { return &LineError{Message: message, Remedy: remedy} }

// at sets the place of an error: the beginning of its line.
func (e *LineError) at(t *text, place uint64) *LineError {
	e.File, e.Line = t.file, t.lineAt(place)
	return e
}

// manyFields is the largest number of fields that a message counts exactly.
const manyFields = 7

func count(fields int) string {
	switch fields {
	case 1:
		return "1 field"
	case manyFields:
		return "more"
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
