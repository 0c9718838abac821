// A proxy over stdio: it reads the tools of its servers and searches them by words.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

type tool struct{ Server, Name, Description string }

type message struct {
	ID     int    `json:"id,omitempty"`
	Method string `json:"method,omitempty"`
	Params any    `json:"params,omitempty"`
	Result any    `json:"result,omitempty"`
	RPC    string `json:"jsonrpc"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func listTools(server, command string, args []string) (tools []tool) {
	cmd := exec.Command(command, args...)
	in, err := cmd.StdinPipe()
	check(err)
	out, err := cmd.StdoutPipe()
	check(err)
	check(cmd.Start())
	defer cmd.Process.Kill()
	answers := json.NewDecoder(out)
	cursor := ""
	for id := 1; id < 3 || cursor != ""; id++ {
		m := message{ID: id, Method: "tools/list", Params: map[string]string{"cursor": cursor}, RPC: "2.0"}
		if id == 1 {
			info := map[string]string{"name": "small", "version": "1"}
			m.Method, m.Params = "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": struct{}{}, "clientInfo": info}
		}
		check(json.NewEncoder(in).Encode(m))
		var answer struct {
			Result struct {
				Tools      []tool
				NextCursor string
			}
		}
		check(answers.Decode(&answer))
		if id == 1 {
			check(json.NewEncoder(in).Encode(message{Method: "notifications/initialized", RPC: "2.0"}))
		}
		for _, t := range answer.Result.Tools {
			tools = append(tools, tool{server, t.Name, t.Description})
		}
		cursor = answer.Result.NextCursor
	}
	return tools
}

func search(tools []tool, query string, limit int) []map[string]any {
	type hit struct {
		tool
		score int
	}
	var hits []hit
	for _, t := range tools {
		h := hit{tool: t}
		for _, w := range strings.Fields(strings.ToLower(query)) {
			if strings.Contains(strings.ToLower(t.Name+" "+t.Description), w) {
				h.score++
			}
		}
		if h.score > 0 {
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.score - a.score })
	found := []map[string]any{}
	for _, h := range hits[:min(len(hits), limit)] {
		found = append(found, map[string]any{"id": h.Server + ":" + h.Name, "score": h.score})
	}
	return found
}

// answer answers a request; nil for a notification.
func answer(tools []tool, line []byte) *message {
	var r struct {
		ID     *int
		Method string
		Params struct {
			Arguments struct {
				Query string
				TopK  int `json:"top_k"`
			}
		}
	}
	check(json.Unmarshal(line, &r))
	if r.ID == nil {
		return nil
	}
	m := &message{ID: *r.ID, RPC: "2.0", Result: struct{}{}}
	text := map[string]string{"type": "string"}
	schema := map[string]any{"type": "object", "properties": map[string]any{"query": text, "top_k": map[string]string{"type": "integer"}}}
	switch r.Method {
	case "initialize":
		m.Result = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{"tools": struct{}{}}, "serverInfo": map[string]string{"name": "small", "version": "1"}}
	case "tools/list":
		m.Result = map[string]any{"tools": []any{map[string]any{"name": "retrieve_tools", "description": "Find tools by words.", "inputSchema": schema}}}
	case "tools/call":
		found := map[string]any{"tools": search(tools, r.Params.Arguments.Query, max(r.Params.Arguments.TopK, 5))}
		body, err := json.Marshal(found)
		check(err)
		m.Result = map[string]any{"content": []any{map[string]string{"type": "text", "text": string(body)}}, "structuredContent": found}
	}
	return m
}

func readTools(config string) (tools []tool) {
	data, err := os.ReadFile(config)
	check(err)
	var c struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	check(json.Unmarshal(data, &c))
	for name, s := range c.Servers {
		tools = append(tools, listTools(name, s.Command, s.Args)...)
	}
	slices.SortFunc(tools, func(a, b tool) int { return strings.Compare(a.Server+a.Name, b.Server+b.Name) })
	return tools
}

func main() {
	config := flag.String("config", "mcp.json", "the servers")
	flag.Parse()
	tools := readTools(*config)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if m := answer(tools, lines.Bytes()); m != nil {
			check(json.NewEncoder(os.Stdout).Encode(m))
		}
	}
}
