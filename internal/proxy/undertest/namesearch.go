package undertest

import (
	"fmt"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
)

// findDepth is the number of results among which a search for a tool must find it.
const findDepth = 50

// finder searches the proxy for at most findDepth tools.
type finder func(query string) (contracts.SearchAnswer, error)

// nameSearch finds the tools of a proxy that does not list them, or not all of them, by
// searches for each. It shows that the proxy holds a tool, but not with which content.
type nameSearch struct {
	found map[contracts.ToolID]bool
	last  time.Time // when the last pass ended
	why   error     // of the last pass, if all its searches failed
}

// settleAfter is the time without a newly found tool after which no more are expected.
const settleAfter = time.Second

// listed takes note of a tool that needs no search.
func (n *nameSearch) listed(id contracts.ToolID) {
	if n.found == nil {
		n.found = map[contracts.ToolID]bool{}
	}
	n.found[id] = true
}

// pass searches for the tools that were not found yet. The proxy is ready if all are
// found, or if no more are found after some time.
func (n *nameSearch) pass(corpus contracts.Corpus, find finder) (done bool, progress string) {
	if time.Since(n.last) < settleAfter {
		return false, n.progress(corpus)
	}

	before := len(n.found)
	n.why = n.once(corpus, find)
	n.last = time.Now()
	switch {
	case n.why != nil:
		return false, n.progress(corpus)
	case len(n.found) == len(corpus.Tools):
		return true, ""
	}

	return before > 0 && len(n.found) == before, n.progress(corpus)
}

func (n *nameSearch) progress(corpus contracts.Corpus) string {
	if n.why != nil {
		return fmt.Sprintf("a search for a tool failed: %v", n.why)
	}
	return fmt.Sprintf("%d of %d tools are found by a search for their names", len(n.found), len(corpus.Tools))
}

// once searches for each tool that was not found yet: for its name, for the words of
// its name with its server, and for its description. It returns an error only if all
// searches failed.
func (n *nameSearch) once(corpus contracts.Corpus, find finder) error {
	var failed error
	answered := false
	for _, t := range corpus.Tools {
		for _, query := range queriesFor(t) {
			if n.found[t.ToolID] {
				break
			}

			answer, err := find(query)
			if err != nil {
				failed = err
				continue
			}

			answered = true
			for _, hit := range answer.Tools {
				n.listed(hit.Name)
			}
		}

		if failed != nil && !answered {
			return failed
		}
	}

	n.drop(corpus)
	return nil
}

// drop forgets tools that the corpus does not have, such as the proxy's own.
func (n *nameSearch) drop(corpus contracts.Corpus) {
	known := make(map[contracts.ToolID]bool, len(n.found))
	for _, t := range corpus.Tools {
		if n.found[t.ToolID] {
			known[t.ToolID] = true
		}
	}
	n.found = known
}

// maxNameQuery is the length in bytes of the longest query for a description.
const maxNameQuery = 200

// queriesFor returns the queries that should find a tool.
func queriesFor(t contracts.Tool) []string {
	words := strings.FieldsFunc(t.Tool, func(r rune) bool { return strings.ContainsRune("_-./: ", r) })
	queries := []string{t.Tool, t.Server + " " + strings.Join(words, " ")}
	if text := strings.ToValidUTF8(t.Description[:min(len(t.Description), maxNameQuery)], ""); text != "" {
		queries = append(queries, text)
	}
	return queries
}

// tools returns the tools of the corpus that are not in listed, with how they were
// found.
func (n *nameSearch) tools(corpus contracts.Corpus, listed []Tool) []Tool {
	names := make(map[contracts.ToolID]bool, len(listed))
	for _, t := range listed {
		names[t.ID] = true
	}

	var tools []Tool
	for _, t := range corpus.Tools {
		if names[t.ToolID] {
			continue
		}

		found := Tool{ID: t.ToolID, NoDescription: true, NoSchema: true, FoundBy: contracts.FoundByNothing}
		if n.found[t.ToolID] {
			found.FoundBy = contracts.FoundBySearch
		}

		tools = append(tools, found)
	}

	return tools
}
