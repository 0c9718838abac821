package significance

import "github.com/touchstone-eval/touchstone/contracts"

// Groups names the group of each query. Two queries are in one group if they
// share a right tool, or if a chain of such queries connects them: the
// connected components of queries over their right tools. A change to a tool
// moves all of them together, so they are not independent. A query without a
// right tool is a group of its own.
func Groups(queries []contracts.QuerySummary) []string {
	parent := make(map[string]string)
	root := func(tool string) string {
		if parent[tool] == "" {
			parent[tool] = tool
		}

		for parent[tool] != tool {
			parent[tool] = parent[parent[tool]]
			tool = parent[tool]
		}

		return tool
	}
	groups := make([]string, len(queries))
	for i, q := range queries {
		// A tool id has a non-empty server name before its colon, so the name of
		// a query without a right tool cannot be equal to one.
		groups[i] = ":" + q.ID
		for _, l := range q.Labels {
			if l.Relevance <= 0 {
				continue
			}

			if groups[i][0] == ':' {
				groups[i] = l.ToolID
			}

			// The first tool by id is the root, whatever the order of queries.
			a, b := root(groups[i]), root(l.ToolID)
			parent[max(a, b)] = min(a, b)
		}
	}

	for i, g := range groups {
		if g[0] != ':' {
			groups[i] = root(g)
		}
	}

	return groups
}
