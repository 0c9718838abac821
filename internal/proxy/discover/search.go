package discover

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// SearchTool is a tool that may be the search of a proxy, with the names of its arguments.
type SearchTool struct {
	Name  string
	Query string
	Limit string // empty if it has none
	score int
}

var (
	searchName  = lazyregexp.New(`(?i)search|find|retrieve|discover|query|lookup|recommend`)
	searchAbout = lazyregexp.New(`(?i)\btools?\b`)
	queryNames  = []string{"query", "q", "text", "search", "search_query", "prompt", "task", "question", "keywords",
		"input", "description", "intent"}
	limitNames = []string{"limit", "top_k", "topK", "k", "n", "max_results", "maxResults", "count", "size",
		"num_results", "top_n", "page_size"}
)

// searchTools lists the tools of a proxy that may be its search, the likeliest first. If named is not empty, it
// returns that tool only. all has the names of all tools.
func searchTools(listing []byte, named string) (found []SearchTool, all []string, err error) {
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       struct {
				Properties map[string]struct{ Type any }
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(listing, &list); err != nil {
		return nil, nil, err
	}

	for _, t := range list.Tools {
		all = append(all, t.Name)
		s := SearchTool{Name: t.Name}
		properties := t.InputSchema.Properties
		typed := func(name, typ string) bool {
			p, ok := properties[name]
			text, _ := p.Type.(string)
			return ok && (text == typ || text == "" || typ == "integer" && text == "number")
		}
		for _, name := range queryNames {
			if s.Query == "" && typed(name, "string") {
				s.Query = name
			}
		}

		for _, name := range limitNames {
			if s.Limit == "" && typed(name, "integer") {
				s.Limit = name
			}
		}

		if s.Query == "" && len(t.InputSchema.Required) == 1 && typed(t.InputSchema.Required[0], "string") {
			s.Query = t.InputSchema.Required[0]
		}

		if searchName().MatchString(t.Name) {
			s.score += 4
		}

		if strings.Contains(strings.ToLower(t.Name), "tool") {
			s.score += 2
		}

		if searchAbout().MatchString(t.Description) {
			s.score += 2
		}

		if s.Limit != "" {
			s.score++
		}

		switch {
		case named == t.Name:
			s.Query = cmp.Or(s.Query, "query")
			return []SearchTool{s}, all, nil
		case named == "" && s.Query != "" && s.score >= 4:
			found = append(found, s)
		}
	}

	slices.SortStableFunc(found, func(a, b SearchTool) int { return b.score - a.score })
	return found, all, nil
}
