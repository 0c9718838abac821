package undertest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
)

// described returns a proxy made of the bad proxy's program and the included adapter of the native contract,
// with replacements in the adapter: old, new, old, new and so on.
func described(t *testing.T, mode string, parts ...string) (dir string) {
	t.Helper()
	shipped, err := os.ReadFile("../../../adapters/reference.hcl")
	if err != nil {
		t.Fatal(err)
	}
	text := string(shipped)
	parts = append([]string{
		`touchstone, "proxy", "serve"`, fmt.Sprintf("binary, %q", mode), // the program, which ends without a look at its input
		`, "--until-stdin-closes"`, "",
		"start {", "build {\n  binary = \"proxy\"\n}\n\nstart {",
		"  mcp  = answer.mcp\n", "", // it is where the adapter would look for it
	}, parts...)
	for i := 0; i < len(parts); i += 2 {
		if !strings.Contains(text, parts[i]) {
			t.Fatalf("the adapter has no %q", parts[i])
		}
		text = strings.Replace(text, parts[i], parts[i+1], 1)
	}
	dir = badproxy.Manifest(t, mode)
	if err := os.WriteFile(filepath.Join(dir, "adapter.hcl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err = contracts.Write(filepath.Join(dir, "proxy.json"), contracts.ProxyManifest{
		Name: mode, Kind: contracts.ProxyBinary, Binary: "proxy", Adapter: "adapter.hcl", Identity: mode,
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// startDescribed starts it in the same way as start.
func startDescribed(t *testing.T, dir string, change func(*undertest.Options)) (*undertest.Proxy, error) {
	t.Helper()
	return start(t, badproxy.Right, func(o *undertest.Options) {
		o.Dir = dir
		if change != nil {
			change(o)
		}
	})
}

// leavesNothing gives the test its own directory for temporary files, and calls nothingLeft at its end, when its
// parallel subtests have ended too.
func leavesNothing(t *testing.T) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() { nothingLeft(t) })
}

// nothingLeft fails if a private directory is left in the test's directory for temporary files, or a process
// whose home it is.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "touchstone-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env), "HOME="+os.TempDir()) {
			t.Errorf("%s is of a process that was left running", file)
		}
	}
}

func TestDescribedProxy(t *testing.T) {
	leavesNothing(t)
	for _, path := range []string{contracts.SearchREST, contracts.SearchMCP} {
		p, err := startDescribed(t, described(t, badproxy.Right), func(o *undertest.Options) { o.SearchPath = path })
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Expected(corpus())
		if err != nil {
			t.Fatal(err)
		}
		tools, err := p.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Mismatch(want, tools); err != nil {
			t.Error(err)
		}
		answer, err := p.Search(t.Context(), "kettle", 2)
		if err != nil || len(answer.Tools) != 2 || answer.Tools[0].Name != "kitchen:boil_water" {
			t.Errorf("%s: got %+v, %v", path, answer, err)
		}
		p.Stop()
		nothingLeft(t)
	}
}

func TestDescribedProxySaysWhatWentWrong(t *testing.T) {
	leavesNothing(t)
	linux := runtime.GOOS == "linux"
	onPort := []string{"announce {\n  file = \"ready.json\"\n  url  = answer.url\n}", ""}
	for _, tc := range []struct {
		name, mode string
		parts      []string
		change     func(*undertest.Options)
		want       []string
	}{
		{"other port", badproxy.Right, onPort, soon, []string{"was not ready within", "it should listen at 127.0.0.1:", "but listens at 127.0.0.1:"}},
		{"other port, and no ready block", badproxy.Right, append(slices.Clone(onPort), "ready {\n  path     = \"/api/v1/status\"\n  done     = answer.state == \"ready\"\n  progress = \"${answer.indexed} of ${answer.expected} tools are indexed\"\n}", ""), soon,
			[]string{"was not ready within", "nothing listens at its address yet", "but listens at 127.0.0.1:"}},
		{"all interfaces", badproxy.Right, []string{`"127.0.0.1:0"`, `"0.0.0.0:0"`, "answer.url", `replace(answer.url, "[::]", "127.0.0.1")`}, nil,
			[]string{"but must listen only on loopback", "bind only 127.0.0.1"}},
		{"announces another machine", badproxy.OtherAddress, nil, nil, []string{"192.0.2.7", "loopback"}},
		{"announces no address", badproxy.Right, []string{"answer.url", "answer.address"}, nil, []string{"announce", `no field "address"`, "docs/reference/adapters.md"}},
		{"never done", badproxy.Right, []string{`answer.state == "ready"`, `answer.state == "done"`}, soon, []string{"was not ready within", "does not report that it is ready"}},
		{"done is not a boolean", badproxy.Right, []string{`answer.state == "ready"`, "answer.state"}, soon, []string{"done is a string", "docs/reference/adapters.md"}},
		{"no such search", badproxy.Right, []string{`search "mcp"`, `search "rest" `, `search "rest" {` + "\n  path   = \"/api/v1/index/search\"", "search \"mcp\" {\n  path   = \"/api/v1/index/search\""}, func(o *undertest.Options) {
			o.SearchPath = "telepathy"
		}, []string{`no search "telepathy"`, "--search"}},
		{"dies", badproxy.DiesAtOnce, nil, nil, []string{"ended before it was ready", "status 1", `my \u001b[31mdatabase`}},
		{"tells its token", badproxy.DiesAtOnce, []string{"binary,", `"/bin/sh", "-c", "echo I know $0; exit 1", token,`}, nil, []string{"I know (masked)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !linux && (strings.HasPrefix(tc.name, "other port") || tc.name == "all interfaces") {
				t.Skip("needs /proc")
			}
			t.Parallel()
			err := refused(t, described(t, tc.mode, tc.parts...), tc.change, tc.want...)
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
		})
	}
}

// refused starts a proxy that does not get ready, and returns the error. On a busy machine, a short wait may end
// before the proxy has done anything. Then refused retries with more time, until the error is the expected one.
func refused(t *testing.T, dir string, change func(*undertest.Options), want ...string) error {
	t.Helper()
	for patience := time.Duration(1); ; patience *= 4 {
		_, err := startDescribed(t, dir, func(o *undertest.Options) {
			if change != nil {
				change(o)
			}
			o.ReadyTimeout *= patience
		})
		if err == nil {
			t.Fatal("it started")
		}
		lacks := func(text string) bool { return !strings.Contains(err.Error(), text) }
		if patience > 16 || !slices.ContainsFunc(want, lacks) {
			return err
		}
	}
}

// Another process may take the port after it was found to be free. Then there is another attempt with another
// port.
func TestTakenPortIsTriedAgain(t *testing.T) {
	leavesNothing(t)
	marker := filepath.Join(t.TempDir(), "tried")
	script := fmt.Sprintf(`if [ ! -e %[1]s ]; then touch %[1]s; echo "listen tcp: address already in use"; exit 1; fi; exec "$0" "$@"`, marker)
	dir := described(t, badproxy.Right, "binary,", fmt.Sprintf("%q, %q, %q, binary,", "/bin/sh", "-c", script))
	p, err := startDescribed(t, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	nothingLeft(t)
}

// Start waits for a proxy that lists tools before they can be found.
func TestFindEach(t *testing.T) {
	dir := described(t, badproxy.Right, "  progress", "  find_each = true\n  progress")
	if _, err := startDescribed(t, dir, nil); err != nil {
		t.Fatal(err)
	}
	want := `tool "zoo:feed" is not among the first 50`
	err := refused(t, dir, func(o *undertest.Options) {
		soon(o)
		for i := range 60 {
			o.Corpus.Tools = append(o.Corpus.Tools, corpusTool("farm", fmt.Sprintf("feed_%02d", i), ""))
		}
		o.Corpus.Tools = append(o.Corpus.Tools, corpusTool("zoo", "feed", ""))
	}, want)
	if !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// The proxy first gets a time limit that is a third of what it needs, and then one that suffices.
func TestSlowIndex(t *testing.T) {
	leavesNothing(t)
	_, err := start(t, badproxy.SlowIndex, func(o *undertest.Options) { o.ReadyTimeout = 60 * time.Millisecond })
	if err == nil || !strings.Contains(err.Error(), "was not ready within 60ms") || !strings.Contains(err.Error(), "--ready-timeout") {
		t.Errorf("got %v", err)
	}
	p, err := start(t, badproxy.SlowIndex, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	nothingLeft(t)
}

// A lock file that a proxy leaves does not prevent the start of the next one.
func TestLockFileIsGoneWithItsProxy(t *testing.T) {
	leavesNothing(t)
	for range 2 {
		p, err := start(t, badproxy.LeavesLock, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Stop()
		nothingLeft(t)
	}
}

func TestAnswersOfTenMegabytes(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads large answers")
	}
	t.Parallel()
	for _, path := range []string{contracts.SearchREST, contracts.SearchMCP} {
		p, err := start(t, badproxy.AnswerHuge, func(o *undertest.Options) { o.SearchPath = path })
		if err != nil {
			t.Fatal(err)
		}
		answer, err := p.Search(t.Context(), "kettle", 3)
		if err != nil || len(answer.Tools) != 3 || answer.Tools[0].Name != "kitchen:boil_water" {
			t.Errorf("%s: got %d tools, %v", path, len(answer.Tools), err)
		}
		p.Stop()
	}
}

// startStdio starts the proxy that dir describes, and searches it over MCP.
func startStdio(t *testing.T, dir string, timeout time.Duration) *undertest.Proxy {
	t.Helper()
	p, err := startDescribed(t, dir, func(o *undertest.Options) { o.SearchPath, o.QueryTimeout = contracts.SearchMCP, timeout })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// toolProxy returns a proxy that is the test binary as in beToolProxy. start is the adapter's start block
// without the command's first two words, and transport that of MCP.
func toolProxy(t *testing.T, transport, start string) (dir string) {
	t.Helper()
	dir = badproxy.Manifest(t, badproxy.Right)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
name = "tools"
start {
  command = [%q, %q, %s
}
mcp {
  transport = %q
}
tools {
  list_tools  = true
  items       = [for t in answer.tools : t if strcontains(t.name, "__")]
  server      = split("__", item.name)[0]
  name        = split("__", item.name)[1]
  description = item.description
}
search "mcp" {
  call      = "find"
  arguments = { text = query, most = limit }
  items     = regexall("(?m)^[0-9]+[.] ([a-z]+)__([a-z_]+)", text)
  server    = item[0]
  name      = item[1]
}
`, self, stdioArgument, start, transport)
	if err := os.WriteFile(filepath.Join(dir, "adapter.hcl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err = contracts.Write(filepath.Join(dir, "proxy.json"), contracts.ProxyManifest{
		Name: "tools", Kind: contracts.ProxyCommand, Adapter: "adapter.hcl", Identity: "tools",
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A proxy that speaks MCP over SSE only. Its session outlives the requests, and its home may be a directory
// inside that which Touchstone chose.
func TestSSEProxy(t *testing.T) {
	leavesNothing(t)
	p, err := startDescribed(t, toolProxy(t, "sse", "listen]\n  env = { HOME = \"${home}/below\" }"), func(o *undertest.Options) { o.SearchPath = contracts.SearchMCP })
	if err != nil {
		t.Fatal(err)
	}
	if tools, err := p.Tools(t.Context()); err != nil || len(tools) != 3 {
		t.Errorf("got %+v, %v", tools, err)
	}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		answer, err := p.Search(ctx, "water", 2)
		cancel()
		if err != nil || len(answer.Tools) != 2 || answer.Tools[0].Name != "garden:read_moisture" {
			t.Errorf("got %+v, %v", answer, err)
		}
	}
	if log := p.Log(); !strings.Contains(log, "/below") {
		t.Errorf("the proxy wrote %q", log)
	}
	p.Stop()
	nothingLeft(t)
	refused(t, toolProxy(t, "sse", `listen]`+"\n  env = { XDG_CACHE_HOME = \"/var/cache\" }"), nil, `sets XDG_CACHE_HOME to "/var/cache"`, "starts with ${home}")
}

// A query that ends before the proxy has greeted does not end the only session.
func TestStdioProxyThatGreetsLate(t *testing.T) {
	t.Parallel()
	dir := toolProxy(t, "stdio", "]")
	file := filepath.Join(dir, "adapter.hcl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const late = `command = ["/bin/sh", "-c", "sleep 1; exec \"$0\" \"$@\"", `
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "command = [", late, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	p := startStdio(t, dir, 100*time.Millisecond)
	for queries := 1; ; queries++ {
		answer, err := p.Search(t.Context(), "water", 2)
		if err == nil {
			if len(answer.Tools) != 2 || queries == 1 {
				t.Errorf("query %d: got %+v", queries, answer)
			}
			return
		}
		if !errors.Is(err, undertest.ErrNoAnswer) {
			t.Fatalf("query %d: %v", queries, err)
		}
	}
}

// A proxy that speaks MCP on its standard input and output.
func TestStdioProxy(t *testing.T) {
	leavesNothing(t)
	dir := toolProxy(t, "stdio", "]")
	p := startStdio(t, dir, time.Minute)
	tools, err := p.Tools(t.Context())
	if err != nil || len(tools) != 3 || tools[0].ID != "garden:read_moisture" || !tools[0].NoSchema {
		t.Errorf("got %+v, %v", tools, err)
	}
	for range 2 {
		answer, err := p.Search(t.Context(), "water", 2)
		if err != nil || len(answer.Tools) != 2 || answer.Tools[0].Name != "garden:read_moisture" {
			t.Errorf("got %+v, %v", answer, err)
		}
	}
	// There is only one session: a failed query must not affect later ones.
	for _, tc := range []struct{ query, want string }{{"", "nothing to look for"}, {"refuse", `not this one\u000a::error::\u001b[2J`}, {"rant", "no, and no again; no"}} {
		if _, err := p.Search(t.Context(), tc.query, 2); err == nil || !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 3000 {
			t.Errorf("%q: %v", tc.query, err)
		}
		if _, err := p.Search(t.Context(), "water", 2); err != nil {
			t.Errorf("after %q: %v", tc.query, err)
		}
	}
	p.Stop()
	nothingLeft(t)

	// The rest runs into the timeout on purpose. A right answer may do so too on a
	// busy machine, so it is asked for until it comes.
	const timeout = 200 * time.Millisecond
	p = startStdio(t, dir, timeout)
	if _, err := p.Search(t.Context(), "wait", 2); err == nil || !strings.Contains(err.Error(), "did not answer within "+timeout.String()) {
		t.Errorf("wait: %v", err)
	}
	for {
		_, err := p.Search(t.Context(), "water", 2)
		if err == nil {
			break
		}
		if !errors.Is(err, undertest.ErrNoAnswer) {
			t.Fatalf("after wait: %v", err)
		}
	}
	// If the proxy stops reading, its input pipe fills up, and a blocked write
	// never returns.
	for _, query := range []string{"go deaf", strings.Repeat("x", 300_000), strings.Repeat("x", 300_000)} {
		asked := make(chan error, 1)
		go func() {
			_, err := p.Search(t.Context(), query, 2)
			asked <- err
		}()
		select {
		case err := <-asked:
			if !errors.Is(err, undertest.ErrNoAnswer) {
				t.Errorf("%.10q: %v", query, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%.10q: the question hangs", query)
		}
	}
	p.Stop()
	nothingLeft(t)
}
