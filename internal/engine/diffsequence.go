package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// diffSequence describes the changes between two versions of JSON values that follow each other, as in JSON Lines. It
// returns nil if the versions are something else.
func diffSequence(before, after []byte) []string {
	a, okA := jsonSequence(before)
	b, okB := jsonSequence(after)
	if !okA || !okB || max(len(a), len(b)) < 2 {
		return nil
	}

	var lines []string
	if identified(a) && identified(b) {
		lines, _ = diffNamed(a, b)
	} else {
		lines = diffPlaces(a, b)
	}

	if len(lines) > 0 {
		return limitLines(lines)
	}

	if slices.ContainsFunc(slices.Concat(a, b), func(e jsonEntry) bool { return !strictJSON(e.raw) }) {
		return diffLines(before, after)
	}

	return []string{sameEntries}
}

// jsonSequence splits text into objects and lists that each start on a line of their own. ok is false if something else
// is there.
func jsonSequence(data []byte) (entries []jsonEntry, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	line, counted := 1, 0
	for {
		var e jsonEntry
		switch err := dec.Decode(&e.raw); {
		case err == io.EOF:
			return entries, true
		case err != nil || e.raw[0] != '{' && e.raw[0] != '[':
			return nil, false
		}

		end := int(dec.InputOffset())
		start := end - len(e.raw)
		newlines := bytes.Count(data[counted:start], []byte("\n"))
		if newlines == 0 && len(entries) > 0 {
			return nil, false
		}

		e.line = line + newlines
		e.name = entryID(e.raw)
		entries = append(entries, e)
		line, counted = e.line+bytes.Count(e.raw, []byte("\n")), end
	}
}

// identified reports whether every value has an id of its own.
func identified(entries []jsonEntry) bool {
	ids := make(map[string]bool, len(entries))
	for _, e := range entries {
		ids[e.name] = true
	}
	return len(ids) == len(entries) && !ids[""]
}

// diffPlaces describes the changes between values without ids. A value was edited if it replaces one at its place
// between the values that both versions have.
func diffPlaces(a, b []jsonEntry) (lines []string) {
	keysA, keysB := canonical(a), canonical(b)
	for len(keysA) > 0 && len(keysB) > 0 && keysA[0] == keysB[0] {
		a, keysA, b, keysB = a[1:], keysA[1:], b[1:], keysB[1:]
	}

	for len(keysA) > 0 && len(keysB) > 0 && keysA[len(keysA)-1] == keysB[len(keysB)-1] {
		keysA, keysB = keysA[:len(keysA)-1], keysB[:len(keysB)-1]
		a, b = a[:len(keysA)], b[:len(keysB)]
	}

	gone, fresh := without(a, keysA, keysB), without(b, keysB, keysA)
	var removed []string
	for len(gone) > 0 || len(fresh) > 0 {
		switch {
		case len(gone) == 0 || len(fresh) > 0 && fresh[0].place < gone[0].place:
			lines = append(lines, fmt.Sprintf("line %d: added", fresh[0].line))
			fresh = fresh[1:]
		case len(fresh) == 0 || gone[0].place < fresh[0].place:
			removed = append(removed, fmt.Sprintf("a value removed (was line %d)", gone[0].line))
			gone = gone[1:]
		default:
			fields := editedFields(gone[0].raw, fresh[0].raw)
			lines = append(lines, fmt.Sprintf("line %d: edited%s", fresh[0].line, fields))
			gone, fresh = gone[1:], fresh[1:]
		}
	}

	return append(lines, removed...)
}

// placed is a value that only one version has, with the number of values before it that both have.
type placed struct {
	jsonEntry
	place int
}

// without returns the values that the other version lacks.
func without(entries []jsonEntry, keys, other []string) (left []placed) {
	has := make(map[string]int, len(other))
	for _, k := range other {
		has[k]++
	}

	place := 0
	for i, e := range entries {
		if has[keys[i]] > 0 {
			has[keys[i]]--
			place++
		} else {
			left = append(left, placed{e, place})
		}
	}

	return left
}

// canonical returns a text for each value that is the same for every notation of it.
func canonical(entries []jsonEntry) []string {
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = string(e.raw)
		if !strictJSON(e.raw) {
			continue
		}

		if v, err := jsonValue(e.raw); err == nil {
			if text, err := json.Marshal(v); err == nil {
				keys[i] = string(text)
			}
		}
	}

	return keys
}
