package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// TestSearchIsThatOfBleve compares the results of variants, including scores and totals, with those of bleve over
// the same tools, and with those of a new index.
func TestSearchIsThatOfBleve(t *testing.T) {
	vocabulary := strings.Fields("issue issues create createIssue read list file files path branch GitHub repo repository query sql table the a of to search user users message 日本語 send email calendar event a1 x HTTPServer")
	compared := 0
	for seed := range uint64(level.Rounds(12, 60)) {
		rng := rand.New(rand.NewPCG(8, seed))
		text := func(most int) string {
			var words []string
			for range rng.IntN(most + 1) {
				words = append(words, vocabulary[rng.IntN(len(vocabulary))])
			}
			return strings.Join(words, " ")
		}
		var tools []contracts.Tool
		for i := range 1 + rng.IntN(60) {
			schema, err := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{vocabulary[rng.IntN(len(vocabulary))]: map[string]string{"description": text(6)}}})
			if err != nil {
				t.Fatal(err)
			}
			server := fmt.Sprintf("server%d", i%4)
			tools = append(tools, contracts.Tool{ToolID: fmt.Sprintf("%s:tool%d", server, i), Server: server, Tool: fmt.Sprintf("%s_%d", text(2), i%5), Description: text(25), Schema: schema})
		}
		variants := NewVariants(tools)
		for range 4 {
			changed := map[int]string{}
			for range rng.IntN(5) {
				changed[rng.IntN(len(tools))] = text(30) + []string{"", " never seen words", " zebra"}[rng.IntN(3)]
			}
			variant := variants.With(changed)
			records := make([]*toolRecord, len(tools))
			for i, tool := range tools {
				records[i] = &toolRecord{id: tool.ToolID, server: tool.Server, tool: tool.Tool, description: tool.Description, schema: tool.Schema}
				if description, ok := changed[i]; ok {
					records[i].description = description
				}
			}
			real, fresh := newBleveIndex(t, records), newSearchIndex(records, contracts.IndexOptions{})
			for range 12 {
				query := text(14) + []string{"", " zebra", " server1"}[rng.IntN(3)]
				limit := 1 + rng.IntN(12)
				want, matches := real.search(t, query, limit, len(tools))
				got, total := variant.find(NewQuestion(query), limit)
				if len(got) != len(want) || total != matches {
					t.Fatalf("seed %d, %q: %d tools of %d instead of %d of %d", seed, query, len(got), total, len(want), matches)
				}
				if again, total, err := fresh.search(context.Background(), query, limit); err != nil || total != matches || !slices.Equal(again, want) {
					t.Fatalf("seed %d, %q: a new index finds %v of %d instead of %v of %d, %v", seed, query, again, total, want, matches, err)
				}
				for i := range want {
					if got[i].id != want[i].id || roundScore(got[i].score) != want[i].score {
						t.Fatalf("seed %d, %q: %v instead of %v at %d", seed, query, got[i], want[i], i)
					}
					compared++
				}
			}
		}
	}
	if compared < level.Rounds(1000, 5000) {
		t.Errorf("only %d results were compared", compared)
	}
}
