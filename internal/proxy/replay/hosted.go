package replay

import (
	"cmp"
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

// maxProcesses is the maximum number of servers that get a process each. With more
// servers, one HTTP server in this process serves all of them: starting 32 processes
// takes a third of the processor time of a whole gate.
const maxProcesses = 10

// Options are the options of Start.
type Options struct {
	// Seed determines the order of the servers, and of the tools of each. 0 is the
	// order of the corpus.
	Seed uint64
	// PageSize is the maximum number of tools in a tools/list answer. 0 means
	// DefaultPageSize.
	PageSize int
	// Both gives each upstream a command and an address, of which the proxy uses
	// one. Otherwise the upstreams of a corpus with more than ten servers have
	// addresses, and those of a smaller one have commands.
	Both bool
	// None starts no servers. The proxy gets its tools in another way.
	None bool
}

// Servers are the running servers of a corpus, until Stop.
type Servers struct {
	// Upstreams are the servers in the order of the seed.
	Upstreams []contracts.Upstream

	parts    []part
	journals []journal
	dir      string
	http     *http.Server
}

// Start prepares the servers of a corpus. A server with a command is a process that the
// proxy starts from executable, the touchstone binary. A server with an address is an
// endpoint of streamable HTTP on the loopback interface.
func Start(executable string, corpus contracts.Corpus, o Options) (*Servers, error) {
	if o.None {
		return &Servers{}, nil
	}

	o.PageSize = cmp.Or(o.PageSize, DefaultPageSize)
	s := &Servers{parts: split(corpus, o.Seed)}
	s.Upstreams, s.journals = make([]contracts.Upstream, len(s.parts)), make([]journal, len(s.parts))
	for i, p := range s.parts {
		s.Upstreams[i].Name = p.server
	}

	if many := len(s.parts) > maxProcesses; o.Both || many {
		if err := s.host(o.PageSize); err != nil {
			return nil, err
		}

		if !o.Both {
			return s, nil
		}
	}

	var err error
	if s.dir, err = os.MkdirTemp("", "touchstone-replay-"); err != nil {
		s.Stop()
		return nil, fmt.Errorf("create a directory for the replay servers: %w", err)
	}

	commands, err := writeParts(s.dir, executable, corpus, s.parts, o.PageSize)
	if err != nil {
		s.Stop()
		return nil, err
	}

	for i, command := range commands {
		s.Upstreams[i].Command, s.journals[i].file = command, journalOf(command[3])
	}

	return s, nil
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

// host serves all parts from this process.
func (s *Servers) host(pageSize int) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the replay servers: %w", err)
	}

	mux := http.NewServeMux()
	s.http = &http.Server{Handler: mux}
	for i, p := range s.parts {
		path := "/" + strconv.Itoa(i) + "/mcp"
		server := newServer(p, pageSize)
		server.listed = s.journals[i].add
		mux.Handle(path, server)
		s.Upstreams[i].URL = "http://" + listener.Addr().String() + path
	}

	go func() { _ = s.http.Serve(listener) }() // until Stop
	return nil
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
