package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

const (
	// pipelockVerb runs this program as a detector that asks pipelock.
	pipelockVerb = "as-pipelock"
	// listVerb runs this program as the server behind pipelock.
	listVerb = "serve-lists"
)

// pipelockConfig lets pipelock block what it would only log by default.
const pipelockConfig = `version: 1
response_scanning:
  enabled: true
  action: block
mcp_tool_scanning:
  enabled: true
  action: block
  detect_drift: true
`

// servePipelock judges tools with pipelock (github.com/luckyPipewrench/pipelock). It is a proxy
// between a client and a server, and flags a tool by answering tools/list with an error. An approved version is listed
// first, in the
// same session, which is how pipelock detects a rug pull. It does not get the tools of
// other servers, because it proxies one server.
func servePipelock(args []string) error {
	if len(args) != 1 {
		return errors.New("name the program pipelock")
	}

	p := pipelock{program: args[0]}
	var err error
	if p.home, err = os.MkdirTemp("", "pipelock-"); err != nil {
		return err
	}

	defer os.RemoveAll(p.home)
	p.config = filepath.Join(p.home, "pipelock.yaml")
	if err := os.WriteFile(p.config, []byte(pipelockConfig), 0o600); err != nil {
		return err
	}

	return detectors.ServeFunc(p.judge, os.Stdin, os.Stdout)
}

type pipelock struct{ program, home, config string }

// definition is a tool as its server lists it.
type definition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

func (p pipelock) judge(r contracts.DetectorRequest) (contracts.DetectorVerdict, error) {
	now := definition{r.Tool.Name, r.Tool.Description, r.Tool.InputSchema, r.Tool.OutputSchema, r.Tool.Annotations}
	versions := []definition{now}
	if r.Approved != nil {
		before := now
		before.Description, before.InputSchema, before.OutputSchema = r.Approved.Description, r.Approved.InputSchema,
			r.Approved.OutputSchema
		versions = []definition{before, now}
	}

	var lists []byte
	for _, v := range versions {
		if v.Name == "" {
			v.Name = "tool"
		}

		if len(v.InputSchema) == 0 {
			v.InputSchema = json.RawMessage(`{"type": "object"}`)
		}

		line, err := json.Marshal(map[string]any{"tools": []definition{v}})
		if err != nil {
			return contracts.DetectorVerdict{}, err
		}

		lists = append(append(lists, line...), '\n')
	}

	file := filepath.Join(p.home, "lists.jsonl")
	if err := os.WriteFile(file, lists, 0o600); err != nil {
		return contracts.DetectorVerdict{}, err
	}

	blocked, err := p.session(file, len(versions))
	return contracts.DetectorVerdict{ID: r.ID, Flagged: blocked}, err
}

// message is the part of an answer that is used.
type message struct {
	ID    int             `json:"id"`
	Error json.RawMessage `json:"error"`
}

// session asks a server behind pipelock for its tools, n times, and reports whether the last answer
// was blocked.
func (p pipelock) session(file string, n int) (blocked bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}

	cmd := exec.Command(p.program, "mcp", "proxy", "--config", p.config, "--", self, listVerb, file)
	cmd.Dir, cmd.Env = p.home, []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return false, err
	}

	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}

	if err := cmd.Start(); err != nil {
		return false, err
	}

	blocked, err = converse(in, bufio.NewReader(out), n)
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait() // its status says that something was blocked
	if err != nil {
		return false, fmt.Errorf("%w: %s", err, strings.TrimSpace(errs.String()))
	}

	return blocked, nil
}

// converse initializes a session, asks for the tools n times, and reports whether the last
// answer was an error.
func converse(in io.Writer, out *bufio.Reader, n int) (blocked bool, err error) {
	ask := func(id int, method, params string) (message, error) {
		var m message
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method,
			params); err != nil {
			return m, err
		}

		for m.ID != id { // notifications have no id
			line, err := out.ReadBytes('\n')
			if err != nil {
				return m, fmt.Errorf("pipelock did not answer %s: %w", method, err)
			}

			if err := json.Unmarshal(line, &m); err != nil {
				return m, fmt.Errorf("pipelock answered %s with %q: %w", method, line, err)
			}
		}

		return m, nil
	}
	m, err := ask(1, "initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"peers","version":"1"}}`)
	if err != nil {
		return false, err
	}

	if m.Error != nil {
		return false, fmt.Errorf("pipelock refused the session: %s", m.Error)
	}

	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return false, err
	}

	for i := range n {
		if m, err = ask(i+2, "tools/list", "{}"); err != nil {
			return false, err
		}
	}

	return m.Error != nil, nil
}

// serveLists is an MCP server over stdio. It answers each tools/list with the next line
// of a file.
func serveLists(args []string) error {
	if len(args) != 1 {
		return errors.New("name a file with one result of tools/list a line")
	}

	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}

	lists := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.Unmarshal(requests.Bytes(), &request); err != nil {
			return err
		}

		result := []byte(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"peers","version":"1"}}`)
		switch request.Method {
		case "initialize":
		case "tools/list":
			if len(lists) == 0 {
				return errors.New("there is no further list")
			}

			result, lists = lists[0], lists[1:]
		default:
			continue
		}

		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, result)
	}

	return requests.Err()
}
