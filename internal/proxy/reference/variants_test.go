package reference

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// TestVariantsAreSearches compares the results of variants, including scores, with those of the real search over
// the same tools.
func TestVariantsAreSearches(t *testing.T) {
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
			real, err := newSearchIndex(records, contracts.IndexOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for range 12 {
				query := text(14) + []string{"", " zebra", " server1"}[rng.IntN(3)]
				limit := 1 + rng.IntN(12)
				want, _, err := real.search(context.Background(), query, limit)
				if err != nil {
					t.Fatal(err)
				}
				got := variant.find(NewQuestion(query), limit)
				if len(got) != len(want) {
					t.Fatalf("seed %d, %q: %d tools instead of %d", seed, query, len(got), len(want))
				}
				for i := range want {
					if got[i].id != want[i].id || roundScore(got[i].score) != want[i].score {
						t.Fatalf("seed %d, %q: %v instead of %v at %d", seed, query, got[i], want[i], i)
					}
					compared++
				}
			}
			real.close()
		}
	}
	if compared < level.Rounds(1000, 5000) {
		t.Errorf("only %d results were compared", compared)
	}
}
