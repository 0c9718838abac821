package undertest

import (
	"context"
	"net/http"
)

// Client is one more client of a running proxy. Several clients may search at the same
// time, each for one query. Over HTTP each has connections and a session of its own. A
// proxy over stdio has one session, on which they all ask.
type Client struct {
	proxy    *Proxy
	searcher searcher
	http     *http.Client
}

// NewClient returns a client, which the caller closes before it stops the proxy. It fails
// for a search that is a function, which answers one request at a time.
func (p *Proxy) NewClient() (*Client, error) {
	c := &Client{proxy: p, http: newHTTPClient()}
	var err error
	c.searcher, err = p.driver.another(p.addr, p.path, c.http)
	return c, err
}

// Search is that of Proxy.
func (c *Client) Search(ctx context.Context, query string, limit int) (Answer, error) {
	return c.proxy.searchBy(ctx, c.searcher, query, limit)
}

// Close ends the session of the client, if it is its own.
func (c *Client) Close() {
	c.searcher.close()
	c.http.CloseIdleConnections()
}
