package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
)

// terminateAfter is how long a stdio server may take to end after its input was
// closed. Then it is killed with all its children.
const terminateAfter = 500 * time.Millisecond

// upstream is the connection to one server.
type upstream struct {
	name    string
	session *mcp.ClientSession
	process *subprocess.Stdio // nil for a server at a URL
}

// connect starts or contacts the server of cfg and completes the MCP handshake, or
// returns an error when ctx ends. changed is called from another goroutine whenever the
// server reports that its tools have changed.
func connect(ctx context.Context, cfg contracts.Upstream, log *slog.Logger, changed func()) (*upstream, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "touchstone-proxy", Version: Version}, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed() },
	})
	up := &upstream{name: cfg.Name}
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: cfg.URL}
	if cfg.URL == "" {
		var err error
		if up.process, err = subprocess.StartStdio(serverCommand(cfg, log), terminateAfter); err != nil {
			return nil, err
		}

		transport = &mcp.IOTransport{Reader: up.process.Out, Writer: up.process.In}
	}

	type result struct {
		session *mcp.ClientSession
		err     error
	}
	// Run the handshake in a goroutine: if a server never reads its input, a
	// write can block for ever, and cancelling the context does not stop it.
	// Stopping the process ends the goroutine too.
	done := make(chan result, 1)
	go func() {
		s, err := client.Connect(ctx, transport, nil)
		done <- result{s, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			up.session = r.session
			return up, nil
		}

		up.stop()
		if ctx.Err() == nil {
			return nil, r.err
		}
	case <-ctx.Done():
		up.stop()
		go func() {
			if r := <-done; r.session != nil {
				_ = r.session.Close()
			}
		}()
	}

	return nil, errors.New("it did not complete the handshake in time")
}

// serverCommand prepares a stdio server. The server gets a small environment and the
// additions of its configuration, but no other variables of the proxy.
func serverCommand(cfg contracts.Upstream, log *slog.Logger) *exec.Cmd {
	cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)
	for _, name := range []string{"PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}

	for _, name := range sortedNames(cfg.Env) {
		cmd.Env = append(cmd.Env, name+"="+cfg.Env[name])
	}

	cmd.Stderr = &lineLog{log: log, server: cfg.Name}
	subprocess.LeadBound(cmd)
	return cmd
}

// list reads all tools of the server, in the server's order.
func (u *upstream) list(ctx context.Context) ([]*toolRecord, error) {
	listed, err := mcpclient.Tools(ctx, u.session)
	if err != nil {
		if ctx.Err() != nil {
			return nil, errors.New("it did not list its tools in time")
		}

		return nil, err
	}

	tools := make([]*toolRecord, 0, len(listed))
	seen := map[string]bool{}
	for _, t := range listed {
		if t.Name == "" {
			return nil, errors.New("it lists a tool without a name")
		}

		if seen[t.Name] {
			return nil, fmt.Errorf("it lists the tool %q twice", t.Name)
		}

		seen[t.Name] = true
		record, err := newToolRecord(u.name, t)
		if err != nil {
			return nil, err
		}

		tools = append(tools, record)
	}

	return tools, nil
}

// call forwards a call and returns the server's answer unchanged.
func (u *upstream) call(ctx context.Context, tool string, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: tool}
	if len(arguments) > 0 {
		params.Arguments = arguments
	}
	return u.session.CallTool(ctx, params)
}

// close closes the connection. For a stdio server, it also stops the process and its
// children.
func (u *upstream) close() {
	if u.process != nil {
		// Stop the server first: a session that waits for the answer to a call
		// ends when the server does.
		u.process.Stop()
	}
	_ = u.session.Close()
}

// stop ends a stdio server.
func (u *upstream) stop() {
	if u.process != nil {
		u.process.Stop()
	}
}

// lineLog logs each line of a server's standard error.
type lineLog struct {
	log     *slog.Logger
	server  string
	pending []byte
}

// maxLogLine limits the length of a line, so that a line without an end cannot use up
// the memory.
const maxLogLine = 4 << 10

func (l *lineLog) Write(p []byte) (int, error) {
	l.pending = append(l.pending, p...)
	for {
		line, rest, found := bytes.Cut(l.pending, []byte("\n"))
		if !found && len(line) < maxLogLine {
			return len(p), nil
		}
		if text := bytes.TrimSpace(line); len(text) > 0 {
			l.log.Info("upstream output", "server", l.server, "line", string(text[:min(len(text), maxLogLine)]))
		}
		l.pending = append([]byte(nil), rest...)
	}
}
