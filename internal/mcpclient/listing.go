package mcpclient

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages is the maximum number of pages of tools/list that Tools reads. A list with
// more pages is an error.
const maxPages = 1000

// Tools reads every page of tools/list, in the server's order. The client
// library omits tools that are null.
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
			return nil, fmt.Errorf("its list of tools is endless: it returns to the page %.60q", cursor)
		}
		seen[cursor] = true
	}
	return nil, fmt.Errorf("its list of tools does not end after %d pages", maxPages)
}
