package toollist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/touchstone-eval/touchstone/internal/safetext"
	"io"
	"mime"
	"net/http"
	"sync"
	"sync/atomic"
)

// capture keeps the answers to tools/list as the server wrote them. The
// client library hands out decoded tools: the order of properties and
// duplicate names are gone by then, and it leaves tools out that it finds
// invalid. A scan has to see what was sent.
type capture struct {
	mu    sync.Mutex
	pages []byte // answers that hold tools, one after the other
	over  bool
}

// message looks at one JSON-RPC message from the server.
func (c *capture) message(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if !json.Valid(raw) {
		return
	}
	v := value{raw, 0, len(raw)}
	for _, m := range append([]value{v}, v.array()...) {
		result, ok, _ := get(m.object(), "result")
		if !ok {
			continue
		}
		if tools, ok, _ := get(result.object(), "tools"); !ok || !tools.is('[') {
			continue
		}
		c.mu.Lock()
		if c.over = c.over || len(c.pages)+len(m.raw()) > MaxFile; !c.over {
			c.pages = append(append(c.pages, m.raw()...), '\n')
		}
		c.mu.Unlock()
	}
}

// tools reads what was captured since it was last called. listed are the names that the client library
// made of it: one that was not captured means that something was missed.
func (c *capture) tools(s Server, listed map[string]bool) (*Input, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, fmt.Errorf("its list of tools is larger than %d MiB", MaxFile>>20)
	}
	if len(c.pages) == 0 {
		return nil, errors.New("no answer to tools/list was seen")
	}
	in, err := Read(s.Place.File, s.Name, c.pages)
	c.pages = nil
	if err != nil {
		var bad *InputError
		if errors.As(err, &bad) {
			err = errors.New(bad.Reason)
		}
		return nil, fmt.Errorf("its answer to tools/list: %w", err)
	}
	names := map[string]bool{}
	for i := range in.Tools {
		in.Tools[i].Server, in.Tools[i].Place = s.Name, s.Place
		names[in.Tools[i].Name] = true
	}
	for i := range in.Unscanned {
		u := &in.Unscanned[i]
		u.Server, u.Place, u.Source = s.Name, s.Place, s.Display()
		names[u.Tool] = true
	}
	for name := range listed {
		if !names[name] {
			return nil, fmt.Errorf("it lists the tool %q in a way that could not be read", safetext.Clip(name, 80))
		}
	}
	return in, nil
}

// frames cuts a stream into messages: one a line, the data of server-sent
// events, or all of it.
type frames struct {
	c       *capture
	kind    string // "lines", "events" or "whole"
	pending []byte
	event   []byte
	dead    bool
}

func (f *frames) write(p []byte) {
	if f.dead {
		return
	}
	if len(f.pending)+len(f.event)+len(p) > MaxFile {
		f.c.mu.Lock()
		f.c.over = true
		f.c.mu.Unlock()
		f.dead, f.pending, f.event = true, nil, nil
		return
	}
	if f.kind == "whole" {
		f.pending = append(f.pending, p...)
		return
	}
	for len(p) > 0 {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		f.pending = append(f.pending, line...)
		if !found {
			return
		}
		f.line(bytes.TrimSuffix(f.pending, []byte("\r")))
		f.pending = f.pending[:0]
		p = rest
	}
}

func (f *frames) line(line []byte) {
	if f.kind == "lines" {
		f.c.message(line)
		return
	}
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		f.event = append(append(f.event, bytes.TrimPrefix(data, []byte(" "))...), '\n')
	}
	if len(line) == 0 {
		f.c.message(f.event)
		f.event = f.event[:0]
	}
}

func (f *frames) end() {
	switch f.kind {
	case "whole", "lines":
		f.c.message(f.pending)
	default:
		f.line(f.pending)
		f.line(nil)
	}
	f.pending, f.dead = nil, true
}

// tee passes a stream on and shows it to frames, before its reader acts on it.
type tee struct {
	io.ReadCloser
	f frames
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.f.write(p[:n])
	if err != nil {
		t.f.end()
	}
	return n, err
}

// capturingTransport shows the answers of an HTTP server to a capture and adds
// the configured headers.
type capturingTransport struct {
	next    http.RoundTripper
	c       *capture
	scheme  string
	host    string
	headers map[string]string
	asked   atomic.Bool
	refused atomic.Bool // the first request was answered as by one that takes no POST here
}

func (t *capturingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case req.URL.Host != t.host:
		// The headers are secrets of one host, and so is the consent.
		return nil, fmt.Errorf("the server sends us on to another host, %s", req.URL.Host)
	case t.scheme == "https" && req.URL.Scheme != "https":
		return nil, errors.New("the server sends us on to where nothing is encrypted")
	}
	req = req.Clone(req.Context())
	for name, v := range t.headers {
		req.Header.Set(name, v)
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if !t.asked.Swap(true) {
		switch resp.StatusCode {
		case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
			t.refused.Store(true)
		}
	}
	kind := "whole"
	if mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil && mediaType == "text/event-stream" {
		kind = "events"
	}
	resp.Body = &tee{ReadCloser: resp.Body, f: frames{c: t.c, kind: kind}}
	return resp, nil
}
