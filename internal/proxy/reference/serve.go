package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// Options are the options of Serve.
type Options struct {
	Config contracts.ProxyConfig
	// Model, if set, makes the search hybrid: by words and by meaning.
	Model embedding.Model
	// Listen is the address, "127.0.0.1:0" for a port that the system
	// chooses. Addresses other than loopback require AllowRemote.
	Listen      string
	AllowRemote bool
	// ReadyFile, if set, is written with an Announcement once every upstream
	// has been indexed or has failed.
	ReadyFile string
	// UpstreamTimeout limits the connection of an upstream, and each call.
	UpstreamTimeout time.Duration
	Log             *slog.Logger
}

// Announcement is the content of a ready file. URL is the address without a path,
// MCP the endpoint for MCP clients.
type Announcement struct {
	URL string `json:"url"`
	MCP string `json:"mcp"`
}

// shutdownAfter is how long pending requests may take when the proxy stops.
const shutdownAfter = 2 * time.Second

// Serve runs a proxy until ctx ends, and then returns nil. It listens before it starts
// anything, so that a port in use leaves nothing behind.
func Serve(ctx context.Context, opts Options) error {
	host, _, err := net.SplitHostPort(opts.Listen)
	if err != nil {
		return fmt.Errorf("listen on %q: %w: use an address such as 127.0.0.1:0", opts.Listen, err)
	}

	local := isLoopback(host)
	if !local && !opts.AllowRemote {
		return fmt.Errorf("listen on %q: the proxy has no authentication and only listens on loopback: use "+
			"127.0.0.1, or allow remote clients with --allow-remote", opts.Listen)
	}

	listener, err := net.Listen("tcp", opts.Listen)
	if err != nil {
		return fmt.Errorf("%w: choose another port, or port 0 for any free one", err)
	}

	defer listener.Close()
	p, err := Start(opts.Config, opts.Model, opts.UpstreamTimeout, opts.Log)
	if err != nil {
		return err
	}

	defer p.Close()

	server := &http.Server{
		Handler:           p.Handler(local),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(opts.Log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	opts.Log.Info("serving", "mcp", base+"/mcp", "upstreams", len(opts.Config.Upstreams))

	settled := p.Settled()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("serve %s: %w", base, err)
		case <-settled:
			settled = nil
			if opts.ReadyFile != "" {
				if err := announce(opts.ReadyFile, base); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			stop, cancel := context.WithTimeout(context.Background(), shutdownAfter)
			defer cancel()
			if err := server.Shutdown(stop); errors.Is(err, context.DeadlineExceeded) {
				_ = server.Close()
			}

			opts.Log.Info("stopped")
			return nil
		}
	}
}

func announce(file, base string) error {
	b, err := json.Marshal(Announcement{URL: base, MCP: base + "/mcp"})
	if err != nil {
		return err
	}
	if err := atomicfile.WriteFile(file, append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the ready file: %w", err)
	}
	return nil
}
