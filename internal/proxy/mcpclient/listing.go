package mcpclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages is the maximum number of pages of a list that is read. A list with more
// pages is an error.
const maxPages = 1000

// Tools reads every page of tools/list, in the server's order. The client
// library omits tools that are null.
func Tools(ctx context.Context, session *mcp.ClientSession) ([]*mcp.Tool, error) {
	return pages("tools", func(cursor string) ([]*mcp.Tool, string, error) {
		page, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Tools, page.NextCursor, nil
	})
}

// Prompts reads every page of prompts/list.
func Prompts(ctx context.Context, session *mcp.ClientSession) ([]*mcp.Prompt, error) {
	return pages("prompts", func(cursor string) ([]*mcp.Prompt, string, error) {
		page, err := session.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Prompts, page.NextCursor, nil
	})
}

// Resources reads every page of resources/list.
func Resources(ctx context.Context, session *mcp.ClientSession) ([]*mcp.Resource, error) {
	return pages("resources", func(cursor string) ([]*mcp.Resource, string, error) {
		page, err := session.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Resources, page.NextCursor, nil
	})
}

// ResourceTemplates reads every page of resources/templates/list.
func ResourceTemplates(ctx context.Context, session *mcp.ClientSession) ([]*mcp.ResourceTemplate, error) {
	return pages("resource templates", func(cursor string) ([]*mcp.ResourceTemplate, string, error) {
		page, err := session.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.ResourceTemplates, page.NextCursor, nil
	})
}

// Unsupported reports whether a server answered that it does not support a request.
func Unsupported(err error) bool {
	var answer *jsonrpc.Error
	return errors.As(err, &answer) && answer.Code == jsonrpc.CodeMethodNotFound
}

// pages reads every page of a list.
func pages[T any](what string, read func(cursor string) (page []T, next string, err error)) ([]T, error) {
	var all []T
	cursor, seen := "", map[string]bool{}
	for range maxPages {
		page, next, err := read(cursor)
		if err != nil {
			return nil, fmt.Errorf("list its %s: %w", what, err)
		}

		all = append(all, page...)
		if cursor = next; cursor == "" {
			return all, nil
		}

		if seen[cursor] {
			return nil, fmt.Errorf("its list of %s is endless: it returns to the page %.60q", what, cursor)
		}

		seen[cursor] = true
	}

	return nil, fmt.Errorf("its list of %s does not end after %d pages", what, maxPages)
}
