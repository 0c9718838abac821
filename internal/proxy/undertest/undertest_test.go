package undertest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/internal/testing/load"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == badproxy.Argument {
		badproxy.Main(os.Args[2:])
		return
	}
	if len(os.Args) > 1 && os.Args[1] == stdioArgument {
		beToolProxy(os.Args[2:])
		return
	}
	load.RunAtOnce(4)
	os.Exit(m.Run())
}

// stdioArgument makes the test binary a proxy over standard input and output, or over SSE at the address that
// follows. It lists the corpus's tools in addition to its own, and answers with text.
const stdioArgument = "be-a-stdio-proxy"

func beToolProxy(address []string) {
	server := mcp.NewServer(&mcp.Implementation{Name: "stdio", Version: "1"}, nil)
	var names []string
	for _, t := range corpus().Tools {
		name := t.Server + "__" + t.Tool
		names = append(names, name)
		server.AddTool(&mcp.Tool{Name: name, Description: t.Description, InputSchema: t.Schema},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, errors.New("not to be called")
			})
	}
	slices.Sort(names)
	type arguments struct {
		Text string `json:"text"`
		Most int    `json:"most"`
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok {
				switch text := string(call.Params.Arguments); {
				case strings.Contains(text, "refuse"):
					return nil, errors.New("not this one\n::error::\x1b[2J")
				case strings.Contains(text, "rant"):
					return nil, errors.New(strings.Repeat("no, and no again; ", 10_000))
				case strings.Contains(text, "wait"):
					<-ctx.Done() // the client gives up, and says so
				}
			}
			return next(ctx, method, req)
		}
	})
	mcp.AddTool(server, &mcp.Tool{Name: "find", Description: "Finds."},
		func(_ context.Context, _ *mcp.CallToolRequest, args arguments) (*mcp.CallToolResult, any, error) {
			if args.Text == "" {
				return nil, nil, errors.New("nothing to look for")
			}
			var text strings.Builder
			for i, name := range names[:min(args.Most, len(names))] {
				fmt.Fprintf(&text, "%d. %s\n", i+1, name)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text.String()}}}, nil, nil
		})
	if len(address) > 0 {
		fmt.Fprintln(os.Stderr, "HOME is", os.Getenv("HOME"))
		http.Handle("/sse", mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
		fmt.Fprintln(os.Stderr, http.ListenAndServe(address[0], nil))
		return
	}
	in := &deafened{os.Stdin}
	if err := server.Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// deafened stops reading permanently when it receives the signal word.
type deafened struct{ io.ReadCloser }

func (d *deafened) Read(b []byte) (int, error) {
	n, err := d.ReadCloser.Read(b)
	if bytes.Contains(b[:n], []byte("go deaf")) {
		time.Sleep(time.Hour)
	}
	return n, err
}

func corpusTool(server, name, description string) contracts.Tool {
	return contracts.Tool{
		ToolID: server + ":" + name, Server: server, Tool: name, Description: description,
		Schema: json.RawMessage(`{"type":"object","properties":{"limit":{"type":"integer","maximum":1e2}}}`),
	}
}

func corpus() contracts.Corpus {
	return contracts.Corpus{
		Version:       "small",
		GeneratedFrom: contracts.GeneratedFrom{Source: "written for this test"},
		Tools: []contracts.Tool{
			corpusTool("garden", "water_plants", "Open the valves for a while."),
			corpusTool("garden", "read_moisture", "How wet the soil is."),
			corpusTool("kitchen", "boil_water", "Heat a kettle."),
		},
	}
}

// start starts a proxy with the given fault.
func start(t *testing.T, mode string, change func(*undertest.Options)) (*undertest.Proxy, error) {
	t.Helper()
	opts := undertest.Options{
		Dir: badproxy.Manifest(t, mode), Corpus: corpus(), Seed: 1, Executable: "never-started", SearchPath: contracts.SearchREST,
		ReadyTimeout: 30 * time.Second, QueryTimeout: 30 * time.Second,
	}
	if change != nil {
		change(&opts)
	}
	p, err := undertest.Start(t.Context(), opts)
	if err == nil {
		t.Cleanup(p.Stop)
	}
	return p, err
}

func soon(o *undertest.Options) {
	o.ReadyTimeout, o.QueryTimeout = 300*time.Millisecond, 300*time.Millisecond
}

func TestStartSaysWhatWentWrong(t *testing.T) {
	leavesNothing(t)
	t.Setenv("PROXY_TEST_TOKEN", "correct-horse-battery")
	for _, tc := range []struct {
		mode   string
		change func(*undertest.Options)
		want   []string
		never  []string
	}{
		{badproxy.DiesAtOnce, nil, []string{"ended before it was ready", "status 1", `my \u001b[31mdatabase`}, []string{"\x1b"}},
		{badproxy.NeverReady, soon, []string{"was not ready within", "has not announced its address", "--ready-timeout", "in mode never-ready"}, nil},
		{badproxy.ReadyGarbage, nil, []string{"ready file is not a JSON object", "docs/reference/proxy-contract.md"}, nil},
		{badproxy.OtherAddress, nil, []string{"192.0.2.7", "loopback"}, nil},
		{badproxy.StatusGarbage, nil, []string{"/api/v1/status", "<html>fine</html>"}, nil},
		{badproxy.DiesWhileIndex, nil, []string{"ended before it was ready", "status 3", "out of ideas"}, nil},
		{badproxy.PrintsSecrets, nil, []string{"api_key=(masked)", "and (masked)"}, []string{"hunter2", "correct-horse"}},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			t.Parallel()
			err := refused(t, badproxy.Manifest(t, tc.mode), tc.change, tc.want...)
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
			for _, never := range tc.never {
				if strings.Contains(err.Error(), never) {
					t.Errorf("the error shows %q:\n%v", never, err)
				}
			}
		})
	}
}

func TestManifestThatNamesNoProgram(t *testing.T) {
	for _, tc := range []struct{ name, binary, want string }{
		{"outside", "../proxy", "not inside its directory"},
		{"absent", "nothing-here", "no such file"},
		{"not executable", "proxy.json", "not an executable file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			err := contracts.Write(filepath.Join(dir, "proxy.json"), contracts.ProxyManifest{
				Name: "p", Kind: contracts.ProxyBinary, Binary: tc.binary, Identity: "x",
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = undertest.Start(t.Context(), undertest.Options{Dir: dir, SearchPath: contracts.SearchREST})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestInterruptEndsTheWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	opts := undertest.Options{Dir: badproxy.Manifest(t, badproxy.NeverReady), SearchPath: contracts.SearchREST}
	opts.ReadyTimeout = time.Hour
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := undertest.Start(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestToolsAndTheirContent(t *testing.T) {
	t.Parallel()
	want, err := undertest.Digest(undertest.OfCorpus(corpus()))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		mode string
		want []string
	}{
		{badproxy.Right, nil},
		{badproxy.ListsLess, []string{"missing"}},
		{badproxy.ListsOther, []string{"different description"}},
	} {
		t.Run(tc.mode, func(t *testing.T) {
			t.Parallel()
			p, err := start(t, tc.mode, nil)
			if err != nil {
				t.Fatal(err)
			}
			tools, err := p.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := undertest.Digest(tools)
			if err != nil {
				t.Fatal(err)
			}
			lines := undertest.Differences(want, got)
			if len(lines) != len(tc.want) {
				t.Fatalf("got %q", lines)
			}
			for i := range lines {
				if !strings.HasSuffix(lines[i], ": "+tc.want[i]) {
					t.Errorf("got %q, want %q", lines[i], tc.want[i])
				}
			}
		})
	}
	for _, mode := range []string{badproxy.ListGarbage, badproxy.ListHangs} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p, err := start(t, mode, nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if mode == badproxy.ListHangs {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 200*time.Millisecond)
				defer cancel()
			}
			if tools, err := p.Tools(ctx); err == nil {
				t.Errorf("got %v", tools)
			}
		})
	}
}

// A failed search must not affect the next one, and its message must be the same in every run.
func TestSearchSurvivesBadAnswers(t *testing.T) {
	t.Parallel()
	for _, path := range []string{contracts.SearchREST, contracts.SearchMCP} {
		for _, tc := range []struct{ mode, rest, mcp string }{
			{badproxy.AnswerGarbage, "the answer is invalid", "failed to decode response"},
			{badproxy.AnswerNaN, "invalid character 'N'", "invalid character 'N'"},
			{badproxy.AnswerNoList, `no list "tools"`, `no list "tools"`},
			{badproxy.EveryQueryFails, "status 500", "Internal Server Error"},
		} {
			t.Run(path+" "+tc.mode, func(t *testing.T) {
				t.Parallel()
				p, err := start(t, tc.mode, func(o *undertest.Options) { o.SearchPath = path })
				if err != nil {
					t.Fatal(err)
				}
				want := tc.rest
				if path == contracts.SearchMCP {
					want = tc.mcp
				}
				_, first := p.Search(t.Context(), "water", 3)
				_, second := p.Search(t.Context(), "water", 3)
				if first == nil || second == nil {
					t.Fatal("garbage was taken for an answer")
				}
				if first.Error() != second.Error() {
					t.Errorf("two messages for one mistake:\n%v\n%v", first, second)
				}
				if !strings.Contains(first.Error(), want) || strings.Contains(first.Error(), "127.0.0.1") {
					t.Errorf("got %v", first)
				}
			})
		}
		t.Run(path+" recovers", func(t *testing.T) {
			t.Parallel()
			p, err := start(t, badproxy.EveryThirdFails, func(o *undertest.Options) { o.SearchPath = path })
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			for range 9 {
				answer, err := p.Search(t.Context(), "water", 2)
				if err != nil {
					failed++
				} else if len(answer.Tools) != 2 {
					t.Errorf("got %v", answer)
				}
			}
			if failed != 3 {
				t.Errorf("%d of 9 queries failed, want 3", failed)
			}
		})
		t.Run(path+" hangs", func(t *testing.T) {
			t.Parallel()
			p, err := start(t, badproxy.HangsAtQuery, func(o *undertest.Options) {
				o.SearchPath, o.QueryTimeout = path, 200*time.Millisecond
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Search(t.Context(), "water", 2); !errors.Is(err, undertest.ErrNoAnswer) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A secret that was passed to the proxy may occur in its answers, and an answer that cannot be parsed becomes
// part of a report.
func TestErrorsKeepTheSecret(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse \"battery\" staple"
	for _, path := range []string{contracts.SearchREST, contracts.SearchMCP} {
		p, err := start(t, badproxy.QuotesSecret, func(o *undertest.Options) { o.SearchPath, o.Secret = path, secret })
		if err != nil {
			t.Fatal(err)
		}
		for pad := range 120 {
			_, err := p.Search(t.Context(), strings.Repeat("x", pad+1), 3)
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), "correct-horse") || strings.Contains(err.Error(), "staple") {
				t.Fatalf("%s: the error shows it: %v", path, err)
			}
			if pad == 0 && path == contracts.SearchREST && !strings.Contains(err.Error(), "wrong key: (masked)") {
				t.Errorf("got %v", err)
			}
		}
	}
}

// A proxy on this machine can redirect requests, and their content, to another machine.
func TestProxyThatSendsAway(t *testing.T) {
	t.Parallel()
	for _, path := range []string{contracts.SearchREST, contracts.SearchMCP} {
		p, err := start(t, badproxy.SendsAway, func(o *undertest.Options) { o.SearchPath = path })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Search(t.Context(), "water", 3); err == nil || !strings.Contains(err.Error(), "redirects to 192.0.2.7:80") {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// A child of the proxy that left its process group is killed with it.
func TestStopLeavesNoProcess(t *testing.T) {
	t.Parallel()
	p, err := start(t, badproxy.LeavesChildren, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(p.Log(), "child ")
	var pid int
	for _, r := range strings.Fields(line)[0] {
		pid = pid*10 + int(r-'0')
	}
	if p, err := os.FindProcess(pid); err != nil || p.Signal(syscall.Signal(0)) != nil {
		t.Fatalf("there is no child %d to begin with", pid)
	}
	p.Stop()
	// It stays a zombie until its new parent reaps it.
	for range 500 {
		stat, err := os.ReadFile("/proc/" + strings.Fields(line)[0] + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("child %d still runs", pid)
}

func TestParseDegrade(t *testing.T) {
	for text, good := range map[string]bool{
		"": true, "drop-descriptions": true, "reverse-top": true, "hide=a:b": true,
		"hide": false, "hide=": false, "hide=ab": false, "everything": false,
	} {
		if _, err := undertest.ParseDegrade(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Many clients search at the same time. One that closes ends no session of the others.
func TestClients(t *testing.T) {
	leavesNothing(t)
	mcpOnly := func(o *undertest.Options) { o.SearchPath = contracts.SearchMCP }
	for name, begin := range map[string]func() (*undertest.Proxy, error){
		"native":  func() (*undertest.Proxy, error) { return start(t, badproxy.Right, mcpOnly) },
		"adapter": func() (*undertest.Proxy, error) { return startDescribed(t, described(t, badproxy.Right), mcpOnly) },
		"REST":    func() (*undertest.Proxy, error) { return startDescribed(t, described(t, badproxy.Right), nil) },
		"stdio":   func() (*undertest.Proxy, error) { return startStdio(t, toolProxy(t, "stdio", "]"), time.Minute), nil },
	} {
		p, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Search(t.Context(), "water", 2); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var all sync.WaitGroup
		for range 8 {
			c, err := p.NewClient()
			if err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				defer c.Close()
				for range 5 {
					if answer, err := c.Search(t.Context(), "water", 2); err != nil || len(answer.Tools) != 2 {
						t.Errorf("%s: got %+v, %v", name, answer, err)
					}
				}
			})
		}
		all.Wait()
		if _, err := p.Search(t.Context(), "water", 2); err != nil {
			t.Errorf("%s: after its clients: %v", name, err)
		}
		p.Stop()
		nothingLeft(t)
	}
}
