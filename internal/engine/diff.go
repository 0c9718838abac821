package engine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// inputBytes reads the current content of a single-file input.
func (r *run) inputBytes(input *pipeline.Input) ([]byte, error) {
	if len(input.Files) == 1 {
		f, err := cache.OpenRegular(input.Files[0].Source)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(f)
	}
	out, _ := r.outcomes[input.From[0].From.Instance].Output(input.From[0].From.Output)
	return r.Store.Bytes(out.Digest)
}

// diffLimit limits the lines of a difference. Further lines are only counted.
const diffLimit = 20

// diffFile describes the changes between two versions of a file: the entries, by
// id, if both are JSON objects with lists of objects with ids, or else the lines.
func diffFile(before, after []byte) []string {
	if only := diffNotation(before, after); only != "" {
		return []string{only}
	}

	if jsonEqual(before, after) {
		return []string{sameEntries}
	}

	if lines := diffSequence(before, after); lines != nil {
		return lines
	}

	a, okA := jsonEntries(before)
	b, okB := jsonEntries(after)
	if !okA || !okB {
		return diffLines(before, after)
	}

	lines, distinct := diffNamed(a, b)
	switch {
	case len(lines) > 0:
		return limitLines(lines)
	case len(a) == len(b) && distinct && sameMembers(before, after):
		return []string{sameEntries}
	}

	return diffLines(before, after)
}

// limitLines replaces the lines after the limit by their number.
func limitLines(lines []string) []string {
	if extra := len(lines) - diffLimit; extra > 0 {
		lines = append(lines[:diffLimit], fmt.Sprintf("and %d more", extra))
	}
	return lines
}

// diffNamed describes the changes between entries by their names. distinct is false if two of the earlier ones have
// the same name.
func diffNamed(a, b []jsonEntry) (lines []string, distinct bool) {
	old := make(map[string]jsonEntry, len(a))
	for _, e := range a {
		old[e.name] = e
	}

	distinct = len(old) == len(a)
	for _, e := range b {
		o, ok := old[e.name]
		delete(old, e.name)
		switch {
		case !ok:
			lines = append(lines, fmt.Sprintf("line %d: %s added", e.line, e.name))
		case !jsonEqual(o.raw, e.raw):
			lines = append(lines, fmt.Sprintf("line %d: %s edited%s", e.line, e.name, editedFields(o.raw, e.raw)))
		}
	}

	for _, e := range a {
		if _, gone := old[e.name]; gone {
			lines = append(lines, fmt.Sprintf("%s removed (was line %d)", e.name, e.line))
		}
	}

	return lines, distinct
}

// jsonEntry is an object of a top-level list, or another top-level value.
type jsonEntry struct {
	name string
	line int
	raw  json.RawMessage
}

// idKeys are the members that identify an object of a list.
var idKeys = []string{"id", "tool_id", "name", "version"}

// jsonEntries splits a JSON object into the objects of its lists, named list[id],
// and its other members. ok is false if data is not such an object.
func jsonEntries(data []byte) (entries []jsonEntry, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}

	line, counted := 1, 0
	at := func() int {
		offset := int(dec.InputOffset())
		for offset < len(data) && strings.IndexByte(" \t\r\n,:", data[offset]) >= 0 {
			offset++
		}

		line += bytes.Count(data[counted:offset], []byte("\n"))
		counted = offset
		return line
	}
	for dec.More() {
		t, err := dec.Token()
		key, isKey := t.(string)
		if err != nil || !isKey {
			return nil, false
		}

		start := at()
		if counted == len(data) {
			return nil, false // partially saved: a key without a value
		}

		if data[counted] != '[' {
			e := jsonEntry{name: key, line: start}
			if dec.Decode(&e.raw) != nil {
				return nil, false
			}

			entries = append(entries, e)
			continue
		}

		if _, err := dec.Token(); err != nil {
			return nil, false
		}

		for i := 0; dec.More(); i++ {
			e := jsonEntry{line: at()}
			if dec.Decode(&e.raw) != nil {
				return nil, false
			}

			e.name = key + "[" + cmp.Or(entryID(e.raw), fmt.Sprint(i)) + "]"
			entries = append(entries, e)
		}

		if _, err := dec.Token(); err != nil {
			return nil, false
		}
	}

	if _, err := dec.Token(); err == nil && len(bytes.TrimSpace(data[dec.InputOffset():])) > 0 {
		return nil, false // text follows after the object
	}

	return entries, true
}

// entryID returns what identifies a value, or "".
func entryID(raw json.RawMessage) string {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		for _, k := range idKeys {
			var id string
			if json.Unmarshal(object[k], &id) == nil && id != "" {
				return id
			}
		}
	}
	return ""
}

// sameMembers reports whether two JSON objects have the same members, and the same ones are lists. Entries do not show
// an empty list.
func sameMembers(a, b []byte) bool {
	var x, y map[string]json.RawMessage
	if !strictJSON(a) || !strictJSON(b) || json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}

	return maps.EqualFunc(x, y, func(v, w json.RawMessage) bool { return (v[0] == '[') == (w[0] == '[') })
}

// strictJSON reports whether a value means the same to every program. Programs read a name that occurs twice in one
// object, and half of a surrogate pair, in different ways.
func strictJSON(value []byte) bool { return jsontext.Value(value).IsValid() }

// jsonEqual reports whether two values are the same, in any notation: programs that write JSON
// differ in spaces, escapes and the order of members.
func jsonEqual(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !strictJSON(a) || !strictJSON(b) {
		return false
	}
	x, errX := jsonValue(a)
	y, errY := jsonValue(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// jsonValue decodes a value with its numbers as they are written.
func jsonValue(raw json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// editedFields names the members that differ.
func editedFields(a, b json.RawMessage) string {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return ""
	}

	var fields []string
	for k, v := range y {
		if o, ok := x[k]; !ok || !jsonEqual(o, v) {
			fields = append(fields, k)
		}
	}

	for k := range x {
		if _, ok := y[k]; !ok {
			fields = append(fields, k)
		}
	}

	if len(fields) == 0 { // a name occurs twice
		return ""
	}

	slices.Sort(fields)
	return " (" + strings.Join(fields, ", ") + ")"
}

// sameEntries describes JSON that means the same as before.
const sameEntries = "same entries, in another order or layout"

// diffNotation describes a change of nothing but the line ends, the byte order mark and the newline at the end, or is
// empty.
func diffNotation(before, after []byte) string {
	mark := func(b []byte) bool { return bytes.HasPrefix(b, []byte(readlimit.Mark)) }
	crlf := func(b []byte) bool { return bytes.Contains(b, []byte("\r\n")) }
	ended := func(b []byte) bool { return bytes.HasSuffix(b, []byte("\n")) }
	text := func(b []byte) []byte {
		b = bytes.TrimPrefix(b, []byte(readlimit.Mark))
		return bytes.TrimSuffix(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"))
	}
	if !bytes.Equal(text(before), text(after)) {
		return ""
	}

	became := func(has bool) string {
		if has {
			return "(added)"
		}
		return "(removed)"
	}
	var parts []string
	if mark(before) != mark(after) {
		parts = append(parts, "the byte order mark "+became(mark(after)))
	}

	if ended(before) != ended(after) {
		parts = append(parts, "the newline at the end "+became(ended(after)))
	}

	switch is := crlf(after); {
	case is != crlf(before) && is:
		parts = append(parts, "the line ends (now CRLF)")
	case is != crlf(before):
		parts = append(parts, "the line ends (no longer CRLF)")
	case len(parts) == 0:
		parts = append(parts, "some line ends")
	}

	return "only " + strings.Join(parts, " and ") + " changed"
}

// diffLines counts differing lines between the common start and end.
func diffLines(before, after []byte) []string {
	a, b := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
	start := 0
	for start < len(a) && start < len(b) && bytes.Equal(a[start], b[start]) {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && bytes.Equal(a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	lines := "lines"
	if endA-start == 1 {
		lines = "line"
	}

	return []string{fmt.Sprintf("from line %d: %d %s became %d", start+1, endA-start, lines, endB-start)}
}
