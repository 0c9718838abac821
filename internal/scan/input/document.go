package input

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner"
)

// MaxFile bounds the size of one file, in bytes. A list of 200,000 tools of a registry has 160 MB. The tools of a
// server are a thousand times smaller.
const MaxFile = 256 << 20

// Limits on what is in a file, so that it takes no more memory than a machine has.
// Real files are far below.
const (
	MaxTool       = 2 << 20   // bytes of the definition of one tool
	maxElements   = 3_000_000 // of one list or object: they are in memory together
	maxServers    = 10_000
	maxUnreadable = 1_000 // the entries that are reported one by one
)

const readable = "a tools/list result or another answer of an MCP server, a list of tools, a tool corpus, or the " +
	"configuration of an MCP client"

// document reads one file. server is the default name of the server.
type document struct {
	file   string
	server string
	lines  lineIndex
	in     Input
	// more maps the kinds of lists whose last page continues on another page to
	// the place of its cursor.
	more map[*kind]cursor
	// answers is set if the file has whole answers of a server.
	answers    bool
	extraTexts []Tool
	// unreported counts the unreadable entries beyond maxUnreadable, of which
	// the first is at unreportedAt.
	unreported   int
	unreportedAt Place
	// several is set if the file may be a recording: it has more than one message.
	// messages counts those without definitions, of which the first is at messagesAt.
	several    bool
	messages   int
	messagesAt Place
	// listed is set if the file has a list of tools, which may be empty.
	listed bool
	// read are the lists that were read in a stream and nobody took yet, by their offsets.
	read map[int]*toolList
}

func newDocument(file, server string) *document {
	return &document{file: file, server: server, more: map[*kind]cursor{}}
}

// unreadable records an entry that cannot be read.
func (d *document) unreadable(u Unscanned) {
	if len(d.in.Unscanned) < maxUnreadable {
		d.in.Unscanned = append(d.in.Unscanned, u)
		return
	}
	if d.unreported++; d.unreported == 1 {
		d.unreportedAt = u.Place
	}
}

// Read parses the text of one file: one or several JSON values, each of any
// supported kind. server is the name for tools that name no server.
func Read(file, server string, text []byte) (*Input, error) {
	if len(text) > MaxFile {
		return nil, sizeError(file)
	}

	if in := readStream(file, server, bytes.NewReader(text)); in != nil {
		return in, nil
	}

	return readWhole(file, server, text)
}

// readWhole reads what Read reads, and has the whole text in memory.
func readWhole(file, server string, text []byte) (*Input, error) {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		text = append([]byte("   "), text[3:]...) // keeps offsets right
	}

	if largest(text) > maxElements {
		return nil, &InputError{Place: Place{File: file},
			Reason: fmt.Sprintf("a list or an object in it has more than %d million elements",
				maxElements/1_000_000), Remedy: "split it, or check that it is the file you meant"}
	}

	values, err := parseAll(text)
	if data, ok := eventData(text); err != nil && ok {
		values, err = parseAll(data)
	}

	if err != nil {
		return nil, notJSON(file, text, err)
	}

	if !utf8.Valid(text) {
		at := firstInvalid(text)
		return nil, &InputError{
			Place: Place{File: file, Line: lineOf(text, at)}, Column: columnOf(text, at),
			Reason: "invalid UTF-8", Remedy: "save it as UTF-8",
		}
	}

	if len(values) == 0 {
		return nil, &InputError{Place: Place{File: file}, Reason: "it is empty", Remedy: "give it " + readable}
	}

	d := newDocument(file, server)
	d.lines, d.several = lineIndex{text: text}, len(values) > 1
	for _, v := range values {
		d.lines.text = v.text
		if err := d.value(v); err != nil {
			return nil, err
		}
	}

	if err := d.finish(values[0].start); err != nil {
		return nil, err
	}

	return &d.in, nil
}

// finish adds what is known once all values of the file were read. start is the offset of the first one.
func (d *document) finish(start int) error {
	if d.unreported > 0 {
		d.in.Unscanned = append(d.in.Unscanned, Unscanned{
			Server: d.server, Place: d.unreportedAt,
			Reason: fmt.Sprintf("%d more entries of the file cannot be read", d.unreported),
			Remedy: "correct those above first, and scan again",
		})
	}

	for i := range kinds {
		if c, more := d.more[&kinds[i]]; more {
			d.in.Unscanned = append(d.in.Unscanned, c.unscanned(&kinds[i], d.server))
		}
	}

	if err := d.passMessages(start); err != nil {
		return err
	}

	d.in.addExtraTexts(d.extraTexts)
	d.in.passOver()
	return nil
}

func sizeError(file string) error {
	return &InputError{Place: Place{File: file}, Reason: fmt.Sprintf("it is larger than %d MiB", MaxFile>>20),
		Remedy: "split it, or check that it is the file you meant"}
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

func (d *document) place(at int) Place { return Place{File: d.file, Line: d.lines.line1(at)} }

func (d *document) fail(at int, reason, remedy string) error {
	return &InputError{Place: d.place(at), Column: columnOf(d.lines.text, at), Reason: reason, Remedy: remedy}
}

// otherKind reports that the file is valid JSON of an unsupported kind.
func (d *document) otherKind(at int, hint string) error {
	reason := "it is not " + readable
	if hint != "" {
		reason += " (" + hint + ")"
	}
	return &InputError{
		Place: d.place(at), Reason: reason, OtherKind: true,
		Remedy: "name another file; the help of the scan lists what is read",
	}
}

// value reads one JSON value of a file.
func (d *document) value(v value) error {
	if v.is('[') {
		if d.takeList(v.start, d.server) {
			return nil
		}

		elements := v.array()
		switch {
		case slices.ContainsFunc(elements, isMessage):
			return d.batch(elements)
		case isListOf(v, holdsTools):
			return d.serverList(elements)
		case isOtherList(elements):
			return d.otherKind(v.start, "its elements have no description and no schema")
		}

		return d.list(&kinds[0], v, elements, d.server)
	}
	if !v.is('{') {
		return d.otherKind(v.start, "")
	}
	return d.object(v)
}

// wanted returns the members of an object that decide what it is.
func (d *document) wanted(members []member) (map[string]member, error) {
	want := map[string]member{}
	for _, name := range []string{"jsonrpc", "method", "result", "error", "version", "server", "nextCursor", "entries",
		"tools", "prompts", "resources", "resourceTemplates", "resource_templates", "instructions", "serverInfo",
		"protocolVersion", "supportedVersions", "capabilities"} {
		m, ok, err := get(members, name)
		if err != nil {
			return nil, d.fail(m.at, err.Error(), "keep one of the two")
		}

		if ok {
			want[name] = m
		}
	}

	return want, nil
}

func (d *document) object(v value) error {
	members := v.object()
	want, err := d.wanted(members)
	if err != nil {
		return err
	}

	if m, key := foldedMatch(members, []string{"tools"}); key != "" && slices.ContainsFunc(m.array(), looksLikeTool) {
		return d.fail(m.at, (&caseError{m.name, key}).Error(), "write it in lower case")
	}

	if d.passMessage(v, want) {
		return nil
	}

	if result, ok := want["result"]; ok && result.is('{') && (want["jsonrpc"].end > 0 || isAnswer(result.object())) {
		d.answers = true
		if err := d.object(result.value); err != nil {
			return err
		}

		d.collectExtraText(members, []string{"result"}, d.server)
		return nil
	}

	if e, ok := want["error"]; ok && want["jsonrpc"].end > 0 {
		return d.rpcError(e)
	}

	server := d.server
	if s, ok := want["server"].str(); ok && s != "" {
		server = s
	}

	if version, ok := want["version"].str(); ok && strings.HasPrefix(version, "touchstone-scan-baseline/") {
		d.answers = true
	}

	of := d.server
	d.server = server // of the answers too
	defer func() { d.server = of }()
	known, err := d.byRequest(members)
	if err != nil {
		return err
	}

	lists, err := d.lists(v, want, server)
	if err != nil {
		return err
	}

	known = append(known, lists...)
	nested, err := d.nested(members, known, server)
	if err != nil {
		return err
	}

	known = append(known, nested...)
	read := len(known) > 0
	said, err := d.instructions(members, want, server, read)
	if err != nil {
		return err
	}

	config, err := d.clientConfig(members, known)
	if read && !config && !isInitializeResult(want) {
		if want["server"].is('"') {
			known = append(known, "server")
		}

		if said {
			known = append(known, "instructions")
		}

		known = append(known, d.skipConversation(members)...)
		d.collectExtraText(members, known, server)
	}

	if err != nil || config || read || said {
		return err
	}

	if isSingleTool(v) {
		return d.list(&kinds[0], v, []value{v}, server)
	}

	return d.otherKind(v.start, hint(want))
}

// hint says what an object of another kind may be.
func hint(want map[string]member) string {
	if want["entries"].is('[') {
		return "a labelled security corpus is scored by touchstone stage score-security"
	}
	if tools, ok := want["tools"]; ok && !tools.is('[') {
		return "its tools are no list"
	}
	return ""
}

// isAnswer reports whether the members are those of an answer of a server.
func isAnswer(members []member) bool {
	for _, m := range members {
		if m.name == "protocolVersion" || m.name == "supportedVersions" || m.is('[') &&
			slices.ContainsFunc(kinds[:], func(k kind) bool { return k.list == m.name }) {
			return true
		}
	}
	return false
}

// lists reads the lists of an object, and returns the names of those that it read. A list of
// tools is read even if it is empty. Another program's list of prompts or resources
// is not one of a server.
func (d *document) lists(v value, want map[string]member, server string) (read []string, err error) {
	next, more := d.cursorOf(want["nextCursor"])
	for i := range kinds {
		k := &kinds[i]
		m, ok := want[k.list]
		if !ok && k.subject == scanner.SubjectResourceTemplate {
			m, ok = want["resource_templates"] // as Python's programs write it
		}

		if !ok || !m.is('[') {
			continue
		}

		elements := m.array()
		taken := k.subject == scanner.SubjectTool && d.takeList(m.start, server)
		if k.subject != scanner.SubjectTool && len(elements) > 0 && !slices.ContainsFunc(elements, k.looksLike) {
			continue
		}

		if k.subject == scanner.SubjectPrompt && len(elements) > 0 && !d.answers &&
			!slices.ContainsFunc(elements, described) && !hasOnlyPromptNames(v, elements) {
			continue
		}

		if !taken {
			if err := d.list(k, v, elements, server); err != nil {
				return nil, err
			}
		}

		if delete(d.more, k); more {
			d.more[k] = next
		}

		read = append(read, m.name)
	}

	return read, nil
}

// list reads an array of tools. An array without anything like a tool is of
// another kind. An invalid element among tools is reported and does not hide
// the others.
func (d *document) list(k *kind, whole value, elements []value, server string) error {
	d.listed = true
	like, servers := 0, false
	var members []member
	for _, e := range elements {
		members = e.objectInto(members)
		if k.looksLikeMembers(members) {
			like++
		}

		servers = servers || hasName(members, kinds[0].list, "result") && holdsTools(e)
	}

	if whole.is('[') && len(elements) == 0 {
		return d.otherKind(whole.start, "its list is empty")
	}

	if like == 0 && !whole.is('[') && slices.ContainsFunc(elements, described) {
		like = len(elements) // tools without a name
	}

	if like == 0 && len(elements) > 0 {
		return d.otherKind(whole.start, "its list has no "+k.noun+" in it")
	}

	if k.subject == scanner.SubjectTool {
		if !d.answers && servers {
			return d.serverList(elements)
		}

		elements = d.flatten(elements, server)
	}

	for i, e := range elements {
		place := d.place(e.start)
		place.Column = d.lines.column(e.start)
		tool, err := k.read(e, server)
		if err != nil {
			tool.Place = d.place(e.start)
			d.unreadableElement(k, unreadTool{i, tool, err})
			continue
		}

		into := &d.in.Tools
		if k.subject != scanner.SubjectTool {
			into = &d.in.Others
		}

		tool.Place = place
		*into = append(*into, tool)
	}

	return nil
}

// unreadableElement records an element of a list that cannot be read.
func (d *document) unreadableElement(k *kind, u unreadTool) {
	u.tool.Place.Column = 0
	d.unreadable(Unscanned{
		Server: u.tool.Server, Tool: u.tool.Label(), Place: u.tool.Place,
		Reason: fmt.Sprintf("element %d of the list is not a readable %s: %s", u.index+1, k.noun, u.err),
		Remedy: "correct it, or ask the server's author to",
	})
}
