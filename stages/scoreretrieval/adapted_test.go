package scoreretrieval_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
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

// The native contract said in the words of an adapter gives, list for list and
// score for score, what the code for it gives.
func TestNativeContractAsAnAdapter(t *testing.T) {
	for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
		opts := small(reference(t))
		opts.Search = path
		want, _ := mustScore(t, opts)
		opts.Proxy = adapted(t, "reference", nil)
		got, _ := mustScore(t, opts)
		if got.ProxyIdentity == want.ProxyIdentity {
			t.Errorf("the adapter is not part of the identity %s", got.ProxyIdentity)
		}
		if !reflect.DeepEqual(got.PerQuery, want.PerQuery) || !reflect.DeepEqual(got.Metrics, want.Metrics) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", path, got.PerQuery, want.PerQuery)
		}
	}
}

// hashedEmbeddings is a fake embeddings service: a text's vector counts its
// words in places that a hash of each chooses. It knows no meaning, and what is
// measured with it says nothing of embeddings; it is there to drive the
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
			vector[0] += 0.01 // never without a direction
			answer.Data = append(answer.Data, item{i, vector})
		}
		json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The clients that have no proxy, as real processes over real replay servers.
func TestWithoutAProxy(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"bare-mcp":  nil,
		"all-tools": nil,
		"dense":     {"url": hashedEmbeddings(t), "model": "hashed-fake"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := small(adapted(t, name, options))
			first, _ := mustScore(t, opts)
			opts.Search = contracts.SearchREST
			rest, _ := mustScore(t, opts)
			if !reflect.DeepEqual(first.PerQuery, rest.PerQuery) {
				t.Error("the two search paths give other lists")
			}
			for _, q := range first.PerQuery {
				if q.Error != "" || len(q.Anomalies) > 0 {
					t.Errorf("query %s: %s %v", q.ID, q.Error, q.Anomalies)
				}
				if name == "all-tools" && len(q.Ranked) != len(first.PerQuery[0].Ranked) {
					t.Errorf("query %s has a list of its own", q.ID)
				}
			}
			if name != "all-tools" && first.Metrics["recall_at_5"] < 0.5 {
				t.Errorf("recall@5 is %v on a handful of tools", first.Metrics["recall_at_5"])
			}
		})
	}
}

// A service that wants a key, and gets none: the proxy's own words say so.
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
