package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection/modelsettings"
	"github.com/touchstone-eval/touchstone/internal/selection/page"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Config is what a Service works with.
type Config struct {
	Store *store.Store
	// Runner executes runs of Store. Serve closes it.
	Runner *runner.Runner
	// Live reaches the MCP servers. Its Dial should be that of a Guard.
	Live   runner.Live
	Access Access
	// Encoder makes the vectors of the method embedding. Optional.
	Encoder similarity.Encoder
	// Models are the settings of models for what requests leave out. Optional.
	Models *modelsettings.Models
	// Version is that of the program.
	Version string
	Log     *slog.Logger
}

// Service is the REST API. Its handler may be used by several goroutines.
type Service struct {
	Config
	handler http.Handler
	api     huma.API
	now     func() time.Time
	getenv  func(string) string

	// comparing holds the comparisons of tools, which need much memory, to one at
	// a time.
	comparing sync.Mutex
	// changing makes the comparison of If-Match and the change one step.
	changing [64]sync.Mutex
}

const (
	prefix     = "/api/v1"
	healthPath = "/healthz"
)

// New checks the configuration and builds the handler.
func New(c Config) (*Service, error) {
	if err := c.Access.Validate(); err != nil {
		return nil, err
	}

	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}

	s := &Service{Config: c, now: time.Now, getenv: os.Getenv}
	mux := http.NewServeMux()
	s.api = humago.New(mux, apiConfig(c.Version))
	s.addServers()
	s.addCases()
	s.addRuns()
	s.addFindings()
	s.addBatches()
	s.addEvents()
	s.addSummaries()
	s.addSimilarity()
	s.addExchange()
	mux.HandleFunc("GET "+healthPath, s.health)
	mux.HandleFunc("GET /{$}", servePage)
	mux.HandleFunc("GET "+page.Files, servePage)
	m := &measures{store: c.Store, requests: map[requestLabels]*requestFigures{}}
	mux.Handle("GET /metrics", m)
	s.handler = m.count(s.recovered(c.Access.protect(readBody(newReplays(s.now).handle(idempotencyStore{c.Store, s.now,
		c.Log}.handle(orProblem(mux)))))))
	return s, nil
}

func apiConfig(version string) huma.Config {
	config := huma.DefaultConfig("Touchstone: evaluation of tool selection", version)
	// Documentation pages would load scripts from other hosts.
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil
	config.RejectUnknownQueryParameters = true
	config.Transformers = []huma.Transformer{hideValues}
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[similarity.Matrix](), reflect.TypeFor[[][]float64]())
	config.Components.Schemas = registry
	return config
}

// schemaName names a schema after its type, and after its package where several
// packages have a type of that name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if item, ok := strings.CutPrefix(name, "ListPage"); ok {
		name = "Listing" + item // clients are generated from the document
	}

	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	switch pkg := path.Base(t.PkgPath()); pkg {
	case "score", "store", "similarity", "advice", "exchange", "runner", "scanner":
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}

	return name
}

// register adds an operation, whose errors become problems.
func register[I, O any](s *Service, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	op.BodyReadTimeout = -1 // the body is in memory
	op.MaxBodyBytes = maxBodyOf(op.Path)
	huma.Register(s.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, problem(s.Log, err)
		}
		return out, nil
	})
}

// health answers whether the database can be read.
func (s *Service) health(w http.ResponseWriter, r *http.Request) {
	if _, _, err := s.Store.Servers(r.Context(), store.ServerFilter{Page: store.Page{Limit: 1}}); err != nil {
		s.Log.Error("the database cannot be read", "error", err)
		writeProblem(w, http.StatusServiceUnavailable, "the database cannot be read: see the log of the service")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("{\"status\":\"ok\"}\n")) // the client is gone where it fails
}

// servePage serves the page and its files.
func servePage(w http.ResponseWriter, r *http.Request) {
	if !page.ServeHTTP(w, r) {
		writeProblem(w, http.StatusNotFound, "the page has no such file")
	}
}

// recovered answers 500 where a handler panics.
func (s *Service) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}

			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}

			s.Log.Error("a handler panicked", "method", r.Method, "path", safetext.Visible(r.URL.Path), "panic",
				fmt.Sprint(p), "stack", string(debug.Stack()))
			writeProblem(w, http.StatusInternalServerError, "an internal error: see the log of the service")
		}()
		next.ServeHTTP(w, r)
	})
}

// orProblem makes the multiplexer's own refusals problems as all others are.
func orProblem(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}

		recorder := statusRecorder{header: http.Header{}, code: http.StatusNotFound}
		refusal.ServeHTTP(&recorder, r)
		if recorder.code != http.StatusMethodNotAllowed {
			writeProblem(w, http.StatusNotFound, "there is nothing at this path: see / for the page, and "+
				"/openapi.json for the API")
			return
		}

		allow := recorder.header.Get("Allow")
		w.Header().Set("Allow", allow)
		writeProblem(w, recorder.code, "the method is not one of this path: use "+allow)
	})
}

// statusRecorder keeps the status and the header of a refusal, and drops its text.
type statusRecorder struct {
	header http.Header
	code   int
}

func (r *statusRecorder) Header() http.Header         { return r.header }
func (r *statusRecorder) WriteHeader(code int)        { r.code = code }
func (r *statusRecorder) Write(b []byte) (int, error) { return len(b), nil }

// Bounds of a connection. Answers have none, since events go on as long as a run.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	shutdownTime  = 10 * time.Second
)

// Serve answers requests until ctx ends. It then ends all runs, lets requests in
// work finish, and returns nil.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		s.Runner.Close()
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}

	s.Runner.Close() // ends the streams of events, too
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(within); err != nil {
		s.Log.Warn("requests in work were cut off", "error", err)
		return server.Close()
	}

	return nil
}

// lockFor is the mutex of the thing with an id.
func (s *Service) lockFor(id string) *sync.Mutex {
	sum := 0
	for _, b := range []byte(id) {
		sum = sum*31 + int(b)
	}
	return &s.changing[uint(sum)%uint(len(s.changing))]
}

// listPage is a page of a list and the number of all that the filter selects.
type listPage[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total" doc:"How many the filter selects, on all pages"`
}

// newListPage gives an empty list and not null where there is nothing.
func newListPage[T any](items []T, total int) listPage[T] {
	if items == nil {
		items = []T{}
	}
	return listPage[T]{Items: items, Total: total}
}

// Paging is the input of a list, exported as Conditional is.
type Paging struct {
	Limit  int `query:"limit" minimum:"1" maximum:"1000" default:"50" doc:"The most items of the page"`
	Offset int `query:"offset" minimum:"0" doc:"How many items come before the page"`
}

func (p Paging) page() store.Page { return store.Page{Limit: p.Limit, Offset: p.Offset} }
