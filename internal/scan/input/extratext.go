package input

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner"
)

// listMethods are the names under which a dump keeps the answers to the requests.
var listMethods = []string{"initialize", "server/discover", "tools/list", "prompts/list", "resources/list",
	"resources/templates/list"}

// metadataFields are members that are no text of a server, at any depth.
var metadataFields = []string{"jsonrpc", "id", "version", "nextCursor", "entries", "protocolVersion", "capabilities",
	"generated_from", "approvals"}

// byRequest reads the answers in an object that has them by the name of the request. It
// returns the names that it read.
func (d *document) byRequest(members []member) (names []string, err error) {
	for _, m := range members {
		if !slices.Contains(listMethods, m.name) || !isAnswer(m.object()) && !isAnswer(resultOf(m.value).object()) &&
			m.name != "initialize" && m.name != "server/discover" {
			continue
		}

		if slices.Contains(names, m.name) {
			return nil, d.fail(m.at, (&twiceError{m.name, m.name, m.at}).Error(), "keep one of the two")
		}

		if m.is('{') {
			d.answers = true
			if err := d.object(m.value); err != nil {
				return nil, err
			}

			names = append(names, m.name)
		}
	}

	return names, nil
}

// resultOf returns the result of an answer.
func resultOf(v value) value {
	for _, m := range v.object() {
		if m.name == "result" {
			return m.value
		}
	}
	return value{}
}

// collectExtraText records the members that no other reader reads and that hold sentences: a
// text next to a list may come from the server too.
func (d *document) collectExtraText(members []member, known []string, server string) {
	var texts []member
	for _, m := range members {
		if !slices.Contains(known, m.name) && !slices.Contains(metadataFields, m.name) && hasSentence(m.value) {
			texts = append(texts, m)
		}
	}

	if len(texts) == 0 {
		return
	}

	t := Tool{Tool: scanner.Tool{Server: server, Subject: scanner.SubjectInstructions}, Place: d.place(texts[0].at)}
	extra, err := others(texts, nil)
	if err == nil {
		extra, err = t.liftServerInfo(extra)
	}

	if err == nil && len(extra) > MaxTool {
		err = fmt.Errorf("it has %d bytes, and no model can read more than %d", len(extra), MaxTool)
	}

	if err != nil {
		d.unreadable(Unscanned{
			Server: server, Place: t.Place,
			Reason: fmt.Sprintf("what stands beside the list is not readable: %s", err),
			Remedy: "correct it, or remove it",
		})
		return
	}

	t.Extra = extra
	d.extraTexts = append(d.extraTexts, t)
}

// addExtraTexts adds the texts next to the lists to what their servers say about
// themselves. Servers since protocol version 2026-07-28 say who they are beside each list again.
func (in *Input) addExtraTexts(texts []Tool) {
	for _, b := range texts {
		if !in.addExtraText(&b) {
			in.Others = append(in.Others, b)
		}
	}
}

// addExtraText adds a text to the first definition that says nothing else in its place, if there is one.
func (in *Input) addExtraText(b *Tool) bool {
	for i := range in.Others {
		t := &in.Others[i]
		if t.Subject != b.Subject || t.Server != b.Server || b.Description != "" {
			continue
		}

		extra, ok := mergeSaid(t.Extra, b.Extra)
		if !ok {
			continue
		}

		if !hasName(valueOf(t.Extra).object(), "serverInfo") {
			t.mappings = append(t.mappings, b.mappings...)
		}

		t.Extra = extra
		return true
	}

	return false
}

// mergeSaid returns an object with the members of both. It fails if they have different values for one name, other
// than for the members of _meta.
func mergeSaid(a, b []byte) (merged []byte, ok bool) {
	members := valueOf(a).object()
	for _, m := range valueOf(b).object() {
		i := slices.IndexFunc(members, func(of member) bool { return of.name == m.name })
		switch {
		case i < 0:
			members = append(members, m)
		case bytes.Equal(members[i].raw(), m.raw()):
		case m.name == "_meta" && m.is('{') && members[i].is('{'):
			meta, ok := mergeSaid(members[i].raw(), m.raw())
			if !ok {
				return nil, false
			}

			members[i].value = valueOf(meta)
		default:
			return nil, false
		}
	}

	merged, err := others(members, nil)
	return merged, err == nil
}

// sharesMember reports whether two objects have a member of the same name.
func sharesMember(a, b []byte) bool {
	names := map[string]bool{}
	for _, m := range valueOf(a).object() {
		names[m.name] = true
	}
	return slices.ContainsFunc(valueOf(b).object(), func(m member) bool { return names[m.name] })
}

// hasSentence reports whether a value holds a sentence, or a text as long as one.
func hasSentence(v value) bool {
	for i := v.start; i < v.end; i++ {
		if v.text[i] != '"' {
			continue
		}

		end := skipString(v.text, i)
		if bytes.Count(v.text[i:end], []byte(" ")) >= 2 || utf8.RuneCount(v.text[i:end]) > 80 {
			return true
		}

		if s, ok := (value{text: v.text, start: i, end: end}).str(); ok &&
			(len(strings.Fields(s)) >= 3 || len(s) > 2*utf8.RuneCountInString(s) && utf8.RuneCountInString(s) >= 8) {
			return true
		}

		i = end - 1
	}

	return false
}
