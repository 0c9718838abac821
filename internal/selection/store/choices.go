package store

import (
	"context"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Choices are the values that filters of cases and runs can take, each list sorted.
type Choices struct {
	// Servers and Tools are those of expected calls.
	Servers []string             `json:"servers"`
	Tools   []selection.ToolName `json:"tools"`
	Tags    []string             `json:"tags"`
	// Models are those of runs, as provider/model.
	Models []string `json:"models"`
}

// Choices returns the values that filters can take.
func (s *Store) Choices(ctx context.Context) (Choices, error) {
	c := Choices{Servers: []string{}, Tools: []selection.ToolName{}, Tags: []string{}, Models: []string{}}
	for into, statement := range map[*[]string]string{
		&c.Tags:   "SELECT DISTINCT tag FROM test_case_tags ORDER BY tag",
		&c.Models: "SELECT DISTINCT provider || '/' || model FROM model_settings ORDER BY 1",
	} {
		rows, err := s.read.QueryContext(ctx, statement)
		if err != nil {
			return c, remedied(err)
		}

		found, err := collect(rows, func(row scanner) (text string, err error) { return text, row.Scan(&text) })
		if err != nil {
			return c, err
		}

		*into = append(*into, found...)
	}

	rows, err := s.read.QueryContext(ctx,
		"SELECT DISTINCT mcp_server_name, tool_name FROM expected_calls ORDER BY mcp_server_name, tool_name")
	if err != nil {
		return c, remedied(err)
	}

	tools, err := collect(rows, func(row scanner) (t selection.ToolName, err error) {
		return t, row.Scan(&t.Server, &t.Tool)
	})
	for _, t := range tools {
		if k := len(c.Servers); k == 0 || c.Servers[k-1] != t.Server {
			c.Servers = append(c.Servers, t.Server)
		}
	}

	c.Tools = append(c.Tools, tools...)
	return c, err
}
