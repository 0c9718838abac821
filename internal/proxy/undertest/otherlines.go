package undertest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// otherLines receives what a proxy over stdio prints on its output beside MCP. A proxy
// may greet or write its log there, which harms nothing. A proxy that prints something
// else instead of MCP is noticed by its first line, or because no answer follows.
type otherLines struct {
	log io.Writer

	mu     sync.Mutex
	first  []byte
	since  time.Time     // of the first line
	page   chan struct{} // closed when a line is not of a program that speaks MCP
	noPage sync.Once
}

func newOtherLines(log io.Writer) *otherLines {
	return &otherLines{log: log, page: make(chan struct{})}
}

// answerAfterText is how long a proxy that has printed other lines may take until its
// first message of MCP. It may be connecting its servers.
const answerAfterText = 30 * time.Second

// pages are the beginnings of lines that no program prints before it speaks MCP: those
// of a web page or of an answer of HTTP.
var pages = [][]byte{[]byte("<!"), []byte("<html"), []byte("<?xml"), []byte("HTTP/1.")}

// Write receives one line.
func (o *otherLines) Write(line []byte) (int, error) {
	o.mu.Lock()
	if o.first == nil {
		o.first, o.since = bytes.Clone(bytes.TrimSpace(line)), time.Now()
	}
	o.mu.Unlock()
	for _, start := range pages {
		if len(line) >= len(start) && bytes.EqualFold(line[:len(start)], start) {
			o.noPage.Do(func() { close(o.page) })
		}
	}
	return o.log.Write(line)
}

// watch returns a context that also ends when the proxy turns out to print something
// else than MCP. o may be nil.
func (o *otherLines) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if o != nil {
		go func() {
			select {
			case <-o.page:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// instead returns an error if the proxy prints something else instead of MCP.
func (o *otherLines) instead() error {
	o.mu.Lock()
	first, since := o.first, o.since
	o.mu.Unlock()
	select {
	case <-o.page:
	default:
		if first == nil || time.Since(since) < answerAfterText {
			return nil
		}
	}
	return fmt.Errorf("its output is not MCP: it printed %s and sent no message of JSON-RPC; check that the command "+
		"in its adapter starts an MCP server over stdio, and that transport is right", quoteStart(first))
}

// stdioFailure returns an error if a failed request shows that a proxy over stdio can
// never answer: it broke its only connection, or it does not speak MCP. It returns nil
// for other proxies.
func (d *adapterDriver) stdioFailure(err error) error {
	switch {
	case d.other == nil:
		return nil
	case d.mcp.broken():
		return &finalError{fmt.Errorf("it broke its connection: %w", err)}
	case d.mcp.connected.Load():
		return nil
	}
	if err := d.other.instead(); err != nil {
		return &finalError{err}
	}
	return nil
}
