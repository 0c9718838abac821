package direct

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The scores of three small documents, by hand.
func TestBM25(t *testing.T) {
	tools := []tool{
		{id: "s:a", name: "alpha", description: "beta beta"},
		{id: "s:b", name: "beta", description: "gamma"},
		{id: "s:c", name: "delta", description: "delta delta delta"},
	}
	got, err := newBM25(tools).rank(t.Context(), "beta gamma")
	if err != nil {
		t.Fatal(err)
	}
	// Lengths 3, 2, 4; average 3. beta is in two documents, gamma in one.
	idf := func(n float64) float64 { return math.Log(1 + (3-n+0.5)/(n+0.5)) }
	part := func(count, length float64) float64 { return count * 2.2 / (count + 1.2*(0.25+0.75*length/3)) }
	want := []ranked{{1, idf(2)*part(1, 2) + idf(1)*part(1, 2)}, {0, idf(2) * part(2, 3)}}
	if len(got) != 2 || got[0].tool != 1 || got[1].tool != 0 ||
		math.Abs(got[0].score-want[0].score) > 1e-12 || math.Abs(got[1].score-want[1].score) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEqualScoresStandByID(t *testing.T) {
	tools := []tool{{id: "s:z", name: "x"}, {id: "s:a", name: "x"}}
	got, err := newBM25(tools).rank(t.Context(), "x")
	if err != nil || len(got) != 2 || got[0].tool != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEverything(t *testing.T) {
	got, err := everything{{id: "s:z"}, {id: "s:a"}}.rank(t.Context(), "a")
	if err != nil || !reflect.DeepEqual(got, []ranked{{0, 0}, {1, 0}}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// service answers as an embeddings service does, in whatever order and as ill
// as the test wants.
func service(t *testing.T, answer func(call int, texts []string) (status int, body string)) Embeddings {
	t.Helper()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/embeddings" || req.Model != "m" || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("got %s %+v, %v", r.URL.Path, req, err)
		}
		calls++
		status, body := answer(calls, req.Input)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return Embeddings{URL: server.URL + "/v1/", Model: "m", Key: "key"}
}

// vector answers each text with its count of the letters a and b; the answers
// stand in reverse, which the index tells.
func vector(_ int, texts []string) (int, string) {
	var items []string
	for i := len(texts) - 1; i >= 0; i-- {
		items = append(items, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d]}`, i, strings.Count(texts[i], "a"), strings.Count(texts[i], "b")))
	}
	return 200, `{"data":[` + strings.Join(items, ",") + `]}`
}

func TestDense(t *testing.T) {
	var tools []tool
	for i := range 100 { // more than one request
		tools = append(tools, tool{id: fmt.Sprintf("s:%03d", i), name: strings.Repeat("a", i) + "b"})
	}
	d, err := newDense(t.Context(), service(t, vector), tools)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.rank(t.Context(), "aab")
	if err != nil || len(got) != 100 || got[0].tool != 2 || math.Abs(got[0].score-1) > 1e-12 || got[99].tool != 0 {
		t.Errorf("got %v, %v", got[:1], err)
	}
}

func TestDenseTriesAgain(t *testing.T) {
	tools := []tool{{id: "s:a", name: "a"}}
	busy := service(t, func(call int, texts []string) (int, string) {
		if call == 1 {
			return 429, "slow down"
		}
		return vector(call, texts)
	})
	if _, err := newDense(t.Context(), busy, tools); err != nil {
		t.Error(err)
	}
}

func TestDenseSaysWhatIsWrong(t *testing.T) {
	tools := []tool{{id: "s:a", name: "a"}}
	for body, want := range map[string]string{
		"<html>":                                 "not what it should be",
		`{"data":[]}`:                            "no vector for text 1",
		`{"data":[{"index":7,"embedding":[1]}]}`: "answered for text 8 of 1",
		`{"data":[{"index":0,"embedding":[0,0]}]}`:   "has no direction",
		`{"data":[{"index":0,"embedding":["x"]}]}`:   "not what it should be",
		`{"data":[{"index":0,"embedding":[1e999]}]}`: "not what it should be",
	} {
		s := service(t, func(int, []string) (int, string) { return 200, body })
		if _, err := newDense(t.Context(), s, tools); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
	s := service(t, func(int, []string) (int, string) { return 401, "no key" })
	if _, err := newDense(t.Context(), s, tools); err == nil || !strings.Contains(err.Error(), "status 401") {
		t.Errorf("got %v", err)
	}
	if _, err := newDense(t.Context(), Embeddings{}, tools); err == nil || !strings.Contains(err.Error(), "--embeddings-url") {
		t.Errorf("got %v", err)
	}
	other := service(t, func(call int, texts []string) (int, string) {
		if call == 1 {
			return vector(call, texts)
		}
		return 200, `{"data":[{"index":0,"embedding":[1]}]}`
	})
	d, err := newDense(t.Context(), other, tools)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.rank(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "a vector of 1 numbers for the query and of 2") {
		t.Errorf("got %v", err)
	}
}

func TestServeRefuses(t *testing.T) {
	if err := Serve(context.Background(), Options{Listen: "0.0.0.0:0"}); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("got %v", err)
	}
	if _, err := newClient(t.Context(), Options{Rank: "best", Config: contracts.ProxyConfig{Upstreams: []contracts.Upstream{{Name: "never-asked", URL: "http://127.0.0.1:1"}}}}); err == nil || !strings.Contains(err.Error(), "bm25, dense, all") {
		t.Errorf("got %v", err)
	}
}

func FuzzReadVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2]}]}`), 1)
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[1e-300]}]}`), 2)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		n &= 15
		vectors, err := readVectors(data, n)
		if err != nil {
			return
		}
		if len(vectors) != n {
			t.Fatalf("%d vectors for %d texts", len(vectors), n)
		}
		for _, v := range vectors {
			if len(v) == 0 || math.IsNaN(dot(v, v)) {
				t.Fatalf("took the vector %v", v)
			}
		}
	})
}
