package gather

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

// Limits of one comparison. Its matrix grows with the square of the number of
// tools.
const (
	MaxTools   = 5000
	MaxServers = 100
)

// Lister lists the tools of a server.
type Lister interface {
	List(context.Context, selection.Server) ([]selection.Tool, error)
}

// ListError means that a server did not list its tools.
type ListError struct {
	Server string
	Err    error
}

func (e *ListError) Error() string {
	return fmt.Sprintf("list the tools of server %q: %v", e.Server, e.Err)
}

func (e *ListError) Unwrap() error { return e.Err }

// Source selects the tools to compare. Either Servers or Given has entries.
type Source struct {
	Servers []selection.Server
	Given   []similarity.Tool
	// Only lists the tools to keep, by name or id. Empty keeps all.
	Only []string
}

// Tools returns the tools of a source in the order of similarity.Prepare. A
// server that is named twice is listed once. A server that does not answer
// gives a *ListError.
func Tools(ctx context.Context, lister Lister, s Source) ([]similarity.Tool, error) {
	if (len(s.Servers) > 0) == (len(s.Given) > 0) {
		return nil, errors.New("give tools from exactly one place: servers, addresses or a list of tools")
	}

	if len(s.Servers) > MaxServers {
		return nil, fmt.Errorf("more than %d servers cannot be compared at once: give fewer", MaxServers)
	}

	tools := s.Given
	asked := map[string]bool{}
	for _, server := range s.Servers {
		key := server.Name + "\x00" + server.URL
		if asked[key] {
			continue
		}

		asked[key] = true
		list, err := lister.List(ctx, server)
		if err != nil {
			return nil, &ListError{server.Name, err}
		}

		for _, t := range list {
			tools = append(tools, Tool(t))
		}
	}

	if len(tools) > MaxTools {
		return nil, fmt.Errorf("there are %d tools, but at most %d can be compared at once: give fewer", len(tools),
			MaxTools)
	}

	return similarity.Prepare(tools, s.Only)
}

// Tool converts a tool for the comparison.
func Tool(t selection.Tool) similarity.Tool {
	return similarity.Tool{ID: t.Server + ":" + t.Name, Server: t.Server, Name: t.Name, Description: t.Description,
		InputSchema: t.InputSchema}
}

// ServerAt returns the server at an address. Its name is derived from its host
// and path.
func ServerAt(address string) (selection.Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return selection.Server{}, errors.New("an address is not an http or https URL: write it as https://host/mcp")
	}
	s := selection.Server{Name: u.Host + u.Path, URL: address}
	return s, s.Validate()
}
