package rest

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// fuzzed is a service over an empty database.
func fuzzed(f *testing.F) http.Handler {
	f.Helper()
	s, err := store.Open(f.Context(), filepath.Join(f.TempDir(), "eval.db"))
	if err != nil {
		f.Fatal(err)
	}
	r, err := runner.New(f.Context(), s, runner.Live{}, runner.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		r.Close()
		s.Close()
	})
	service, err := New(Config{Store: s, Runner: r})
	if err != nil {
		f.Fatal(err)
	}
	return service.handler
}

// ask sends a request without a network.
func ask(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// No query of a list is an internal error.
func FuzzQuery(f *testing.F) {
	for _, query := range []string{
		"limit=10&offset=5", "status=failed&classification=FN&model=a/b", "since=2026-01-02T03:04:05Z", "sort=-created_at&tag=%00",
		"offset=-1", "limit=99999999999999999999", "search=%25&name=%ff", "a=b", "%zz",
	} {
		f.Add(query)
	}
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{serversPath, casesPath, runsPath, prefix + "/metrics/summary", prefix + "/metrics/compare"} {
			r := httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil)
			r.URL.RawQuery = query
			if w := ask(h, r); w.Code >= 500 {
				t.Errorf("%s?%q: %d %s", path, query, w.Code, w.Body)
			}
		}
	})
}

// A tag of a request matches only if it holds the tag of the answer or a star.
func FuzzETag(f *testing.F) {
	for _, tag := range []string{`"a"`, `W/"a"`, `*`, `"a", "b"`, `"`, `,,`, `"a" *`, "\x00"} {
		f.Add(tag)
	}
	h := fuzzed(f)
	first := ask(h, httptest.NewRequest(http.MethodGet, "http://localhost"+serversPath, nil)).Header().Get("ETag")
	f.Fuzz(func(t *testing.T, tag string) {
		r := httptest.NewRequest(http.MethodGet, "http://localhost"+serversPath, nil)
		r.Header.Set("If-None-Match", tag)
		w := ask(h, r)
		if w.Code != http.StatusOK && w.Code != http.StatusNotModified || w.Header().Get("ETag") != first {
			t.Errorf("%q: %d %s", tag, w.Code, w.Body)
		}
		if w.Code == http.StatusNotModified && !strings.Contains(tag, first) && !strings.Contains(tag, "*") {
			t.Errorf("%q matches %s", tag, first)
		}
	})
}

// An Idempotency-Key decides nothing but whether an answer is a repetition.
func FuzzIdempotencyKey(f *testing.F) {
	for _, key := range []string{"a", strings.Repeat("k", 255), strings.Repeat("k", 256), "\x00", "ключ", "' OR 1=1 --"} {
		f.Add(key)
	}
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, key string) {
		send := func(body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "http://localhost"+casesPath, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", key)
			return ask(h, r)
		}
		first, again := send(`{"a":1}`), send(`{"a":1}`)
		if first.Code >= 500 || first.Code != again.Code || first.Body.String() != again.Body.String() {
			t.Errorf("%q: %d %s, then %d %s", key, first.Code, first.Body, again.Code, again.Body)
		}
	})
}

// Without names of its own, the service answers to this machine alone.
func FuzzHost(f *testing.F) {
	for _, host := range []string{"localhost", "LOCALHOST.:80", "127.0.0.1:8420", "[::1]:80", "::1", "example.com", "localhost.example.com", "127.0.0.1.nip.io", "[::ffff:127.0.0.1]", "0.0.0.0", ""} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if !(Access{}).isOwn(host) {
			return
		}
		names := []string{host}
		if i := strings.LastIndexByte(host, ':'); i >= 0 {
			names = append(names, host[:i]) // what follows need not be a port
		}
		for _, name := range names {
			name = strings.ToLower(strings.TrimSuffix(name, "."))
			address, err := netip.ParseAddr(strings.Trim(name, "[]"))
			if name == "localhost" || err == nil && address.Unmap().IsLoopback() {
				return
			}
		}
		t.Errorf("%q is taken for this machine", host)
	})
}

// A page of another origin changes nothing.
func FuzzOrigin(f *testing.F) {
	for _, origin := range []string{"http://localhost", "http://evil.example", "null", "http://localhost.evil.example", "", "://", "http://127.0.0.1:1"} {
		f.Add(origin, "")
		f.Add(origin, "cross-site")
		f.Add(origin, "same-origin")
	}
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, origin, site string) {
		r := httptest.NewRequest(http.MethodPost, "http://localhost"+casesPath, strings.NewReader(`{}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", site)
		w := ask(h, r)
		if w.Code != http.StatusForbidden && w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q, %q: %d %s", origin, site, w.Code, w.Body)
		}
		u, err := url.Parse(origin)
		foreign := origin != "" && (err != nil || u.Host != "localhost")
		if w.Code != http.StatusForbidden && (site == "cross-site" || site == "" && foreign) {
			t.Errorf("a request from %q, %q is not refused", origin, site)
		}
	})
}
