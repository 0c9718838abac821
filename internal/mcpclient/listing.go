// Package mcpclient holds what every client of an MCP server needs. Tools
// reads the whole list of tools, page by page, within a bound.
//
// It imports nothing of ours and does not judge what a server lists.
package mcpclient

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages bounds the pages of tools/list that are read from one server: one
// whose cursor never ends must not hold whoever asks.
const maxPages = 1000

// Tools reads every page. The order is the server's. The client
// library leaves out what is null.
func Tools(ctx context.Context, session *mcp.ClientSession) ([]*mcp.Tool, error) {
	var tools []*mcp.Tool
	cursor, seen := "", map[string]bool{}
	for range maxPages {
		page, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		tools = append(tools, page.Tools...)
		if cursor = page.NextCursor; cursor == "" {
			return tools, nil
		}
		if seen[cursor] {
			return nil, fmt.Errorf("its list of tools does not end: it leads back to the page %.60q", cursor)
		}
		seen[cursor] = true
	}
	return nil, fmt.Errorf("its list of tools does not end after %d pages", maxPages)
}
