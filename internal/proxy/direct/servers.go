package direct

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
)

// tool is a tool as listed by its server.
type tool struct {
	id           contracts.ToolID
	server, name string
	description  string
	schema       json.RawMessage
}

// readTools requests the tools of every server, several at a time, and closes the
// connections. The tools are in the order of the servers, and of each server's list.
// If one server fails, readTools fails, because a measurement without its tools
// would measure something else.
func readTools(ctx context.Context, servers []contracts.Upstream) ([]tool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lists := make([][]tool, len(servers))
	places := make(chan struct{}, 4*runtime.GOMAXPROCS(0))
	var asking sync.WaitGroup
	for i, s := range servers {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			var err error
			if lists[i], err = readServer(ctx, s); err != nil {
				cancel(fmt.Errorf("server %q: %w", s.Name, err))
			}
		})
	}

	asking.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}

	var tools []tool
	for _, list := range lists {
		tools = append(tools, list...)
	}

	return tools, nil
}

func readServer(ctx context.Context, s contracts.Upstream) ([]tool, error) {
	var listed []*mcp.Tool
	err := mcpclient.Use(ctx, mcpclient.Target{Command: s.Command, Env: s.Env, URL: s.URL},
		mcpclient.Options{Name: "touchstone-direct", Version: "1"},
		func(ctx context.Context, session *mcp.ClientSession) (err error) {
			listed, err = mcpclient.Tools(ctx, session)
			return err
		})
	if err != nil {
		return nil, err
	}

	var tools []tool
	for _, t := range listed {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("the schema of its tool %q: %w", t.Name, err)
		}

		tools = append(tools, tool{id: s.Name + ":" + t.Name, server: s.Name, name: t.Name, description: t.Description,
			schema: schema})
	}

	return tools, nil
}
