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

// mostProcesses is how many servers get a process each. More of them are
// served by one HTTP server in this process: a thousand processes of a few
// megabytes measure the machine and not the proxy.
const mostProcesses = 100

// Servers are the servers of a corpus as a proxy reaches them, until Stop.
type Servers struct {
	Upstreams []contracts.Upstream

	dir  string
	http *http.Server
}

// Start prepares the servers of a corpus, in the order of seed (see
// Upstreams). Each is a process that the proxy starts from executable, the
// touchstone binary; where there are more than a hundred and byURL says that
// the proxy takes addresses, they are endpoints of streamable HTTP on the
// loopback interface instead.
func Start(executable string, corpus contracts.Corpus, seed uint64, byURL bool) (*Servers, error) {
	if parts := split(corpus, seed); byURL && len(parts) > mostProcesses {
		return host(parts)
	}
	dir, err := os.MkdirTemp("", "touchstone-replay-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the replay servers: %w", err)
	}
	upstreams, err := Upstreams(dir, executable, corpus, seed)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &Servers{Upstreams: upstreams, dir: dir}, nil
}

// Stop ends what serves in this process and removes the servers' files.
func (s *Servers) Stop() {
	if s.http != nil {
		_ = s.http.Close() // nobody waits for an answer any more
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
	go func() { _ = s.http.Serve(listener) }() // it ends with Stop
	return s, nil
}

// maxMessage is the longest request that is read.
const maxMessage = 16 << 20

// ServeHTTP speaks streamable HTTP without sessions: a request is answered with
// JSON, a notification with 202, and nothing is ever sent unasked.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "a replay server takes POST only", http.StatusMethodNotAllowed)
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
	_ = enc.Encode(answer) // a client that went away misses nothing
}
