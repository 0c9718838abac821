package rest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// measures are the figures of /metrics, in Prometheus' text format 0.0.4. The
// format is written here since Prometheus' client would grow the program by 2.8 MB.
type measures struct {
	store *store.Store

	mu       sync.Mutex
	requests map[requestLabels]*requestFigures
}

type requestLabels struct{ method, route, code string }

type requestFigures struct {
	count   int
	seconds float64
}

// count counts requests by the pattern of their route: a path would make a label
// of every id.
func (m *measures) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		code := &statusWriter{ResponseWriter: w, code: http.StatusOK}
		defer func() {
			labels := requestLabels{knownMethod(r.Method), cmp.Or(r.Pattern, "none"), strconv.Itoa(code.code)}
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.requests[labels] == nil {
				m.requests[labels] = &requestFigures{}
			}

			m.requests[labels].count++
			m.requests[labels].seconds += time.Since(began).Seconds()
		}()
		next.ServeHTTP(code, r)
	})
}

// knownMethod keeps invented methods from becoming labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodPut,
		http.MethodOptions:
		return method
	}
	return "other"
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	code int
}

func (c *statusWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *statusWriter) WriteHeader(code int) {
	c.code = code
	c.ResponseWriter.WriteHeader(code)
}

func (m *measures) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var text strings.Builder
	text.WriteString("# HELP touchstone_runs Runs in the database, without imported ones.\n" +
		"# TYPE touchstone_runs gauge\n")
	counts, err := m.store.CountRuns(r.Context(), store.RunFilter{Imported: store.WithoutImported})
	if err != nil {
		writeProblem(w, http.StatusServiceUnavailable, "the database cannot be read")
		return
	}

	for _, status := range []selection.RunStatus{selection.Pending, selection.Running, selection.Completed,
		selection.Failed} {
		fmt.Fprintf(&text, "touchstone_runs{status=%q} %d\n", status, counts[status])
	}

	m.writeRequests(&text)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, text.String()) // an error means that the client disconnected
}

// writeRequests writes a summary without quantiles. Patterns of routes hold none
// of the characters that labels escape.
func (m *measures) writeRequests(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []requestLabels
	for labels := range m.requests {
		all = append(all, labels)
	}

	slices.SortFunc(all, func(a, b requestLabels) int {
		return cmp.Or(cmp.Compare(a.route, b.route), cmp.Compare(a.method, b.method), cmp.Compare(a.code, b.code))
	})
	fmt.Fprint(w, "# HELP touchstone_http_request_duration_seconds Time from a request's headers to the end of its "+
		"answer.\n# TYPE touchstone_http_request_duration_seconds summary\n")
	for _, l := range all {
		labels := fmt.Sprintf("{method=%q,route=%q,code=%q}", l.method, l.route, l.code)
		fmt.Fprintf(w, "touchstone_http_request_duration_seconds_sum%s %g\n", labels, m.requests[l].seconds)
		fmt.Fprintf(w, "touchstone_http_request_duration_seconds_count%s %d\n", labels, m.requests[l].count)
	}
}
