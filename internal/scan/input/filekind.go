package input

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// notJSON is the error for a text that is not JSON. Where the text is something else
// altogether, the error says what, because no place in it can be corrected.
func notJSON(file string, text []byte, err error) error {
	var syntax *syntaxError
	at := 0
	if errors.As(err, &syntax) {
		at = syntax.at
	}

	if syntax != nil && strings.Contains(syntax.err.Error(), "exceeded max depth") {
		return &InputError{Place: Place{File: file, Line: lineOf(text, at)}, Column: columnOf(text, at),
			Reason: "it is nested too deeply", Remedy: "check that it is the file you meant: real lists nest fewer " +
				"than 20 levels"}
	}

	if what, remedy := otherFormat(file, text, at); what != "" {
		return &InputError{Place: Place{File: file}, Reason: "it is " + what, Remedy: remedy}
	}

	return &InputError{Place: Place{File: file, Line: lineOf(text, at)}, Column: columnOf(text, at),
		Reason: err.Error(), Remedy: "correct the JSON here"}
}

// formats are kinds of files that people have instead of JSON, by their media type.
var formats = []struct{ mediaType, name, remedy string }{
	{"application/x-gzip", "a file compressed with gzip", "decompress it first"},
	{"application/zip", "a ZIP archive", "unpack it, and name the files in it"},
	{"application/x-rar-compressed", "an archive", "unpack it, and name the files in it"},
	{"application/pdf", "a PDF document", asJSON},
	{"text/html", "an HTML page", asJSON},
	{"text/xml", "XML", asJSON},
	{"image/", "an image", asJSON},
	{"audio/", "a recording of sound", asJSON},
	{"video/", "a video", asJSON},
}

const asJSON = "save the answer of the server to tools/list as JSON, or scan the server itself with " +
	"--server-command or --url"

// otherFormat says what a text is whose JSON ends at an offset, or returns "".
func otherFormat(file string, text []byte, at int) (what, remedy string) {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return "text in UTF-16, not JSON in UTF-8", "save it as UTF-8"
	}

	kind, _, _ := strings.Cut(http.DetectContentType(text), ";")
	for _, f := range formats {
		if strings.HasPrefix(kind, f.mediaType) {
			return f.name + ", not JSON", f.remedy
		}
	}

	start := skipSeparators(text, 0)
	jsonStart := start < len(text) && bytes.IndexByte([]byte("{[\"/"), text[start]) >= 0
	if odd := binaryAt(text, jsonStart); odd >= 0 {
		return fmt.Sprintf("a binary file, not JSON: the byte at offset %d is 0x%02x", odd, text[odd]), asJSON
	}

	ext := strings.ToLower(filepath.Ext(file))
	if ext == ".yaml" || ext == ".yml" || start < len(text) && at-start < 80 && yamlStart().Match(text[start:]) {
		return "YAML, not JSON", "convert it to JSON"
	}

	if jsonStart || at-start >= 8 {
		return "", ""
	}

	if json := jsonLine().FindIndex(text); json != nil {
		return fmt.Sprintf("plain text, not JSON, before line %d", lineOf(text, json[0])), "remove what is before it"
	}

	return "plain text, not JSON", asJSON
}

var (
	// yamlStart is the beginning of most YAML files: comments, and then a document, a
	// list of mappings, or a key of one. A line such as "Error: text" is plain text.
	yamlStart = lazyregexp.New(`^(?:#[^\n]*\n|\s*\n)*(?:---\r?\n|- +[A-Za-z_][A-Za-z0-9_-]*: |[A-Za-z_][A-Za-z0-9_-]*:\r?\n)`)
	// jsonLine is a line that begins like JSON.
	jsonLine = lazyregexp.New(`(?m)^[ \t]*(?:\{|\[\s*\{)`)
)

// binaryAt returns the offset of the first byte that no text has, or -1. In a text that
// begins like JSON only a zero byte counts: others are a mistake in a string.
func binaryAt(text []byte, jsonStart bool) int {
	for i, b := range text[:min(len(text), 1<<20)] {
		if b == 0 || b < ' ' && !jsonStart && bytes.IndexByte([]byte("\t\n\r\f\b\v\x1b"), b) < 0 {
			return i
		}
	}
	return -1
}

// eventField is the beginning of a line of server-sent events, as a server over HTTP
// answers them.
var eventField = lazyregexp.New(`^(?:event|data|id|retry)?:`)

// eventData returns the data of server-sent events, with blanks for everything else, so
// that every byte keeps its place. ok is false for another text.
func eventData(text []byte) (data []byte, ok bool) {
	data = bytes.Clone(text)
	for at := 0; at < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}

		line := bytes.TrimRight(text[at:end], "\r")
		field := eventField().Find(line)
		switch {
		case len(line) == 0:
		case field == nil:
			return nil, false
		case string(field) == "data:":
			copy(data[at:], "     ")
			ok = true
		default:
			copy(data[at:], bytes.Repeat([]byte(" "), len(line)))
		}

		at = end + 1
	}

	return data, ok
}
