// Command search is a search for Touchstone: tools that share words with the query come
// first. The program answers the search protocol of docs/reference/adapters.md.
package main

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

type tool struct{ ID, Name, Description string }

type result struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" _-.,:;?!'\"()/", r)
	})
}

func rank(tools []tool, query string, limit int) []result {
	results := []result{}
	for _, t := range tools {
		shared, text := 0, words(t.Name+" "+t.Description)
		for _, w := range words(query) {
			if slices.Contains(text, w) {
				shared++
			}
		}
		if shared > 0 {
			results = append(results, result{t.ID, float64(shared) / float64(len(text))})
		}
	}
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return results[:min(limit, len(results))]
}

func main() {
	var tools []tool
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var request struct {
			ID, Op, Query string
			Tools         []tool
			Limit         int
		}
		if in.Decode(&request) != nil {
			return // the input has ended
		}
		reply := map[string]any{"protocol": 1, "id": request.ID}
		if request.Op == "index" {
			tools = request.Tools
		} else {
			reply["tools"] = rank(tools, request.Query, request.Limit)
		}
		if out.Encode(reply) != nil {
			return
		}
	}
}
