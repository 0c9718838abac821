package input

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"
)

// A registry lists hundreds of thousands of tools in one file. Its lists are read in a stream: a decoder finds the
// elements, workers read a batch of them at a time, and nothing is kept of the text but the definitions. The rest of
// a document, such as what stands beside a list, is kept as text, and read by document.go like any other.
//
// A stream is only for valid documents in which a list has nothing but tools. All else is read whole: a text with an
// error, whose place and remedy the reader of whole texts says, with comments, or with another kind of list, which is
// recognised only by looking at all of its elements.

// errReadWhole means that a document cannot be read in a stream.
var errReadWhole = errors.New("the document has to be read whole")

// Sizes of a stream in bytes.
const (
	batchSize = 256 << 10 // of the elements that a worker reads at a time
	// maxBeside bounds an element, and what stands beside the lists of a value. It holds fewer elements than a list
	// or an object may have.
	maxBeside = 4 << 20
)

// readStream reads what Read reads, or returns nil if it has to be read whole.
func readStream(file, server string, r io.Reader) *Input {
	d := newDocument(file, server)
	s := &stream{file: file, position: position{r: r, line: 1, column: 1}}
	s.decoder = jsontext.NewDecoder(&s.position)
	for n := 0; ; n++ {
		err := s.next()
		if err == io.EOF && n > 0 {
			break
		}

		if err != nil || n == maxElements {
			return nil
		}

		if n == 0 {
			d.several = s.decoder.PeekKind() != 0
		}

		aTool := len(s.lists) == 0
		d.lines, d.read = lineIndex{text: s.text, marks: s.marks}, s.lists
		if err := d.value(value{text: s.text, end: len(s.text), once: true}); err != nil || len(d.read) > 0 {
			return nil
		}

		if n == 0 && d.several && aTool && d.isTools() {
			if s.rows(d) != nil {
				return nil
			}

			break
		}
	}

	if d.finish(0) != nil {
		return nil
	}

	return &d.in
}

// isTools reports whether nothing but tools was read so far.
func (d *document) isTools() bool {
	in := &d.in
	return len(in.Tools) > 0 && !d.answers && d.messages == 0 && len(d.extraTexts) == 0 && len(d.more) == 0 &&
		len(in.Others)+len(in.Servers)+len(in.Unscanned)+len(in.PassedOver) == 0
}

// stream is a file that is read in a stream.
type stream struct {
	file     string
	position position
	decoder  *jsontext.Decoder

	// text is the current value without the elements of its lists, marks are the places in the file of its parts,
	// and lists are its lists by their offsets in text.
	text  []byte
	marks []mark
	lists map[int]*toolList
}

// next reads the next value of the file. After the last one it returns io.EOF.
func (s *stream) next() error {
	s.text, s.marks, s.lists = nil, nil, map[int]*toolList{}
	switch s.decoder.PeekKind() {
	case '[':
		err := s.list()
		if l := s.lists[0]; l != nil && !l.telling.Load() {
			err = errReadWhole // it may be a list of other things
		}

		return err
	case '{':
		return s.object(true)
	}
	_, err := s.decoder.ReadValue() // at the end, or of another kind
	if err == nil {
		err = errReadWhole
	}
	return err
}

// object reads an object. outer is set for one that may be an answer of a server, with the lists in its result.
func (s *stream) object(outer bool) error {
	if err := s.token("{"); err != nil {
		return err
	}

	for first := true; s.decoder.PeekKind() == '"'; first = false {
		if !first {
			s.text = append(s.text, ',')
		}

		name, err := s.keep()
		if err != nil {
			return err
		}

		s.text = append(s.text, ':')
		kind := s.decoder.PeekKind()
		switch {
		case kind == '[' && name == `"tools"`:
			err = s.list()
		case kind == '{' && name == `"result"` && outer:
			err = s.object(false)
		default:
			_, err = s.keep()
		}

		if err != nil {
			return err
		}
	}

	return s.token("}")
}

// token reads a bracket, and keeps what stands for it.
func (s *stream) token(text string) error {
	if _, err := s.decoder.ReadToken(); err != nil {
		return err
	}
	s.mark(s.decoder.InputOffset() - 1)
	s.text = append(s.text, text...)
	return nil
}

// keep reads a value, or the name of a member, and keeps its text.
func (s *stream) keep() (string, error) {
	raw, err := s.decoder.ReadValue()
	if err != nil {
		return "", err
	}

	if len(s.text)+len(raw) > maxBeside {
		return "", errReadWhole
	}

	s.mark(s.decoder.InputOffset() - int64(len(raw)))
	at := len(s.text)
	s.text = append(s.text, raw...)
	return string(s.text[at:]), nil
}

// mark records where the part of the file is that is kept next.
func (s *stream) mark(offset int64) {
	s.position.moveTo(offset)
	s.marks = append(s.marks, mark{len(s.text), s.position.line, s.position.column})
}

// list reads a list of tools. An empty one takes its place in the text.
func (s *stream) list() error {
	at := len(s.text)
	if err := s.token("[]"); err != nil {
		return err
	}

	list := &toolList{}
	list.batches.read = list.read
	defer list.batches.wait() // if the list is abandoned
	for s.decoder.PeekKind() != ']' {
		if err := s.add(&list.batches); err != nil {
			return err
		}
	}

	if _, err := s.decoder.ReadToken(); err != nil { // the bracket
		return err
	}

	switch list.batches.wait(); {
	case list.batches.n == 0:
		return nil
	case list.batches.odd.Load() || !list.like.Load():
		return errReadWhole
	}

	s.lists[at] = list
	return nil
}

// rows reads the rest of a file whose values are tools, one after the other.
func (s *stream) rows(d *document) error {
	rows := &batches{}
	rows.read = func(b *batch) { b.readRows(d.file, d.server, rows) }
	defer rows.wait() // if the file is abandoned
	for {
		err := s.add(rows)
		if err == io.EOF {
			break
		}

		if err != nil {
			return err
		}
	}

	if rows.wait(); rows.odd.Load() {
		return errReadWhole
	}

	for _, b := range rows.list {
		d.in.Tools = append(d.in.Tools, b.tools...)
		b.tools = nil
	}

	return nil
}

// add adds the next value of the file.
func (s *stream) add(to *batches) error {
	raw, err := s.decoder.ReadValue()
	switch {
	case err != nil:
		return err
	case to.n == maxElements || len(raw) > maxBeside || to.odd.Load():
		return errReadWhole
	}

	s.position.moveTo(s.decoder.InputOffset() - int64(len(raw)))
	to.add(raw, Place{s.file, s.position.line, s.position.column})
	return nil
}

// batches are values in a row. Workers read a batch of them at a time.
type batches struct {
	read    func(*batch)
	list    []*batch
	n       int         // values
	odd     atomic.Bool // set by a worker if the file has to be read whole
	workers errgroup.Group
}

func (bs *batches) add(raw []byte, at Place) {
	if len(bs.list) == 0 {
		bs.workers.SetLimit(runtime.GOMAXPROCS(0))
		bs.list = []*batch{{}}
	}

	b := bs.list[len(bs.list)-1]
	if len(b.text) > batchSize {
		bs.submit(b)
		b = &batch{first: bs.n}
		bs.list = append(bs.list, b)
	}

	bs.n++
	b.places = append(b.places, at)
	b.text = append(b.text, raw...)
	b.ends = append(b.ends, len(b.text))
}

func (bs *batches) submit(b *batch) {
	bs.workers.Go(func() error {
		if bs.read(b); !bs.odd.Load() {
			b.text, b.ends, b.places = nil, nil, nil
		}

		return nil
	})
}

// wait waits until all values were read.
func (bs *batches) wait() {
	if last := len(bs.list) - 1; last >= 0 && len(bs.list[last].text) > 0 && !bs.odd.Load() {
		bs.submit(bs.list[last])
	}
	_ = bs.workers.Wait() // no worker fails
}

// toolList is a list of tools that was read in a stream.
type toolList struct {
	batches batches
	// like is set if an element looks like a tool, and telling if one has a member that only tools have.
	like, telling atomic.Bool
}

// batch is a part of the values. Its text is dropped once it was read.
type batch struct {
	first  int // index of its first value
	text   []byte
	ends   []int // of the values in text
	places []Place

	tools      []Tool
	unreadable []unreadTool
}

// unreadTool is an element that cannot be read: its index in the list, what is known of it, and why.
type unreadTool struct {
	index int
	tool  Tool
	err   error
}

// read reads the elements of a batch as tools without a default server, which may be named behind the list.
func (list *toolList) read(b *batch) {
	k := &kinds[0]
	b.tools = make([]Tool, 0, len(b.ends))
	var members []member
	from := 0
	for i, to := range b.ends {
		e := value{b.text, from, to, true}
		from = to
		members = e.objectInto(members)
		if k.looksLikeMembers(members) {
			list.like.Store(true)
		}

		if hasName(members, tellingKeys...) {
			list.telling.Store(true)
		}

		_, several := declarationsIn(members)
		if several || hasName(members, "jsonrpc") || hasName(members, k.list, "result") && holdsTools(e) {
			list.batches.odd.Store(true) // it is no tool, but something that holds tools, or a message
			return
		}

		tool, err := k.readElement(e, members, "")
		tool.Place = b.places[i]
		if err != nil {
			b.unreadable = append(b.unreadable, unreadTool{b.first + i, tool, err})
			continue
		}

		b.tools = append(b.tools, tool)
	}
}

// readRows reads each value of a batch as a document of its own, which must have nothing but tools.
func (b *batch) readRows(file, server string, rows *batches) {
	from := 0
	for i, to := range b.ends {
		text := b.text[from:to]
		from = to
		d := newDocument(file, server)
		d.several = true
		d.lines = lineIndex{text: text, marks: []mark{{0, b.places[i].Line, b.places[i].Column}}}
		if err := d.value(value{text: text, end: len(text), once: true}); err != nil || !d.isTools() {
			rows.odd.Store(true)
			return
		}

		b.tools = append(b.tools, d.in.Tools...)
	}
}

// takeList takes the list that was read in a stream and stands at an offset. It reports whether there is one.
func (d *document) takeList(at int, server string) bool {
	list := d.read[at]
	if list == nil {
		return false
	}

	delete(d.read, at)
	d.listed = true
	n := 0
	for _, b := range list.batches.list {
		n += len(b.tools)
	}

	d.in.Tools = slices.Grow(d.in.Tools, n)
	for _, b := range list.batches.list {
		for i := range b.tools {
			if b.tools[i].Server == "" {
				b.tools[i].Server = server
			}
		}

		d.in.Tools = append(d.in.Tools, b.tools...)
		b.tools = nil
		for _, u := range b.unreadable {
			if u.tool.Server == "" {
				u.tool.Server = server
			}

			d.unreadableElement(&kinds[0], u)
		}
	}

	return true
}

// position finds the line and column of increasing offsets in a file that somebody else reads through it.
type position struct {
	r            io.Reader
	ahead        []byte // what was read beyond at
	at           int64
	line, column int
}

// Read implements io.Reader. It fails if a value is so long that it has to be read whole.
func (p *position) Read(b []byte) (int, error) {
	if len(p.ahead) > 2*maxBeside {
		return 0, errReadWhole
	}

	n, err := p.r.Read(b)
	p.ahead = append(p.ahead, b[:n]...)
	return n, err
}

// moveTo moves to an offset, which is not before the current one.
func (p *position) moveTo(offset int64) {
	passed := p.ahead[:offset-p.at]
	if newline := bytes.LastIndexByte(passed, '\n'); newline >= 0 {
		p.line += bytes.Count(passed, []byte("\n"))
		p.column = 1 + utf8.RuneCount(passed[newline+1:])
	} else {
		p.column += utf8.RuneCount(passed)
	}

	p.ahead, p.at = p.ahead[len(passed):], offset
}
