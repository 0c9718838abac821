package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const testKey = "sk-marked-key-4711"

// service acts as an embeddings service, in the order and with the faults that
// the test chooses. It does not wait, but records the waits.
func service(t *testing.T, opts Options, answer func(call int, w http.ResponseWriter, texts []string)) (*Service, *[]time.Duration) {
	t.Helper()
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model  string
			Input  []string
			Format string `json:"encoding_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost ||
			req.Model != "m" || req.Format != "float" || r.Header.Get("Authorization") != "Bearer "+testKey {
			t.Errorf("got %s %s %+v, %v", r.Method, r.URL.Path, req, err)
		}
		calls++
		answer(calls, w, req.Input)
	}))
	t.Cleanup(server.Close)
	opts.URL, opts.Model, opts.Key = server.URL+"/v1/", "m", testKey
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	s.wait = func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	}
	return s, &waits
}

// count answers each text with its count of the letters a and b. The answers
// are in reverse order, as their indexes show.
func count(_ int, w http.ResponseWriter, texts []string) {
	var items []string
	for i := len(texts) - 1; i >= 0; i-- {
		items = append(items, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d]}`, i, strings.Count(texts[i], "a"), strings.Count(texts[i], "b")))
	}
	fmt.Fprint(w, `{"data":[`+strings.Join(items, ",")+`]}`)
}

func status(code int, body string) func(int, http.ResponseWriter, []string) {
	return func(_ int, w http.ResponseWriter, _ []string) {
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func TestEmbed(t *testing.T) {
	var sizes []int
	s, _ := service(t, Options{Batch: 40}, func(call int, w http.ResponseWriter, texts []string) {
		sizes = append(sizes, len(texts))
		count(call, w, texts)
	})
	var texts []string
	for i := range 100 {
		texts = append(texts, strings.Repeat("a", i)+"b")
	}
	vectors, err := s.Embed(t.Context(), texts)
	if err != nil || len(vectors) != 100 || fmt.Sprint(sizes) != "[40 40 20]" {
		t.Fatalf("%d vectors from batches of %v, %v", len(vectors), sizes, err)
	}
	for i, v := range vectors {
		length := math.Hypot(float64(i), 1)
		if math.Abs(float64(v[0])-float64(i)/length) > 1e-6 || math.Abs(float64(v[1])-1/length) > 1e-6 {
			t.Errorf("vector %d is %v", i, v)
		}
	}
	if vectors, err := s.Embed(t.Context(), nil); err != nil || len(vectors) != 0 || len(sizes) != 3 {
		t.Errorf("no texts: %v, %v, %d requests", vectors, err, len(sizes))
	}
	if id := s.Identity(); !strings.HasPrefix(id, "m at http://127.0.0.1:") || strings.Contains(id, testKey) {
		t.Errorf("identity %q", id)
	}
}

func TestTriesAgain(t *testing.T) {
	for _, code := range []int{429, 500, 503} {
		s, waits := service(t, Options{}, func(call int, w http.ResponseWriter, texts []string) {
			if call <= 3 {
				if call == 2 {
					w.Header().Set("Retry-After", "7")
				}
				w.WriteHeader(code)
				return
			}
			count(call, w, texts)
		})
		if _, err := s.Embed(t.Context(), []string{"a"}); err != nil {
			t.Errorf("status %d: %v", code, err)
		}
		w := *waits
		if len(w) != 3 || w[0] < firstWait || w[0] >= 2*firstWait || w[1] != 7*time.Second || w[2] < 4*firstWait || w[2] >= 8*firstWait {
			t.Errorf("status %d: waited %v", code, w)
		}
	}
	s, waits := service(t, Options{Tries: 2}, status(503, "down"))
	if _, err := s.Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), `status 503: "down"`) || len(*waits) != 1 {
		t.Errorf("a service that stays down: %v after %d waits", err, len(*waits))
	}
}

func TestFailsForGood(t *testing.T) {
	for _, c := range []struct {
		answer func(int, http.ResponseWriter, []string)
		want   string
	}{
		{status(200, "<html>"), "is invalid"},
		{status(200, `{"data":[]}`), "no vector for text 1 of 2"},
		{status(200, `{"data":[{"index":7,"embedding":[1]}]}`), "answered for text 8 of 2"},
		{status(200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), "or twice for one"},
		{status(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`), "vectors of 1 and of 2 numbers"},
		{status(200, `{"data":[{"index":0,"embedding":[0,0]}]}`), "empty or zero vector"},
		{status(200, `{"data":[{"index":0,"embedding":[]}]}`), "empty or zero vector"},
		{status(200, `{"data":[{"index":0,"embedding":["x"]}]}`), "is invalid"},
		{status(200, `{"data":[{"index":0,"embedding":[1e999]}]}`), "is invalid"},
		{status(400, "no such model"), `status 400: "no such model"`},
		{status(401, "the key "+testKey+" is not known"), `status 401: "the key [key] is not known"`},
		{status(302, ""), "status 302"},
		{func(_ int, w http.ResponseWriter, _ []string) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "status 307"},
		{func(_ int, w http.ResponseWriter, _ []string) {
			for range maxBody>>20 + 1 {
				w.Write(make([]byte, 1<<20))
			}
		}, "larger than 32 MiB"},
		{func(int, http.ResponseWriter, []string) { panic(http.ErrAbortHandler) }, "EOF"},
	} {
		s, waits := service(t, Options{}, c.answer)
		_, err := s.Embed(t.Context(), []string{"a", "b"})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), testKey) || len(*waits) != 0 {
			t.Errorf("got %v after %d waits, want %q", err, len(*waits), c.want)
		}
	}
	s, _ := service(t, Options{Batch: 1}, func(call int, w http.ResponseWriter, texts []string) {
		fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[%s]}]}`, strings.TrimSuffix(strings.Repeat("1,", call), ","))
	})
	if _, err := s.Embed(t.Context(), []string{"a", "b"}); err == nil || !strings.Contains(err.Error(), "vectors of 1 and of 2 numbers") {
		t.Errorf("batches of different lengths: %v", err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := service(t, Options{}, func(_ int, w http.ResponseWriter, _ []string) {
		cancel()
		w.WriteHeader(503)
	})
	if _, err := s.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for address, want := range map[string]string{
		"": "http://", "host/v1": "http://", "ftp://host": "http://", "http://": "http://", "%": "http://",
		"http://user:" + testKey + "@host/v1": "user name",
	} {
		if _, err := New(Options{URL: address, Model: "m"}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), testKey) {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := New(Options{URL: "http://host/v1"}); err == nil || !strings.Contains(err.Error(), "name of a model") {
		t.Errorf("without a model: %v", err)
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
			var squares float64
			for _, x := range v {
				squares += float64(x) * float64(x)
			}
			if math.Abs(squares-1) > 1e-4 {
				t.Fatalf("accepted the vector %v", v)
			}
		}
	})
}
