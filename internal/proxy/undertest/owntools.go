package undertest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrNoMCP is the error of OwnTools for a proxy that is not searched over MCP.
var ErrNoMCP = errors.New("the proxy is not searched over MCP")

// OwnTools lists the tools that the proxy itself offers to its client, by name: what
// a model has in its context before it searches. Other than Tools, these are not those
// that can be found. The error is ErrNoMCP if the search path is not MCP.
func (p *Proxy) OwnTools(ctx context.Context) ([]Tool, error) {
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	tools, err := p.searcher.ownTools(limited)
	switch {
	case err == nil || errors.Is(err, ErrNoMCP):
		return tools, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		err = fmt.Errorf("%w within %v", ErrNoAnswer, p.timeout)
	}

	return nil, fmt.Errorf("list the own tools of proxy %q: %w", p.Manifest.Name, p.normalizeError(p.addr, err))
}

// ownTools lists the tools of the endpoint, by name.
func (c *mcpClient) ownTools(ctx context.Context) ([]Tool, error) {
	listed, err := c.list(ctx)
	if err != nil {
		return nil, err
	}

	tools := make([]Tool, len(listed))
	for i, t := range listed {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("the schema of tool %q: %w", t.Name, err)
		}

		tools[i] = Tool{ID: t.Name, Description: t.Description, Schema: schema}
	}

	slices.SortFunc(tools, func(a, b Tool) int { return cmp.Compare(a.ID, b.ID) })
	return tools, nil
}
