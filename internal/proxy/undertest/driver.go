package undertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// driver is the interface to a kind of proxy: how it is started, how it reports that
// it is ready, and how it is queried.
type driver interface {
	// replay returns how the servers of the corpus are offered to the proxy.
	replay() replay.Options
	// degrades reports whether the proxy itself degrades its index on purpose. For any
	// other proxy, its servers and its answers are degraded.
	degrades() bool
	// launch returns how to start the proxy and which files to write into home
	// before.
	launch(home string, opts Options) (adapter.Launch, error)
	// started is called when the process is running.
	started(p *process)
	// address returns the address of the proxy, once it is known.
	address(home string) (addr address, found bool, err error)
	// ready reports whether everything is indexed. Neither an unready proxy nor
	// a failed upstream is an error: the listing will show what is missing.
	ready(ctx context.Context, client *http.Client, addr address) (done bool, progress string, err error)
	// tools lists the tools that the proxy holds.
	tools(ctx context.Context, client *http.Client, addr address) ([]Tool, error)
	// expected returns how the proxy lists tools that it holds unchanged: some
	// proxies are known to rewrite schemas.
	expected(tools []Tool) ([]Tool, error)
	// searcher returns a client for the proxy's search.
	searcher(addr address, path string, client *http.Client) (searcher, error)
	// another returns a searcher for one more client, which may search at the same time as
	// others. The caller closes it.
	another(addr address, path string, client *http.Client) (searcher, error)
	// close releases the resources of the driver.
	close()
}

// address is the address of a proxy.
type address struct{ base, mcp string }

// searcher sends queries to the proxy's search. It stays usable after a failed query.
type searcher interface {
	search(ctx context.Context, query string, limit int) (Answer, error)
	// ownTools lists the tools that the proxy itself offers to the same client, or
	// fails with ErrNoMCP.
	ownTools(ctx context.Context) ([]Tool, error)
	close()
}

// nativeDriver is the contract of docs/reference/proxy-contract.md. command is the program with its own
// arguments.
type nativeDriver struct {
	command  []string
	embedded bool
	// reference is set for the reference proxy, which degrades its own index.
	reference bool
	model     string // the directory of a sentence model; may be empty
	timeout   time.Duration
	pageSize  int // of the replayed servers; 0 is the default
}

func (n nativeDriver) replay() replay.Options { return replay.Options{PageSize: n.pageSize} }

func (n nativeDriver) degrades() bool { return n.reference }

// readyFile is the file in which a proxy of the native contract writes its address.
const readyFile = "ready.json"

func (n nativeDriver) launch(home string, opts Options) (adapter.Launch, error) {
	config, err := json.Marshal(contracts.ProxyConfig{Upstreams: opts.upstreams, Model: n.model, Index: opts.Index,
		NoQuarantine: n.embedded})
	if err != nil {
		return adapter.Launch{}, fmt.Errorf("write the proxy's configuration: %w", err)
	}
	argv := append(slices.Clone(n.command),
		"--config", filepath.Join(home, "config.json"), "--listen", "127.0.0.1:0", "--ready-file",
		filepath.Join(home, readyFile))
	if n.embedded {
		argv = append(argv, "--until-stdin-closes")
	}
	return adapter.Launch{Argv: argv, Files: map[string][]byte{"config.json": config}}, nil
}

func (nativeDriver) started(*process) {}

func (nativeDriver) close() {}

// maxAnnouncement is the size in bytes of the largest announcement of a proxy.
const maxAnnouncement = 1 << 20

func (nativeDriver) address(home string) (address, bool, error) {
	data, err := readlimit.File(context.Background(), filepath.Join(home, readyFile), maxAnnouncement)
	if errors.Is(err, fs.ErrNotExist) {
		return address{}, false, nil
	}

	if err != nil {
		return address{}, false, fmt.Errorf("read its ready file: %w", err)
	}

	var a reference.Announcement
	if err := json.Unmarshal(data, &a); err != nil || a.URL == "" {
		return address{}, false,
			errors.New(`its ready file is not a JSON object with a "url": see docs/reference/proxy-contract.md`)
	}

	if a.MCP == "" {
		a.MCP = a.URL + "/mcp"
	}

	return address{a.URL, a.MCP}, true, nil
}

func (nativeDriver) ready(ctx context.Context, client *http.Client, addr address) (bool, string, error) {
	var st reference.Status
	if err := getJSON(ctx, client, addr.base+"/api/v1/status", &st); err != nil {
		return false, "", err
	}
	return st.State == reference.Ready, fmt.Sprintf("%d of %d tools are indexed", st.Indexed, st.Expected), nil
}

func (n nativeDriver) tools(ctx context.Context, client *http.Client, addr address) ([]Tool, error) {
	list, err := within(ctx, n.timeout, func(ctx context.Context) (list reference.ToolList, err error) {
		return list, getJSON(ctx, client, addr.base+"/api/v1/tools", &list)
	})
	if err != nil {
		return nil, err
	}

	tools := make([]Tool, len(list.Tools))
	for i, t := range list.Tools {
		tools[i] = Tool{ID: t.Name, Description: t.Description, Schema: t.InputSchema}
		var findings []string
		for _, f := range t.Findings {
			findings = append(findings, f.Check+": "+f.Detail)
		}

		if t.State == reference.StateIndexed {
			tools[i].Quarantine = strings.Join(findings, ", ")
		} else {
			tools[i].Problem = strings.Join(append([]string{"it is " + string(t.State)}, findings...), ", ")
		}
	}

	return tools, nil
}

func (nativeDriver) expected(tools []Tool) ([]Tool, error) { return tools, nil }

func (nativeDriver) searcher(addr address, path string, client *http.Client) (searcher, error) {
	switch path {
	case contracts.SearchMCP:
		return &mcpSearcher{newMCPClient(addr.mcp, client, nil, false)}, nil
	case contracts.SearchREST, "":
		return &restSearcher{addr: addr, client: client}, nil
	}
	return nil, fmt.Errorf("unknown search path %q: use %s or %s", path, contracts.SearchMCP, contracts.SearchREST)
}

func (n nativeDriver) another(addr address, path string, client *http.Client) (searcher, error) {
	return n.searcher(addr, path, client)
}

// maxAnswer limits the size of one answer, in bytes. A list of 50,000 tools with their
// schemas is well below it.
const maxAnswer = 256 << 20

// getJSON fetches url and decodes the answer into v. If the answer is not JSON, the
// error shows how it begins.
func getJSON(ctx context.Context, client *http.Client, url string, v any) error {
	_, err := getBody(ctx, client, url, v)
	return err
}

// getBody is getJSON, and also returns the answer.
func getBody(ctx context.Context, client *http.Client, url string, v any) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}

	body, err := fetch(client, req)
	if err != nil {
		return nil, err
	}

	if err := json.Unmarshal(body, v); err != nil {
		return nil, fmt.Errorf("GET %s: the answer is invalid (%w): it begins %s", req.URL.Path, err, quoteStart(body))
	}

	return body, nil
}

// fetch sends a request and returns the body of the answer, which must have a success
// status.
func fetch(client *http.Client, req *http.Request) ([]byte, error) {
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}

	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: read the answer: %w", req.Method, req.URL.Path, err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("%s %s: the answer is larger than %d MiB", req.Method, req.URL.Path, maxAnswer>>20)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, fmt.Errorf("%s %s: status %d: %s", req.Method, req.URL.Path, resp.StatusCode, quoteStart(body))
	}

	return body, nil
}

// truncationMark ends the quotation of an answer that was shortened.
const truncationMark = `"...`

// quoteStart quotes the start of an answer for an error.
func quoteStart(body []byte) string {
	const most = 120
	if len(body) > most {
		return strings.TrimSuffix(fmt.Sprintf("%q", body[:most]), `"`) + truncationMark
	}
	return fmt.Sprintf("%q", body)
}
