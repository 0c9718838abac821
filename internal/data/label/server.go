package label

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/pagestyle"
)

//go:embed files
var embedded embed.FS

// policy is the Content-Security-Policy of the page. With its last two
// directives, browsers refuse to parse text as markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'none'; require-trusted-types-for " +
	"'script'; trusted-types 'none'"

// maxBody bounds the body of a request.
const maxBody = 16 << 10

// Handler serves a session to browsers on this machine: it refuses requests for
// other hosts and from pages of other sites.
func Handler(s *Session) http.Handler {
	mux := http.NewServeMux()
	for path, file := range map[string]struct{ name, mediaType string }{
		"GET /{$}":       {"index.html", "text/html; charset=utf-8"},
		"GET /label.js":  {"label.js", "text/javascript; charset=utf-8"},
		"GET /label.css": {"label.css", "text/css; charset=utf-8"},
	} {
		content, err := fs.ReadFile(embedded, "files/"+file.name)
		if err != nil {
			panic(err) // the file is part of the program
		}

		if file.name == "label.css" {
			content = append([]byte(pagestyle.Tokens), content...)
		}

		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.mediaType)
			_, _ = w.Write(content)
		})
	}

	mux.HandleFunc("GET /api/progress", func(w http.ResponseWriter, _ *http.Request) { answer(w, s.Progress(), nil) })
	mux.HandleFunc("GET /api/items/{number}", func(w http.ResponseWriter, r *http.Request) {
		number, err := strconv.Atoi(r.PathValue("number"))
		item, ok := s.Item(number)
		if err != nil || !ok {
			refuse(w, http.StatusNotFound, "the pool has no such query")
			return
		}

		answer(w, item, nil)
	})
	mux.HandleFunc("POST /api/judge", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query     string           `json:"query"`
			Tool      contracts.ToolID `json:"tool"`
			Relevance *int             `json:"relevance"`
		}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&body); err != nil ||
			body.Relevance == nil {
			refuse(w, http.StatusBadRequest, "the request is not a label: it needs query, tool and relevance")
			return
		}

		answer(w, struct{}{}, s.Judge(body.Query, body.Tool, *body.Relevance))
	})
	mux.HandleFunc("POST /api/undo", func(w http.ResponseWriter, _ *http.Request) {
		undone, ok, err := s.Undo()
		if err == nil && !ok {
			refuse(w, http.StatusConflict, "there is nothing to undo")
			return
		}

		answer(w, undone, err)
	})
	mux.HandleFunc("POST /api/export", func(w http.ResponseWriter, _ *http.Request) {
		count, err := s.Export()
		answer(w, map[string]any{"judgements": count, "file": s.options.Out}, err)
	})
	return protect(mux)
}

// protect refuses requests that a page of another site made a browser send.
func protect(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		switch {
		case !isLocal(r.Host):
			// A name of another site may resolve to this address (DNS rebinding).
			refuse(w, http.StatusMisdirectedRequest,
				"the host of the request is not this machine: use the address that the command printed")
		case crossOrigin.Check(r) != nil:
			refuse(w, http.StatusForbidden, "the request comes from a page of another origin")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func isLocal(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return address.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// Listen listens on an address of this machine alone.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with --listen", err)
	}
	at, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return nil, errors.Join(fmt.Errorf("other machines can reach %s; listen on 127.0.0.1", l.Addr()), l.Close())
	}
	return l, nil
}

func answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return // the browser is gone
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": message})
}
