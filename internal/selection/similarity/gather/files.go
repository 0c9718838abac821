package gather

import (
	"context"
	"fmt"
	"io"

	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

// Files reads the tools of tool lists, in all formats that touchstone scan
// reads. For the path "-" it reads stdin. Tools without a server belong to a
// server named after the file.
func Files(ctx context.Context, paths []string, stdin io.Reader) ([]similarity.Tool, error) {
	in, err := input.ReadPaths(ctx, paths, input.ReadOptions{Stdin: stdin})
	if err != nil {
		return nil, err
	}
	return read(in)
}

func read(in *input.Input) ([]similarity.Tool, error) {
	if len(in.Servers) > 0 {
		s := in.Servers[0]
		return nil, fmt.Errorf("%s declares servers and has no tools: register them with `touchstone eval servers add`",
			s.Place)
	}

	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		return nil, fmt.Errorf("%s: tool %q: %s: %s", u.Place, u.Tool, u.Reason, u.Remedy)
	}

	tools := make([]similarity.Tool, 0, len(in.Tools))
	for _, t := range in.Tools {
		tools = append(tools, similarity.Tool{
			ID: t.Server + ":" + t.Name, Server: t.Server, Name: t.Name, Description: t.Description,
			InputSchema: t.InputSchema,
		})
	}

	return tools, nil
}
