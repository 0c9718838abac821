package refreshcorpus

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// keep copies the servers of the corpus in the attribute keep of the upstreams, except those
// that are queried. It returns their tools and their known versions.
func (l *listing) keep(u *upstreams) ([]contracts.Tool, []contracts.CorpusServer, error) {
	if u.Corpus.Keep == "" {
		return nil, nil, nil
	}

	file := filepath.Join(u.dir, filepath.FromSlash(u.Corpus.Keep))
	c, err := contracts.Read[contracts.Corpus](file)
	if err != nil {
		return nil, nil, fmt.Errorf("keep: %w", err)
	}

	var tools []contracts.Tool
	kept := map[string]bool{}
	for _, t := range c.Tools {
		if l.asked[t.Server] && !kept[t.Server] {
			continue
		}

		l.asked[t.Server], kept[t.Server] = true, true
		l.tools[t.Server] = append(l.tools[t.Server], input.Tool{Tool: scanner.Tool{Server: t.Server, Name: t.Tool}})
		tools = append(tools, t)
	}

	var servers []contracts.CorpusServer
	for _, s := range c.Servers {
		if kept[s.Server] {
			servers = append(servers, s)
		}
	}

	return tools, servers, nil
}

// addServers adds the copied servers and tools to a corpus, in the order of the corpus.
func addServers(c *contracts.Corpus, tools []contracts.Tool, servers []contracts.CorpusServer) {
	c.Tools = append(c.Tools, tools...)
	c.Servers = append(c.Servers, servers...)
	slices.SortFunc(c.Tools, func(a, b contracts.Tool) int { return strings.Compare(a.ToolID, b.ToolID) })
	slices.SortFunc(c.Servers, func(a, b contracts.CorpusServer) int { return strings.Compare(a.Server, b.Server) })
}
