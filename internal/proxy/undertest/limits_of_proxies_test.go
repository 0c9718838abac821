package undertest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// changed replaces parts of the adapter of a proxy: old, new, old, new and so on.
func changed(t *testing.T, dir string, parts ...string) string {
	t.Helper()
	file := filepath.Join(dir, "adapter.hcl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(parts); i += 2 {
		if !strings.Contains(string(text), parts[i]) {
			t.Fatalf("the adapter has no %q", parts[i])
		}
		text = []byte(strings.Replace(string(text), parts[i], parts[i+1], 1))
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// printing returns a proxy over stdio whose program is a shell that prints lines and then, with serve, becomes
// the proxy.
func printing(t *testing.T, lines string, serve bool) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("printf '%%s\\n' '%s'; exec sleep 60", lines)
	if serve {
		script = fmt.Sprintf("printf '%%s\\n' '%s'; exec %q %s", lines, self, stdioArgument)
	}
	return changed(t, toolProxy(t, "stdio", "]"), fmt.Sprintf("%q, %q, ]", self, stdioArgument),
		fmt.Sprintf("%q, %q, %q]", "/bin/sh", "-c", script))
}

const withReady = "ready {\n  list_tools = true\n}\ntools {"

// A greeting, a log in JSON and an error without an id on the output of MCP are skipped, and shown in the log.
func TestOtherLinesOnTheOutput(t *testing.T) {
	p := startStdio(t, printing(t, `Listening
{"level":"info","msg":"started"}
{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`, true), 30*time.Second)
	if tools, err := p.Tools(t.Context()); err != nil || len(tools) != 3 {
		t.Errorf("got %+v, %v", tools, err)
	}
	for _, want := range []string{"Listening", `"started"`, "Method not found"} {
		if log := p.Log(); !strings.Contains(log, want) {
			t.Errorf("the log is %q, without %q", log, want)
		}
	}
}

// A program that is no MCP server is noticed long before the time to get ready is over.
func TestOutputThatIsNoMCP(t *testing.T) {
	dir := changed(t, printing(t, "<!DOCTYPE html>\n<title>Log in</title>", false), "tools {", withReady)
	began := time.Now()
	_, err := startDescribed(t, dir, func(o *undertest.Options) {
		o.SearchPath, o.ReadyTimeout = contracts.SearchMCP, 10*time.Minute
	})
	if err == nil || !strings.Contains(err.Error(), `its output is not MCP: it printed "<!DOCTYPE html>"`) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %v", took)
	}
}

// A closed output is final, too.
func TestClosedOutputIsFinal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := changed(t, toolProxy(t, "stdio", "]"), fmt.Sprintf("%q, %q, ]", self, stdioArgument),
		`"/bin/sh", "-c", "exec sleep 60 >/dev/null"]`, "tools {", withReady)
	_, err = startDescribed(t, dir, func(o *undertest.Options) {
		o.SearchPath, o.ReadyTimeout = contracts.SearchMCP, 10*time.Minute
	})
	if err == nil || !strings.Contains(err.Error(), "broke the connection") {
		t.Errorf("got %v", err)
	}
}

// Without a ready block, a proxy that does not answer needs one.
func TestNoAnswerNamesTheReadyBlock(t *testing.T) {
	p := startStdio(t, printing(t, "Please wait", false), 200*time.Millisecond)
	_, err := p.Tools(t.Context())
	if err == nil || !strings.Contains(err.Error(), "did not answer within 200ms") || !strings.Contains(err.Error(), "add a ready block") {
		t.Errorf("got %v", err)
	}
}

// degraded starts a proxy over stdio that is given the corpus degraded.
func degraded(t *testing.T, dir string, index contracts.IndexOptions) *undertest.Proxy {
	t.Helper()
	p, err := startDescribed(t, dir, func(o *undertest.Options) { o.SearchPath, o.Index = contracts.SearchMCP, index })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The top of the answers of any proxy can be reversed on purpose.
func TestReverseTopOfAnyProxy(t *testing.T) {
	var names [2][]string
	for i, reverse := range []bool{false, true} {
		p := degraded(t, toolProxy(t, "stdio", "]"), contracts.IndexOptions{ReverseTop: reverse})
		answer, err := p.Search(t.Context(), "water", 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range answer.Tools {
			names[i] = append(names[i], h.Name)
		}
	}
	slices.Reverse(names[1])
	if len(names[0]) != 3 || !slices.Equal(names[0], names[1]) {
		t.Errorf("got %v", names)
	}
}

// Hidden tools and dropped descriptions are what the proxy must hold.
func TestHideOfAnyProxy(t *testing.T) {
	p := degraded(t, toolProxy(t, "stdio", "]"),
		contracts.IndexOptions{Hide: []contracts.ToolID{"kitchen:boil_water"}, DropDescriptions: true})
	want, err := p.Expected(corpus())
	if err != nil || len(want) != 2 || want[0].Description != "" {
		t.Errorf("got %+v, %v", want, err)
	}
}

// A proxy without a list of its tools holds what searches find.
func TestProxyWithoutAList(t *testing.T) {
	dir := toolProxy(t, "stdio", "]")
	text, err := os.ReadFile(filepath.Join(dir, "adapter.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.Index(string(text), "tools {"), strings.Index(string(text), "search \"mcp\"")
	dir = changed(t, dir, string(text[from:to]), "")
	for limit, want := range map[string]string{
		"  name      = item[1]":                    contracts.FoundBySearch,
		"  name      = item[1]\n  max_limit = 1\n": contracts.FoundByNothing,
	} {
		dir = changed(t, dir, "  name      = item[1]", limit)
		p := startStdio(t, dir, 30*time.Second)
		tools, err := p.Tools(t.Context())
		if err != nil || len(tools) != 3 {
			t.Fatalf("got %+v, %v", tools, err)
		}
		digests, err := undertest.Digest(tools)
		if err != nil {
			t.Fatal(err)
		}
		if digests[2].FoundBy != want || digests[2].DescriptionSHA256 != "" {
			t.Errorf("%s: got %+v", limit, digests)
		}
		if text := undertest.Unverified(digests); !strings.Contains(text, "of 3 tools are") {
			t.Errorf("got %q", text)
		}
		if err := p.CheckFound(digests); (err != nil) != (want == contracts.FoundByNothing) {
			t.Errorf("%s: got %v", limit, err)
		}
		dir = changed(t, dir, limit, "  name      = item[1]")
	}
}
