//go:build !containers

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/selection/rest"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
)

// serveFlags are the flags of touchstone eval serve.
type serveFlags struct {
	listen, db string
	token      string
	allow      []string
	start      bool
	execution  evalExecution
	embeddings embeddingsFlag
	// certificate and key are the files for HTTPS.
	certificate, key string
}

func newServeCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the evaluation of tool selection as a REST API with a page",
		Long: `Serve the evaluation of tool selection over HTTP: servers, cases, runs and their
results, similarity of tools, quality, import and export. A page for browsers is at
the address that it prints, the REST API below /api/v1. The OpenAPI document is at
/openapi.json, the state at /healthz, and metrics for Prometheus at /metrics.

By default, the service only listens on this machine. Other addresses (--listen) need a
token, which every request must send in the header Authorization. The page asks for it.
--allow host=NAME is a further name by which requests may call the service.

The service connects to MCP servers and models at public addresses. --allow
network=CIDR allows others. Addresses of this machine are allowed if the service only
listens on this machine. Programs (stdio servers) are only started with --start.
Proxies in the environment are not used.

A request that starts runs sends the API key of the model in the header
X-Model-API-Key. The key is not stored. The file of --settings may have keys, too: the
service then asks these models for everybody who may use it, at the addresses in the
file alone.

Other processes may read the database while it is served, but only one process may
execute runs.`,
		Example: `  touchstone eval serve
  touchstone eval serve --listen 127.0.0.1:9000 --db evaluations.db --start
  touchstone eval serve --listen 0.0.0.0:8420 --token file:token.txt --allow host=eval.example.com`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd) },
	}
	p := cmd.Flags()
	p.StringVar(&f.listen, "listen", "127.0.0.1:8420", "the address to listen on; port 0 selects a free port")
	p.StringVar(&f.db, "db", defaultEvalDB, "the database")
	p.StringVar(&f.token, "token", "", "the source of the token that requests must send, env:NAME or file:PATH; "+
		"required if other machines can reach the service")
	p.StringVar(&f.certificate, "tls-cert", "", "the certificate for HTTPS, a PEM file; needs --tls-key")
	p.StringVar(&f.key, "tls-key", "", "the private key for HTTPS, a PEM file")
	p.StringArrayVar(&f.allow, "allow", nil,
		"host=NAME, a name that requests may use for this service, or network=CIDR, addresses that it may connect "+
			"to although they are not public (repeatable)")
	p.BoolVar(&f.start, "start", false, "start the programs of stdio servers; they run with your rights, and users "+
		"of the service choose them")
	f.execution.running(p)
	f.execution.providers(p)
	f.embeddings.flags(p)
	return cmd
}

func (f *serveFlags) serve(cmd *cobra.Command) (err error) {
	token, err := readReference(f.token)
	if err != nil {
		return fmt.Errorf("--token: %w", err)
	}

	secure, err := f.tls()
	if err != nil {
		return err
	}

	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --listen", err)
	}

	defer l.Close()
	local := rest.IsLoopback(l.Addr())
	switch {
	case !local && token == "":
		return fmt.Errorf("other machines can reach %s: listen on 127.0.0.1, or require a token with --token env:NAME "+
			"or file:PATH", l.Addr())
	case !local && f.start:
		return errors.New("--start would allow other machines to start programs here: listen on " +
			"127.0.0.1, or omit --start")
	}

	hosts, guard, err := f.allowed(local)
	if err != nil {
		return err
	}

	access := rest.Access{Token: token, Hosts: hosts, Remote: !local}
	if err := access.Validate(); err != nil {
		return err
	}

	models, err := f.execution.models(cmd.Context(), cmd.ErrOrStderr(), guard.Client(), nil)
	if err != nil {
		return err
	}

	encoder, err := f.embeddings.open()
	if err != nil {
		return err
	}

	ctx := cmd.Context()
	s, err := createDB(ctx, f.db)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, s.Close()) }()
	live := runner.Live{StartPrograms: f.start, Dial: guard.Dial}
	r, err := runner.New(ctx, s, live, models.Options)
	if err != nil {
		return err
	}

	defer r.Close()
	config := rest.Config{
		Store: s, Runner: r, Live: live, Version: version, Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
		Access: access, Models: models.Models,
	}
	if encoder != nil {
		config.Encoder = similarity.Encoder(encoder)
	}

	service, err := rest.New(config)
	if err != nil {
		return err
	}

	address := pageURL(l.Addr())
	if secure != nil {
		address = "https" + strings.TrimPrefix(address, "http")
		l = tls.NewListener(l, secure)
	}

	fmt.Fprintln(cmd.OutOrStdout(), address)
	return service.Serve(ctx, l)
}

// tls is the configuration of HTTPS, or nil for HTTP.
func (f *serveFlags) tls() (*tls.Config, error) {
	switch {
	case f.certificate == "" && f.key == "":
		return nil, nil
	case f.certificate == "" || f.key == "":
		return nil, errors.New("--tls-cert and --tls-key belong together: give both")
	}

	pair, err := tls.LoadX509KeyPair(f.certificate, f.key)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}

	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// allowed reads --allow. It also allows connections to this machine if the service only listens
// on this machine.
func (f *serveFlags) allowed(local bool) (hosts []string, g rest.Guard, err error) {
	for _, text := range f.allow {
		switch kind, value, _ := strings.Cut(text, "="); {
		case kind == "host" && value != "":
			hosts = append(hosts, value)
		case kind == "network":
			network, err := netip.ParsePrefix(value)
			if err != nil {
				return nil, g, fmt.Errorf("--allow %s: %q is not a CIDR, such as 10.1.0.0/16 or 192.168.1.7/32", text,
					value)
			}

			g.Allow = append(g.Allow, network.Masked())
		default:
			return nil, g, fmt.Errorf("--allow %q is neither host=NAME nor network=CIDR", text)
		}
	}

	if local {
		g.Allow = append(g.Allow, rest.Loopback...)
	}

	return hosts, g, nil
}

// readReference reads the secret at env:NAME or file:PATH. An empty reference
// returns an empty secret.
func readReference(reference string) (string, error) {
	kind, name, _ := strings.Cut(reference, ":")
	var secret string
	switch {
	case reference == "":
		return "", nil
	case kind == "env" && name != "":
		secret = os.Getenv(name)
	case kind == "file" && name != "":
		text, err := readlimit.File(context.Background(), name, readlimit.MaxSecret)
		if err != nil {
			return "", err
		}

		secret = string(readlimit.WithoutMark(text))
	default:
		return "", errors.New("the value must be env:NAME or file:PATH")
	}

	if secret = strings.TrimSpace(secret); secret == "" {
		return "", fmt.Errorf("%s is empty or not set", reference)
	}

	return secret, nil
}
