package gather

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

func TestFilesRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, test := range map[string]struct{ text, want string }{
		"broken.json":  {`{"tools":[{"name":"a","description":7}]}`, `tool "a": `},
		"servers.json": {`{"mcpServers":{"a":{"command":"a"}}}`, "declares servers"},
		"other.json":   {`{"a":1}`, "other.json"},
		"paged.json":   {`{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"x"}`, "the list goes on"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Files(t.Context(), []string{path}, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

type fakeLister map[string]int

func (f fakeLister) List(_ context.Context, s selection.Server) ([]selection.Tool, error) {
	f[s.Name]++
	if s.Name == "silent" {
		return nil, errors.New("no answer")
	}
	var tools []selection.Tool
	for i := range 3 {
		tools = append(tools, selection.Tool{Server: s.Name, Name: fmt.Sprint("t", i)})
	}
	return tools, nil
}

func TestServers(t *testing.T) {
	lister := fakeLister{}
	a, b := selection.Server{Name: "a"}, selection.Server{Name: "b"}
	tools, err := Tools(t.Context(), lister, Source{Servers: []selection.Server{b, a, b}, Only: []string{"t0", "a:t1"}})
	if err != nil || len(tools) != 3 || tools[0].ID != "a:t0" || lister["b"] != 1 {
		t.Errorf("%v, %v, asked %v", tools, err, lister)
	}
	var failed *ListError
	if _, err := Tools(t.Context(), lister, Source{Servers: []selection.Server{a, {Name: "silent"}}}); !errors.As(err, &failed) || failed.Server != "silent" {
		t.Errorf("got %v", err)
	}
	for _, s := range []Source{{}, {Servers: []selection.Server{a}, Given: tools}, {Servers: make([]selection.Server, MaxServers+1)}, {Given: make([]similarity.Tool, MaxTools+1)}} {
		if _, err := Tools(t.Context(), lister, s); err == nil {
			t.Errorf("%d servers and %d tools are accepted", len(s.Servers), len(s.Given))
		}
	}
	for address, want := range map[string]string{"https://h:1/mcp": "h:1/mcp", "stdio:x": "", "https://": "", "https://u:p@h/": ""} {
		if s, err := ServerAt(address); s.Name != want && err == nil || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", address, s.Name, err)
		}
	}
}
