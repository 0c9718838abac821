package toollist

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/internal/safetext"
)

// MaxFile bounds the size of one file or answer, in bytes. Real tool lists are
// a thousand times smaller.
const MaxFile = 64 << 20

// Limits on what is in a file, so that it takes no more memory than a machine has.
// Real files are far below.
const (
	MaxTool       = 2 << 20 // bytes of the definition of one tool
	MaxTools      = 100_000
	maxTokens     = 3_000_000
	maxServers    = 10_000
	maxUnreadable = 1_000 // the entries that are reported one by one
)

const kinds = "a tools/list result, a tool corpus, rows of tools, or the configuration of an MCP client"

// document reads one file. server is the default name of the server.
type document struct {
	file   string
	server string
	lines  lineIndex
	in     Input
	// more is set if the list that was read last continues on another page.
	more   bool
	moreAt int
	// unreported counts the unreadable entries beyond maxUnreadable, of which
	// the first is at unreportedAt.
	unreported, unreportedAt int
}

// unreadable records an entry that cannot be read.
func (d *document) unreadable(at int, u Unscanned) {
	if len(d.in.Unscanned) < maxUnreadable {
		d.in.Unscanned = append(d.in.Unscanned, u)
		return
	}
	if d.unreported++; d.unreported == 1 {
		d.unreportedAt = at
	}
}

// Read parses the text of one file: one or several JSON values, each of any
// supported kind. server is the name for tools that name no server.
func Read(file, server string, text []byte) (*Input, error) {
	if len(text) > MaxFile {
		return nil, sizeError(file)
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, &InputError{Place: Place{file, 1}, Reason: "it is UTF-16", Remedy: "save it as UTF-8"}
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		text = append([]byte("   "), text[3:]...) // keeps offsets right
	}
	if tokens(text) > maxTokens {
		return nil, &InputError{Place: Place{File: file}, Reason: fmt.Sprintf("it has more than %d million strings, objects and lists", maxTokens/1_000_000), Remedy: "split it, or check that it is the file you meant"}
	}
	values, err := parseAll(text)
	if err != nil {
		var syntax *syntaxError
		at := 0
		if errors.As(err, &syntax) {
			at = syntax.at
		}
		return nil, &InputError{
			Place: Place{file, lineOf(text, at)}, Column: columnOf(text, at),
			Reason: err.Error(), Remedy: "correct the JSON here",
		}
	}
	if !utf8.Valid(text) {
		at := firstInvalid(text)
		return nil, &InputError{
			Place: Place{file, lineOf(text, at)}, Column: columnOf(text, at),
			Reason: "invalid UTF-8", Remedy: "save it as UTF-8",
		}
	}
	if len(values) == 0 {
		return nil, &InputError{Place: Place{File: file}, Reason: "it is empty", Remedy: "give it " + kinds}
	}
	d := &document{file: file, server: server, lines: lineIndex{text: text}}
	for _, v := range values {
		d.lines.text = v.text
		if err := d.value(v); err != nil {
			return nil, err
		}
	}
	if d.unreported > 0 {
		d.in.Unscanned = append(d.in.Unscanned, Unscanned{
			Server: server, Place: d.place(d.unreportedAt),
			Reason: fmt.Sprintf("%d more entries of the file cannot be read", d.unreported),
			Remedy: "correct those above first, and scan again",
		})
	}
	if d.more {
		d.in.Unscanned = append(d.in.Unscanned, Unscanned{
			Server: server, Place: d.place(d.moreAt),
			Reason: "the list goes on: its last page has a nextCursor, so tools are missing here",
			Remedy: "add the answers to the further tools/list requests to the file, one after the other",
		})
	}
	return &d.in, nil
}

func sizeError(file string) error {
	return &InputError{Place: Place{File: file}, Reason: fmt.Sprintf("it is larger than %d MiB", MaxFile>>20), Remedy: "split it, or check that it is the file you meant"}
}

func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return 0
}

func (d *document) place(at int) Place { return Place{d.file, d.lines.line1(at)} }

func (d *document) fail(at int, reason, remedy string) error {
	return &InputError{Place: d.place(at), Column: columnOf(d.lines.text, at), Reason: reason, Remedy: remedy}
}

// otherKind reports that the file is valid JSON of an unsupported kind.
func (d *document) otherKind(at int, hint string) error {
	reason := "it is not " + kinds
	if hint != "" {
		reason += " (" + hint + ")"
	}
	return &InputError{
		Place: d.place(at), Reason: reason, OtherKind: true,
		Remedy: "name another file, or see touchstone scan --help for what is read",
	}
}

// value reads one JSON value of a file.
func (d *document) value(v value) error {
	if v.is('[') {
		return d.list(v, v.array(), d.server)
	}
	if !v.is('{') {
		return d.otherKind(v.start, "")
	}
	return d.object(v)
}

func (d *document) object(v value) error {
	members := v.object()
	want := map[string]member{}
	for _, name := range []string{"jsonrpc", "result", "error", "tools", "server", "nextCursor", "entries"} {
		m, ok, err := get(members, name)
		if err != nil {
			return d.fail(m.at, err.Error(), "keep one of the two")
		}
		if ok {
			want[name] = m
		}
	}
	if m, key := inAnotherCase(members, []string{"tools"}); key != "" && slices.ContainsFunc(m.array(), looksLikeTool) {
		return d.fail(m.at, (&caseError{m.name, key}).Error(), "write it in lower case")
	}
	if result, ok := want["result"]; ok && result.is('{') {
		if _, isList, _ := get(result.object(), "tools"); isList || want["jsonrpc"].end > 0 {
			return d.object(result.value)
		}
	}
	if e, ok := want["error"]; ok && want["jsonrpc"].end > 0 {
		return d.rpcError(e)
	}
	read := false
	if tools, ok := want["tools"]; ok && tools.is('[') {
		server := d.server
		if s, ok := want["server"].str(); ok && s != "" {
			server = s
		}
		if err := d.list(v, tools.array(), server); err != nil {
			return err
		}
		cursor, isText := want["nextCursor"].str()
		d.more = isText && cursor != ""
		d.moreAt = want["nextCursor"].at
		read = true
	}
	config, err := d.clientConfig(members)
	if err != nil || config || read {
		return err
	}
	if entries, ok := want["entries"]; ok && entries.is('[') {
		return d.otherKind(v.start, "a labelled security corpus is scored by touchstone stage score-security")
	}
	return d.otherKind(v.start, "")
}

// rpcError handles the answer of a server that refused to list its tools.
func (d *document) rpcError(e member) error {
	text := "no message"
	if m, ok, _ := get(e.object(), "message"); ok {
		if s, ok := m.str(); ok {
			text = s
		}
	}
	d.unreadable(e.at, Unscanned{
		Server: d.server, Place: d.place(e.at),
		Reason: fmt.Sprintf("the server answered with an error instead of its tools: %s", safetext.Clip(text, 200)),
		Remedy: "ask it again once it works",
	})
	return nil
}

// list reads an array of tools. An array without anything like a tool is of
// another kind. An invalid element among tools is reported and does not hide
// the others.
func (d *document) list(whole value, elements []value, server string) error {
	bare := whole.is('[')
	like := 0
	for _, e := range elements {
		if looksLikeTool(e) {
			like++
		}
	}
	if like == 0 && (len(elements) > 0 || bare) {
		return d.otherKind(whole.start, "its list has no tool in it")
	}
	for i, e := range elements {
		place := d.place(e.start)
		tool, err := readTool(e, server)
		if err != nil {
			d.unreadable(e.start, Unscanned{
				Server: tool.Server, Tool: tool.Name, Place: place,
				Reason: fmt.Sprintf("element %d of the list is not a readable tool: %s", i+1, err),
				Remedy: "correct it, or ask the server's author to",
			})
			continue
		}
		if len(d.in.Tools) == MaxTools {
			return d.fail(e.start, fmt.Sprintf("it has more than %d tools", MaxTools), "split it")
		}
		d.in.Tools = append(d.in.Tools, Tool{Tool: tool, Place: place})
	}
	return nil
}
