package gather

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/similarity"
)

// Bounds of one comparison: its matrix grows with the square of the tools.
const (
	MaxTools   = 5000
	MaxServers = 100
)

// Lister asks a server for its tools.
type Lister interface {
	List(context.Context, selection.Server) ([]selection.Tool, error)
}

// ListError says that a server did not list its tools.
type ListError struct {
	Server string
	Err    error
}

func (e *ListError) Error() string {
	return fmt.Sprintf("list the tools of server %q: %v", e.Server, e.Err)
}

func (e *ListError) Unwrap() error { return e.Err }

// Source says which tools are compared. One of Servers and Given has entries.
type Source struct {
	Servers []selection.Server
	Given   []similarity.Tool
	// Only names the tools to keep, by their names or ids. Empty keeps all.
	Only []string
}

// Tools gives the tools of a source as similarity.Prepare does. A server that is
// named twice is asked once; one that does not answer is a *ListError.
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
		return nil, fmt.Errorf("these are %d tools, and %d can be compared at once: give fewer", len(tools), MaxTools)
	}
	return similarity.Prepare(tools, s.Only)
}

// Tool is a tool as the comparison takes it.
func Tool(t selection.Tool) similarity.Tool {
	return similarity.Tool{ID: t.Server + ":" + t.Name, Server: t.Server, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
}

// ServerAt is the server at an address. It is called after its place on the host.
func ServerAt(address string) (selection.Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return selection.Server{}, errors.New("an address is no http or https URL: write it as https://host/mcp")
	}
	s := selection.Server{Name: u.Host + u.Path, URL: address}
	return s, s.Validate()
}
