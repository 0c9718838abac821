package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/touchstone-eval/touchstone/contracts"
)

// mostProcesses is the maximum number of servers that get a process each. With more
// servers, one HTTP server in this process serves all of them: starting 32 processes
// takes a third of the processor time of a whole gate.
const mostProcesses = 10

// Servers are the running servers of a corpus, until Stop.
type Servers struct {
	Upstreams []contracts.Upstream

	dir  string
	http *http.Server
}

// Start prepares the servers of a corpus, in the order of seed (see Upstreams). Each
// server is a process that the proxy starts from executable, the touchstone binary.
// If there are more than ten servers and byURL is true, which means that the proxy
// accepts addresses, they are endpoints of streamable HTTP on the loopback
// interface instead.
func Start(executable string, corpus contracts.Corpus, seed uint64, byURL bool) (*Servers, error) {
	if parts := split(corpus, seed); byURL && len(parts) > mostProcesses {
		return host(parts)
	}
	dir, err := os.MkdirTemp("", "touchstone-replay-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the replay servers: %w", err)
	}
	upstreams, err := Upstreams(dir, executable, corpus, seed)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &Servers{Upstreams: upstreams, dir: dir}, nil
}

// Stop stops serving and removes the servers' files.
func (s *Servers) Stop() {
	if s.http != nil {
		_ = s.http.Close() // no client is waiting for an answer
	}
	if s.dir != "" {
		os.RemoveAll(s.dir)
	}
}

func host(parts []part) (*Servers, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the replay servers: %w", err)
	}
	mux := http.NewServeMux()
	s := &Servers{http: &http.Server{Handler: mux}}
	for i, p := range parts {
		path := "/" + strconv.Itoa(i) + "/mcp"
		mux.Handle(path, newServer(p))
		s.Upstreams = append(s.Upstreams, contracts.Upstream{Name: p.server, URL: "http://" + listener.Addr().String() + path})
	}
	go func() { _ = s.http.Serve(listener) }() // until Stop
	return s, nil
}

// maxMessage is the maximum length of a request in bytes.
const maxMessage = 16 << 20

// ServeHTTP implements streamable HTTP without sessions: it answers a request with
// JSON and a notification with 202, and never sends messages on its own.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "a replay server only supports POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		status := http.StatusBadRequest
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	answer := s.answer(body)
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(answer) // ignore clients that have disconnected
}
