package mcpclient

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
)

// Limits on what one server may send, in bytes. A message is one JSON-RPC
// message: a line on standard output, a body of an HTTP answer, or the data of
// a server-sent event. Real lists of tools stay below a few megabytes.
const (
	MaxMessage  = 64 << 20
	MaxTotal    = 128 << 20
	maxMessages = 100_000 // the number of messages of one connection
)

// framing is the way in which a stream is split into messages.
type framing int

const (
	perLine  framing = iota // each line is a message
	perEvent                // the data of each server-sent event is a message
	whole                   // the stream is one message
)

// messages splits a stream into messages, passes each to observe, and fails if a message or
// the connection exceeds its limit.
type messages struct {
	framing framing
	observe func([]byte)
	budget  *budget

	pending []byte // the incomplete line
	event   []byte // the data of the incomplete event
	failed  error
}

// budget is the amount that a server may still send over all streams of a connection. It
// records the first exceeded limit, because the client library reports some failed reads
// as a lost connection.
type budget struct {
	bytes, messages atomic.Int64
	excess          atomic.Pointer[error]
}

func newBudget() *budget {
	b := &budget{}
	b.bytes.Store(MaxTotal)
	b.messages.Store(maxMessages)
	return b
}

// exceed records the exceeded limit and returns it as an error.
func (b *budget) exceed(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	b.excess.CompareAndSwap(nil, &err)
	return err
}

// explain returns the exceeded limit that caused err, or err.
func (b *budget) explain(err error) error {
	if excess := b.excess.Load(); err != nil && excess != nil {
		return *excess
	}
	return err
}

// write processes the next bytes of the stream.
func (m *messages) write(p []byte) error {
	if m.failed != nil {
		return m.failed
	}

	if m.budget.bytes.Add(-int64(len(p))) < 0 {
		return m.fail(m.budget.exceed("it sent more than %d MiB", MaxTotal>>20))
	}

	for len(p) > 0 {
		line, rest, complete := p, []byte(nil), false
		if m.framing != whole {
			line, rest, complete = bytes.Cut(p, []byte("\n"))
		}

		if len(m.pending)+len(m.event)+len(line) > MaxMessage {
			return m.fail(m.budget.exceed("it sent a message of more than %d MiB", MaxMessage>>20))
		}

		m.pending = append(m.pending, line...)
		if !complete {
			return nil
		}

		m.line(bytes.TrimSuffix(m.pending, []byte("\r")))
		m.pending = m.pending[:0]
		if m.budget.messages.Load() < 0 {
			return m.fail(m.budget.exceed("it sent more than %d messages", maxMessages))
		}

		p = rest
	}

	return nil
}

func (m *messages) fail(err error) error {
	m.failed, m.pending, m.event = err, nil, nil
	return err
}

func (m *messages) line(line []byte) {
	if m.framing == perLine {
		m.show(line)
		return
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		m.event = append(append(m.event, bytes.TrimPrefix(data, []byte(" "))...), '\n')
	}
	if len(line) == 0 {
		m.show(m.event)
		m.event = m.event[:0]
	}
}

func (m *messages) show(message []byte) {
	if message = bytes.TrimSpace(message); len(message) == 0 {
		return
	}
	m.budget.messages.Add(-1)
	if m.observe != nil {
		m.observe(message)
	}
}

// end processes the end of the stream.
func (m *messages) end() {
	if m.failed != nil {
		return
	}
	if m.framing == perEvent {
		m.line(m.pending)
		m.line(nil)
	} else {
		m.show(m.pending)
	}
	m.failed, m.pending, m.event = io.EOF, nil, nil
}

// observed is a reader that passes a stream through messages first, so that the observer
// receives a message before the reader acts on it.
type observed struct {
	io.ReadCloser
	messages messages
}

func (o *observed) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	if tooLarge := o.messages.write(p[:n]); tooLarge != nil {
		return 0, tooLarge
	}
	if err != nil {
		o.messages.end()
	}
	return n, err
}
