package trec

import (
	"bytes"
	"fmt"
	"math/bits"
)

// A line of a run file is "topic Q0 document rank score tag". The rank is
// ignored, as trec_eval ignores it: the scores alone order a run. Fields after
// the tag are ignored too.

// entry is one result. It is small because a run may have millions.
type entry struct {
	place uint64 // of the document's name in the file
	hash  uint32 // of the name
	// score has trec_eval's precision.
	score float32
}

// parser reads the lines of a run. It gets the buffer for the results of a
// topic from begin, and passes it to done after each stretch of lines of that
// topic.
type parser struct {
	text *text
	// begin returns the results of a topic, to which others are appended.
	begin func(topic []byte) []entry
	// done receives the results after those of the lines between two places
	// were appended.
	done func(results []entry, from, to int)

	window   window
	topic    []byte     // the current topic
	head     []byte     // the beginning of its plain lines, or empty
	results  []entry    // of the current topic
	from     int        // where its lines begin
	failed   *LineError // the error of the first invalid line
	failedAt int        // where that line begins
}

// block reads the lines between two places and stops at the first invalid one.
func (p *parser) block(start, end int) {
	p.topic, p.head, p.from = p.topic[:0], p.head[:0], start
	p.window.walk(p.text.data, start, end, p)
	p.finish(end)
}

// finish ends the current topic, if there is one.
func (p *parser) finish(end int) {
	if len(p.topic) > 0 {
		p.done(p.results, p.from, end)
		p.from = end
	}
}

// plain reads lines in the usual form: six fields, separated by one space or
// tab, with a plain decimal as the score.
func (p *parser) plain(at, start int) int {
	data := p.window.data
	for {
		if (len(p.head) == 0 || !bytes.HasPrefix(data[at:], p.head)) && !p.readHead(at, start) {
			return at
		}
		document := at + len(p.head)
		if document+64 > len(data) {
			return at
		}
		rest := (*[64]byte)(data[document:])
		spaces := p.window.from(document)
		after1 := spaces & (spaces - 1)
		after2 := after1 & (after1 - 1)
		after3 := after2 & (after2 - 1)
		if after3 == 0 {
			return at
		}
		end := bits.TrailingZeros64(spaces)
		rank := bits.TrailingZeros64(after1)
		score := bits.TrailingZeros64(after2)
		tag := bits.TrailingZeros64(after3)
		spaces &^= after3 & (after3 - 1)
		if !isGap(rest[end&63]) || !isGap(rest[rank&63]) || !isGap(rest[score&63]) || rest[tag&63] != '\n' || spaces&(spaces<<1|1) != 0 {
			return at
		}
		value, plain := parsePlain(data, document+rank+1, document+score)
		if !plain {
			return at
		}
		name := rest[:end&63]
		p.results = append(p.results, entry{uint64(start + document), hashName(name), float32(value)})
		at = document + tag + 1
	}
}

func isGap(c byte) bool { return c == ' ' || c == '\t' }

// readHead reads the head of a plain line at a place in the window: the first
// two fields, where they differ from those of the line before.
func (p *parser) readHead(at, start int) bool {
	data := p.window.data[at:]
	spaces := p.window.from(at)
	after := spaces & (spaces - 1)
	topic, iteration := bits.TrailingZeros64(spaces), bits.TrailingZeros64(after)
	if after == 0 || !isGap(data[topic]) || !isGap(data[iteration]) || topic == 0 || iteration == topic+1 {
		return false
	}
	p.head = append(p.head[:0], data[:iteration+1]...)
	p.turnTo(data[:topic], start+at)
	return true
}

// careful reads a line of any form.
func (p *parser) careful(at int) (next int, ok bool) {
	line, next := p.text.lineFrom(at)
	var fields [6]span
	found := splitFields(line, fields[:])
	if found == 0 && checkLine(line) == nil {
		return next, true
	}
	score, isNumber := parseNumber(fields[4].of(line))
	if p.failed = checkResult(line, found, isNumber, fields[4]); p.failed != nil {
		p.failedAt = at
		return next, false
	}
	p.head = p.head[:0]
	p.turnTo(fields[0].of(line), at)
	p.results = append(p.results, entry{uint64(at + fields[2].start), hashName(fields[2].of(line)), float32(score)})
	return next, true
}

// checkResult returns the error of a line in which found of the six fields were
// found.
func checkResult(line []byte, found int, isNumber bool, score span) *LineError {
	if err := checkLine(line); err != nil {
		return err
	}
	if found < 6 {
		return wrong(count(found)+" instead of 6", `write "topic Q0 document rank score tag"`)
	}
	if !isNumber {
		return wrong(fmt.Sprintf("score %s is not a number", quote(score.of(line))), "write a decimal number, higher for better")
	}
	return nil
}

// turnTo makes topic the current one, from the line at a place on.
func (p *parser) turnTo(topic []byte, at int) {
	if string(topic) == string(p.topic) {
		return
	}
	p.finish(at)
	p.topic = append(p.topic[:0], topic...)
	p.results = p.begin(topic)
}
