package undertest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// adapterDriver drives a proxy that an adapter describes.
type adapterDriver struct {
	adapter *adapter.Adapter
	options map[string]string
	binary  string // absolute path, or empty if nothing was built
	self    string // this program
	model   string // the directory of a sentence model; may be empty

	run   *adapter.Run
	token string
	mcp   *mcpClient // nil until it is used
	home  string
	// unlisted describes what the proxy has not read of its servers.
	unlisted func() []string
	read     []Tool // the tools that its servers offer, without their content
	used     bool   // whether it was asked anything, without a tools block
	// find lists the tools that must still be found before the proxy is ready.
	find []contracts.ToolID
}

// token returns a random text that only this process and the proxy know. Another
// program that listens on the proxy's port cannot know it.
func token() string { return strings.ToLower(rand.Text()) }

// secretVariable is the environment variable that passes the proxy's secret to a
// stage.
const secretVariable = "PROXY_SECRET"

// freeAddress finds an unused address on loopback.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port for the proxy: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (d *adapterDriver) replay() replay.Options {
	return replay.Options{PageSize: d.adapter.PageSize(), Both: true}
}

func (d *adapterDriver) launch(home string, opts Options) (adapter.Launch, error) {
	if opts.Index.DropDescriptions || opts.Index.ReverseTop || len(opts.Index.Hide) > 0 {
		return adapter.Launch{},
			fmt.Errorf("--degrade only works with the reference proxy: leave it out with adapter %s", d.adapter.Name)
	}

	listen, err := freeAddress()
	if err != nil {
		return adapter.Launch{}, err
	}

	d.home, d.token, d.read = home, token(), readTools(opts.Corpus)
	d.run, err = d.adapter.Run(adapter.Setting{
		Home: home, Binary: d.binary, Touchstone: d.self, Model: d.model, Listen: listen, Token: d.token,
		Secret:    cmp.Or(opts.Secret, os.Getenv(secretVariable)),
		Upstreams: opts.upstreams, Tools: len(opts.Corpus.Tools), Options: d.options,
	})
	if err != nil {
		return adapter.Launch{}, err
	}

	if opts.SearchPath != "" {
		if err := d.run.CheckSearch(opts.SearchPath); err != nil {
			return adapter.Launch{},
				fmt.Errorf("%w: choose one of them with --search, in a pipeline with --var search=NAME", err)
		}
	}

	if d.run.FindEach() {
		d.find = ids(opts.Corpus)
	}

	return d.run.Launch()
}

func (d *adapterDriver) started(p *process) {
	p.log.keep(d.token)
	if p.out != nil {
		d.mcp = newStdioClient(p)
	}
}

func (d *adapterDriver) close() {
	if d.mcp != nil {
		d.mcp.close()
	}
}

func (d *adapterDriver) address(home string) (address, bool, error) {
	var content []byte
	if file := d.run.Announcement(); file != "" {
		var err error
		content, err = readlimit.File(context.Background(), filepath.Join(home, file), maxAnnouncement)
		if errors.Is(err, fs.ErrNotExist) {
			return address{}, false, nil
		}

		if err != nil {
			return address{}, false, fmt.Errorf("read its announcement: %w", err)
		}
	}

	base, mcp, err := d.run.Address(content)
	return address{base, mcp}, err == nil, err
}

func (d *adapterDriver) ready(ctx context.Context, client *http.Client, addr address) (bool, string, error) {
	q, asked, err := d.run.ReadyQuestion()
	if err != nil {
		return false, "", err
	}

	if asked {
		answer, err := d.ask(ctx, client, addr, q)
		if err != nil {
			// The proxy may not listen yet, or report by its status that it is
			// not ready. Wait for it.
			return false, d.scrubbed(addr, err), nil
		}

		done, progress, err := d.run.Ready(answer)
		if err != nil {
			return false, fmt.Sprintf("%v; it answered %s", err, quoteStart(answer.Text)), nil
		}

		if !done {
			return false, progress, nil
		}
	} else if d.mcp == nil && !listens(ctx, addr.base) && !listens(ctx, addr.mcp) {
		return false, "nothing listens at its address yet", nil
	}

	if !d.run.ListsTools() {
		if done, progress := d.hasRead(ctx, client, addr); !done {
			return false, progress, nil
		}
	}

	return d.findEach(ctx, client, addr)
}

// hasRead reports whether the proxy has read all tools of its servers, for an adapter that does not say how
// it lists them. A proxy may only read them when it is first used, so it is asked for its own tools and for
// a search; the answers do not matter.
func (d *adapterDriver) hasRead(ctx context.Context, client *http.Client, addr address) (bool, string) {
	if !d.used {
		if d.run.MCPSearch() {
			if _, err := d.ask(ctx, client, addr, adapter.Question{ListTools: true}); err != nil {
				return false, d.scrubbed(addr, err)
			}
		}

		_, _ = d.searchOn(ctx, client, addr, d.adapter.SearchPaths()[0], "tools", 1)
		d.used = true
	}

	if n := len(d.unlisted()); n > 0 {
		return false, fmt.Sprintf("it has not read all tools of %d of its servers", n)
	}

	return true, ""
}

// readTools lists the tools of a corpus without their content.
func readTools(corpus contracts.Corpus) []Tool {
	tools := OfCorpus(corpus)
	for i := range tools {
		tools[i] = Tool{ID: tools[i].ID, NoDescription: true, NoSchema: true}
	}
	return tools
}

// listens reports whether the address accepts connections. This is the only check for
// a proxy whose adapter does not describe when it is ready. For an invalid address it
// returns true, and the user of the address reports the error.
func listens(ctx context.Context, base string) bool {
	u, err := url.Parse(base)
	if err != nil || u.Port() == "" {
		return true
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// findEach searches for each tool by its name until all are found. A tool that the
// proxy lists may not be indexed yet.
func (d *adapterDriver) findEach(ctx context.Context, client *http.Client, addr address) (bool, string, error) {
	const depth = 50
	path := d.adapter.SearchPaths()[0]
	for len(d.find) > 0 {
		_, name, _ := strings.Cut(d.find[0], ":")
		answer, err := d.searchOn(ctx, client, addr, path, name, depth)
		if err != nil {
			return false, fmt.Sprintf("the search for tool %q failed: %s", d.find[0], d.scrubbed(addr, err)), nil
		}

		found := false
		for _, hit := range answer.Tools {
			found = found || hit.Name == d.find[0]
		}

		if !found {
			return false, fmt.Sprintf("tool %q is not among the first %d results of a search for its name", d.find[0],
				depth), nil
		}

		d.find = d.find[1:]
	}

	return true, "", nil
}

func (d *adapterDriver) scrubbed(addr address, err error) string {
	return strings.ReplaceAll(err.Error(), addr.base, "the proxy")
}

func (d *adapterDriver) tools(ctx context.Context, client *http.Client, addr address) ([]Tool, error) {
	if !d.run.ListsTools() {
		return d.read, nil // ready has seen that it read them
	}

	q, err := d.run.ToolsQuestion()
	if err != nil {
		return nil, err
	}

	answer, err := d.ask(ctx, client, addr, q)
	if err != nil {
		return nil, err
	}

	listed, err := d.run.Tools(answer)
	if err != nil {
		return nil, fmt.Errorf("%w; it answered %s", err, quoteStart(answer.Text))
	}

	tools := make([]Tool, len(listed))
	for i, t := range listed {
		tools[i] = Tool{ID: t.ID, Schema: t.Schema, Problem: t.Problem, NoSchema: t.Schema == nil,
			NoDescription: t.Description == nil}
		if t.Description != nil {
			tools[i].Description = *t.Description
		}
	}

	return d.expected(tools)
}

// expected applies the known schema changes of the proxy to tools.
func (d *adapterDriver) expected(tools []Tool) ([]Tool, error) {
	out := slices.Clone(tools)
	for i, t := range out {
		var err error
		if out[i].Schema, err = d.run.Comparable(t.Schema); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ask sends a request to the proxy.
func (d *adapterDriver) ask(ctx context.Context, client *http.Client, addr address, q adapter.Question) (adapter.Answer,
	error) {
	if q.Call == "" && !q.ListTools {
		req, err := http.NewRequestWithContext(ctx, q.Method, addr.base+q.URL, bytes.NewReader(q.Body))
		if err != nil {
			return adapter.Answer{}, err
		}

		if q.Body != nil {
			req.Header.Set("Content-Type", "application/json")
		}

		for name, v := range q.Headers {
			req.Header.Set(name, v)
		}

		body, err := fetch(client, req)
		return adapter.Answer{Text: body}, err
	}

	if d.mcp == nil {
		header, err := d.run.MCPHeaders()
		if err != nil {
			return adapter.Answer{}, err
		}

		d.mcp = newMCPClient(addr.mcp, client, header, d.run.SSE())
	}

	if q.ListTools {
		tools, err := d.mcp.list(ctx)
		if err != nil {
			return adapter.Answer{}, err
		}

		text, err := json.Marshal(map[string]any{"tools": tools})
		return adapter.Answer{Text: text}, err
	}

	result, err := d.mcp.call(ctx, q.Call, q.Arguments)
	if err != nil {
		return adapter.Answer{}, err
	}

	text := textOf(result)
	if result.IsError {
		return adapter.Answer{}, fmt.Errorf("%s: %s", q.Call, quoteStart([]byte(text)))
	}

	return adapter.Answer{Text: []byte(text), JSON: result.StructuredContent}, nil
}

func (d *adapterDriver) searcher(addr address, path string, client *http.Client) (searcher, error) {
	if path == "" {
		path = d.adapter.SearchPaths()[0]
	}
	return &adapterSearcher{d, client, addr, path}, nil
}

func (d *adapterDriver) searchOn(ctx context.Context, client *http.Client, addr address, path, query string,
	limit int) (contracts.SearchAnswer, error) {
	q, err := d.run.SearchQuestion(path, query, limit)
	if err != nil {
		return contracts.SearchAnswer{}, err
	}

	answer, err := d.ask(ctx, client, addr, q)
	if err != nil {
		return contracts.SearchAnswer{}, err
	}

	hits, err := d.run.Hits(path, answer)
	if err != nil {
		return hits, fmt.Errorf("the answer does not match adapter %s: %w; it begins %s", d.adapter.Name, err,
			quoteStart(answer.Text))
	}

	return hits, nil
}

type adapterSearcher struct {
	driver *adapterDriver
	client *http.Client
	addr   address
	path   string
}

func (s *adapterSearcher) search(ctx context.Context, query string, limit int) (contracts.SearchAnswer, error) {
	return s.driver.searchOn(ctx, s.client, s.addr, s.path, query, limit)
}

func (s *adapterSearcher) close() {}
