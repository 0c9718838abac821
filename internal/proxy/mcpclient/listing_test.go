package mcpclient

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve starts a server that answers tools/list with the result of page for the
// cursor.
func serve(t *testing.T, page func(cursor string) string) *mcp.ClientSession {
	t.Helper()
	in, client := io.Pipe()
	server, out := io.Pipe()
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			var request struct {
				ID     json.RawMessage
				Method string
				Params struct{ Cursor string }
			}
			if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
				continue
			}
			result := `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
			if request.Method == "tools/list" {
				result = page(request.Params.Cursor)
			} else if request.Method != "initialize" {
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", request.ID)
				continue
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, result)
		}
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: server, Writer: client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

const tool = `{"name":%q,"inputSchema":{"type":"object"}}`

func TestTools(t *testing.T) {
	pages, circle := 0, 0
	for _, tc := range []struct {
		name string
		page func(cursor string) string
		want string // names, or a part of the error after "!"
	}{
		{"in the server's order", func(cursor string) string {
			next := map[string][2]string{"": {"z", "1"}, "1": {"a", "2"}, "2": {"m", ""}}[cursor]
			return fmt.Sprintf(`{"tools":[`+tool+`],"nextCursor":%q}`, next[0], next[1])
		}, "z a m"},
		{"none", func(string) string { return `{"tools":[]}` }, ""},
		{"an empty page in between", func(cursor string) string {
			if cursor == "" {
				return `{"tools":[],"nextCursor":"1"}`
			}
			return fmt.Sprintf(`{"tools":[`+tool+`]}`, "late")
		}, "late"},
		{"null among them", func(string) string { return fmt.Sprintf(`{"tools":[null,`+tool+`]}`, "a") }, "a"},
		{"no end", func(string) string { pages++; return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, pages) }, "!does not end after 1000 pages"},
		{"a circle of one", func(string) string { circle++; return `{"tools":[],"nextCursor":"1"}` }, `!returns to the page "1"`},
		{"a circle of two", func(cursor string) string {
			circle++
			return fmt.Sprintf(`{"tools":[],"nextCursor":%q}`, map[string]string{"": "1", "1": "2", "2": "1"}[cursor])
		}, `!returns to the page "1"`},
		{"no list", func(string) string { return `7` }, "!list its tools: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tools, err := Tools(t.Context(), serve(t, tc.page))
			if part, fails := strings.CutPrefix(tc.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("got %v and %v, want %q", tools, err, part)
				}
				return
			}
			var names []string
			for _, tool := range tools {
				names = append(names, tool.Name)
			}
			if got := strings.Join(names, " "); err != nil || got != tc.want {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
		})
	}
	if pages != maxPages || circle != 5 {
		t.Errorf("a list without an end was read for %d pages, and two circles for %d", pages, circle)
	}
}
