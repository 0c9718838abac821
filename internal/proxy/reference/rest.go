package reference

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// Limits of a search.
const (
	defaultLimit = 10
	maxLimit     = 100
	maxQuery     = 64 << 10 // bytes
)

// Handler serves MCP at /mcp and the REST interface. With loopbackOnly it only
// answers requests whose host name denotes this machine, so that a web page cannot
// reach it through a name that resolves to this machine.
func (p *Proxy) Handler(loopbackOnly bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", p.mcpHandler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		st := p.status()
		code := http.StatusOK
		if st.State != Ready {
			code = http.StatusServiceUnavailable
		}

		writeJSON(w, code, st)
	})
	mux.HandleFunc("GET /api/v1/status", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, p.status())
	})
	mux.HandleFunc("GET /api/v1/tools", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, p.tools())
	})
	mux.HandleFunc("GET /api/v1/index/search", p.restSearch)

	h := http.NewCrossOriginProtection().Handler(mux)
	if loopbackOnly {
		h = requireLoopbackHost(h)
	}

	return h
}

func (p *Proxy) restSearch(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit := 0
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			writeError(w, http.StatusBadRequest, fmt.Sprintf("limit %q is not a number", text))
			return
		}

		limit = n
	}

	limit, err := checkSearch(query.Get("q"), query.Has("limit"), limit)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}

	answer, err := p.Search(r.Context(), query.Get("q"), limit)
	if err != nil {
		p.log.Error("search failed", "error", err)
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}

	writeJSON(w, http.StatusOK, answer)
}

// checkSearch checks the parameters of a search and returns the limit to use.
func checkSearch(query string, hasLimit bool, limit int) (int, error) {
	switch {
	case query == "":
		return 0, fmt.Errorf("the query is empty: describe a task")
	case len(query) > maxQuery:
		return 0, fmt.Errorf("the query has %d bytes: the limit is %d", len(query), maxQuery)
	case !hasLimit:
		return defaultLimit, nil
	case limit < 1 || limit > maxLimit:
		return 0, fmt.Errorf("limit %d is out of range: use 1 to %d", limit, maxLimit)
	}
	return limit, nil
}

// requireLoopbackHost refuses requests whose Host does not denote this machine.
func requireLoopbackHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}

		if !isLoopback(host) {
			writeError(w, http.StatusForbidden,
				fmt.Sprintf("host %q is not served: use 127.0.0.1 or localhost", r.Host))
			return
		}

		next.ServeHTTP(w, r)
	})
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	if len(host) > 1 && host[0] == '[' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(b, '\n'))
}

func writeError(w http.ResponseWriter, code int, message string) {
	writeJSON(w, code, map[string]string{"error": message})
}
