package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// roundTripper adds a target's headers to each request, keeps requests on the
// target's host, and shows the answers to an observer.
type roundTripper struct {
	next    http.RoundTripper
	observe func([]byte)
	budget  *budget
	scheme  string
	host    string
	headers map[string]string
	over    <-chan struct{} // closed when the conversation is over
	outcome outcome
	asked   atomic.Bool
	refused atomic.Bool // the first answer was that of a server that does not support POST here
}

func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.roundTrip(req)
	if err != nil {
		t.outcome.note(req, err)
		return nil, err
	}
	t.outcome.note(req, answered(resp))
	return resp, nil
}

func (t *roundTripper) roundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case req.URL.Host != t.host:
		// The user consented to this host, and the headers are its secrets.
		return nil, &RedirectError{fmt.Sprintf("it redirects to another host, %s", req.URL.Host)}
	case t.scheme == "https" && req.URL.Scheme != "https":
		return nil, &RedirectError{"it redirects to an unencrypted connection"}
	}

	ctx, cancel := context.WithCancel(req.Context())
	go t.endAfterGrace(ctx, cancel)
	req = req.Clone(ctx)
	for name, v := range t.headers {
		req.Header.Set(name, v)
	}

	resp, err := t.next.RoundTrip(req)
	if err != nil {
		cancel()
		return nil, err
	}

	if !t.asked.Swap(true) {
		switch resp.StatusCode {
		case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
			t.refused.Store(true)
		}
	}

	f := whole
	if mediaType, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil &&
		mediaType == "text/event-stream" {
		f = perEvent
	}

	resp.Body = &observed{ReadCloser: cancelled{resp.Body, cancel},
		messages: messages{framing: f, observe: t.observe, budget: t.budget}}
	return resp, nil
}

// closeTimeout is how long a request may take after the end of its conversation.
const closeTimeout = 5 * time.Second

// endAfterGrace ends a request that outlasts its conversation. The SDK ends a
// session with a request that has no time limit, and the server may never answer it.
func (t *roundTripper) endAfterGrace(ctx context.Context, cancel func()) {
	select {
	case <-ctx.Done():
		return
	case <-t.over:
	}
	select {
	case <-ctx.Done():
	case <-time.After(closeTimeout):
		cancel()
	}
}

// cancelled is the body of a response whose request is cancelled by Close.
type cancelled struct {
	io.ReadCloser
	cancel func()
}

func (b cancelled) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// httpTransport returns the transport of a target at a URL, and how its
// connections are closed. Requests end soon after over is closed.
func httpTransport(over <-chan struct{}, t Target, o Options) (mcp.Transport, *roundTripper, func(), error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, nil, nil, errors.New("its URL is not an http or https URL")
	}

	base := http.DefaultTransport.(*http.Transport).Clone()
	if t.Dial != nil {
		base.DialContext, base.Proxy = t.Dial, nil
	}

	rt := &roundTripper{
		next: base, observe: o.Observe, budget: newBudget(),
		scheme: u.Scheme, host: u.Host, headers: t.Headers, over: over,
	}
	client := &http.Client{Transport: rt}
	if t.Transport == SSE {
		return &mcp.SSEClientTransport{Endpoint: t.URL, HTTPClient: client}, rt, base.CloseIdleConnections, nil
	}

	return &mcp.StreamableClientTransport{
		Endpoint: t.URL, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true,
	}, rt, base.CloseIdleConnections, nil
}
