package scoreretrieval_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
	"github.com/touchstone-eval/touchstone/stages/snapshotindex"
)

// adapted builds the manifest of a shipped adapter that needs no source.
func adapted(t *testing.T, name string, options map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	err := buildproxy.Run(t.Context(), buildproxy.Options{
		Out: dir, Identity: "under test", Adapter: "../../adapters/" + name + ".hcl", OptionValues: options,
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The native contract, described as an adapter, must give the same lists and
// scores as its implementation in Go.
func TestNativeContractAsAnAdapter(t *testing.T) {
	t.Parallel()
	asAdapter := adapted(t, "reference", nil)
	for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
		opts := small(reference(t))
		opts.Search = path
		want, _ := mustScore(t, opts)
		opts.Proxy = asAdapter
		got, _ := mustScore(t, opts)
		if got.ProxyIdentity == want.ProxyIdentity {
			t.Errorf("the adapter is not part of the identity %s", got.ProxyIdentity)
		}
		if !reflect.DeepEqual(got.PerQuery, want.PerQuery) || !reflect.DeepEqual(got.Metrics, want.Metrics) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", path, got.PerQuery, want.PerQuery)
		}
	}
}

// hashedEmbeddings is a fake embeddings service: the vector of a text counts
// its words in places chosen by a hash. It does not represent meaning, so the
// figures measured with it say nothing about embeddings. It only drives the
// adapter.
func hashedEmbeddings(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var answer struct {
			Data []item `json:"data"`
		}
		for i, text := range req.Input {
			vector := make([]float64, 256)
			for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
				h := fnv.New32a()
				h.Write([]byte(word))
				vector[h.Sum32()%256]++
			}
			vector[0] += 0.01 // the vector must not be zero
			answer.Data = append(answer.Data, item{i, vector})
		}
		json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Clients without a proxy, as real processes with real replay servers.
func TestWithoutAProxy(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]map[string]string{
		"bare-mcp":     nil,
		"bm25-stemmed": nil,
		"all-tools":    nil,
		"dense":        {"url": hashedEmbeddings(t), "model": "hashed-fake"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := small(adapted(t, name, options))
			first, _ := mustScore(t, opts)
			opts.Search = contracts.SearchREST
			rest, _ := mustScore(t, opts)
			costs := takeCosts(first.PerQuery)
			takeCosts(rest.PerQuery) // the paths have different texts
			if !reflect.DeepEqual(first.PerQuery, rest.PerQuery) {
				t.Error("the two search paths give different lists")
			}
			if own := first.Cost.OwnTools; own == nil || rest.Cost.OwnTools != nil {
				t.Errorf("own tools: %+v over MCP, %+v over REST", own, rest.Cost.OwnTools)
			}
			for i, c := range costs {
				if n := len(c.TokensThrough); n != len(first.PerQuery[i].Ranked) || c.TokensThrough[n-1] > c.Tokens {
					t.Errorf("query %s: %+v", first.PerQuery[i].ID, c)
				}
			}
			for _, q := range first.PerQuery {
				if q.Error != "" || len(q.Anomalies) > 0 {
					t.Errorf("query %s: %s %v", q.ID, q.Error, q.Anomalies)
				}
				if name == "all-tools" && len(q.Ranked) != len(first.PerQuery[0].Ranked) {
					t.Errorf("query %s has a different list", q.ID)
				}
			}
			if name != "all-tools" && first.Metrics["recall_at_5"] < 0.5 {
				t.Errorf("recall@5 is %v on a handful of tools", first.Metrics["recall_at_5"])
			}
		})
	}
}

// What a model reads of the right tool before it calls it is part of the cost, and of nothing else.
func TestDescriptionsAreSecondCalls(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../adapters/reference.hcl")
	if err != nil {
		t.Fatal(err)
	}
	describing := func(path string) string {
		block := "  describe {\n    when = item.name == \"calendar:create_event\"\n    path = \"" + path + "\"\n" +
			"    params = { q = item.name, limit = 1 }\n  }\n}\n"
		file, dir := filepath.Join(t.TempDir(), "reference.hcl"), t.TempDir()
		changed := strings.ReplaceAll(string(text), "  score     = item.score\n}\n", "  score     = item.score\n"+block)
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := buildproxy.Run(t.Context(), buildproxy.Options{Out: dir, Identity: "under test", Adapter: file}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	plain, _ := mustScore(t, small(adapted(t, "reference", nil)))
	described, _ := mustScore(t, small(describing("/api/v1/index/search")))
	broken, _ := mustScore(t, small(describing("/nowhere")))
	asked := 0
	for i, q := range plain.PerQuery {
		with, without := described.PerQuery[i], broken.PerQuery[i]
		if !reflect.DeepEqual(with.Ranked, q.Ranked) || !reflect.DeepEqual(without.Ranked, q.Ranked) || !reflect.DeepEqual(without.Metrics, q.Metrics) {
			t.Errorf("query %s has another list with a description", q.ID)
		}
		if q.Cost == nil || len(q.Ranked) == 0 {
			continue
		}
		chosen := q.Ranked[0].ToolID
		for _, r := range q.Ranked {
			if r.Relevance != nil && *r.Relevance > 0 {
				chosen = r.ToolID
				break
			}
		}
		more, wantMore := with.Cost.Calls-q.Cost.Calls, 0
		if chosen == "calendar:create_event" {
			wantMore = 1
			asked++
		}
		if more != wantMore || (with.Cost.Tokens > q.Cost.Tokens) != (wantMore == 1) || (with.Cost.Bytes > q.Cost.Bytes) != (wantMore == 1) {
			t.Errorf("query %s, for tool %s: cost %+v became %+v", q.ID, chosen, q.Cost, with.Cost)
		}
		if (without.Cost == nil) != (wantMore == 1) || (len(without.Anomalies) > 0) != (wantMore == 1) {
			t.Errorf("query %s, for tool %s, where it fails: cost %+v, %v", q.ID, chosen, without.Cost, without.Anomalies)
		}
	}
	if asked == 0 || asked == len(plain.PerQuery) {
		t.Errorf("%d of %d queries want the tool: nothing is tested", asked, len(plain.PerQuery))
	}
}

// takeCosts removes the cost of each query, and returns it.
func takeCosts(queries []contracts.QueryResult) []contracts.QueryCost {
	costs := make([]contracts.QueryCost, len(queries))
	for i := range queries {
		costs[i], queries[i].Cost = *queries[i].Cost, nil
	}
	return costs
}

// If a service refuses a request without a key, the error has the service's own
// message.
func TestEmbeddingsWithoutTheirKey(t *testing.T) {
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "who are you", http.StatusUnauthorized)
	}))
	defer locked.Close()
	dir := adapted(t, "dense", map[string]string{"url": locked.URL, "model": "hashed-fake"})
	opts := small(dir)
	opts.Index = filepath.Join(t.TempDir(), "index.json")
	err := snapshotindex.Run(t.Context(), snapshotindex.Options{Proxy: dir, Corpus: opts.Corpus, Out: opts.Index})
	if err == nil || !strings.Contains(err.Error(), "status 401") {
		t.Errorf("got %v", err)
	}
}

// Removing the right tool of a query drives it to 0, also for a proxy that cannot degrade itself.
func TestHiddenToolOfAnAdapter(t *testing.T) {
	t.Parallel()
	opts := small(adapted(t, "reference", nil))
	before, _ := mustScore(t, opts)
	if result(t, before, "s01").Metrics["recall_at_5"] != 1 {
		t.Fatal("the query has no result to lose")
	}
	opts.Degrade = "hide=calendar:create_event"
	after, _ := mustScore(t, opts)
	if got := result(t, after, "s01"); got.Error != "" || got.Metrics["recall_at_5"] != 0 || after.Degraded != opts.Degrade {
		t.Errorf("got %+v", got)
	}
}

// Proxies that somebody else wrote, each in its pinned version. docs/explanation/proxies.md says how they get into
// the directory that TOUCHSTONE_PROXIES names, each under the name of its adapter.
func TestProxiesOfOthers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"mcp-gateway", "meta-mcp-proxy", "pleaseai-mcp-gateway", "slop-mcp", "tool-hub-mcp", "toolhive-vmcp",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(os.Getenv("TOUCHSTONE_PROXIES"), name)
			if _, err := os.Stat(source); err != nil || os.Getenv("TOUCHSTONE_PROXIES") == "" {
				t.Skipf("the proxy is not built: TOUCHSTONE_PROXIES names no directory with %s", name)
			}
			dir := t.TempDir()
			err := buildproxy.Run(t.Context(), buildproxy.Options{Out: dir, Source: source,
				Adapter: "../../adapters/" + name + ".hcl", Command: []string{"true"}})
			if err != nil {
				t.Fatal(err)
			}
			report, _ := mustScore(t, small(dir))
			for _, q := range report.PerQuery {
				if q.Error != "" || len(q.Anomalies) > 0 {
					t.Errorf("query %s: %s %v", q.ID, q.Error, q.Anomalies)
				}
			}
			if report.Metrics["recall_at_5"] < 0.5 {
				t.Errorf("recall@5 is %v on a handful of tools", report.Metrics["recall_at_5"])
			}
		})
	}
}
