package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/proxy/direct"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/endpoint"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/models"
	refproxy "github.com/touchstone-eval/touchstone/internal/proxy/reference"
)

func newProxyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "proxy",
		Short: "Run the reference proxy, or a client without a proxy",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProxyServeCommand(), newProxyDirectCommand())
	return cmd
}

func newProxyServeCommand() *cobra.Command {
	var opts refproxy.Options
	var config, model string
	var untilStdinCloses bool
	cmd := &cobra.Command{
		Use:   "serve --config FILE",
		Short: "Serve the tools of several MCP servers through one: search with retrieve_tools, run with call_tool",
		Long: `Connects to the upstream servers in the configuration and serves all their tools through
two tools: retrieve_tools finds tools by what they do, call_tool runs one. MCP clients
connect to /mcp over streamable HTTP. There is also a REST interface:

  GET /api/v1/index/search?q=TEXT&limit=N   the same search
  GET /api/v1/tools                         every tool, with its state
  GET /api/v1/status                        upstreams and counts
  GET /healthz, GET /readyz                 the proxy runs; every upstream is indexed or has failed

Tools that the scanner considers dangerous are quarantined: they are listed with the
findings, but cannot be found or called.

With a sentence model, the search is hybrid: it merges the rankings by words and by
meaning. --model, or "model" in the configuration, names the directory of the model, as
printed by "touchstone models path". Without a model, the search uses words only.

The configuration is JSON:

  {"upstreams": [
    {"name": "files", "command": ["mcp-files", "--root", "/srv"], "env": {"LANG": "C"}},
    {"name": "issues", "url": "http://127.0.0.1:9000/mcp"}
  ]}

The proxy stops on SIGTERM or interrupt, and stops all servers that it started.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := contracts.Read[contracts.ProxyConfig](config)
			if err != nil {
				return err
			}

			opts.Config = cfg
			if dir := cmp.Or(model, cfg.Model); dir != "" {
				if opts.Model, err = models.OpenDirectory(dir); err != nil {
					return err
				}
			}

			opts.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			ctx := cmd.Context()
			if untilStdinCloses {
				ctx = untilEnd(ctx, cmd.InOrStdin())
			}

			return refproxy.Serve(ctx, opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&config, "config", "", "the configuration file")
	f.StringVar(&model, "model", "", "the directory of a sentence model, for a search by words and by meaning")
	f.StringVar(&opts.Listen, "listen", "127.0.0.1:8765", "the address to listen on; port 0 selects a free port")
	f.BoolVar(&opts.AllowRemote, "allow-remote", false,
		"allow an address that other machines can reach; there is no authentication")
	f.StringVar(&opts.ReadyFile, "ready-file", "",
		"write the address to this file once every upstream is indexed or has failed")
	f.DurationVar(&opts.UpstreamTimeout, "upstream-timeout", 30*time.Second,
		"how long an upstream may take to connect and list its tools, and a tool to answer")
	f.BoolVar(&untilStdinCloses, "until-stdin-closes", false, "also stop when standard input ends")
	if err := cmd.MarkFlagRequired("config"); err != nil {
		panic(err) // the flag does not exist: a bug in this program
	}

	return cmd
}

func newProxyDirectCommand() *cobra.Command {
	var opts direct.Options
	var config, model string
	var service endpoint.Options
	var untilStdinCloses bool
	cmd := &cobra.Command{
		Use:   "direct --config FILE --rank RANKING",
		Short: "Run a client without a proxy, which ranks the tools of all servers itself",
		Long: `Reads tools/list from every server in the configuration and answers the same searches as
the reference proxy, with one of these rankings:

  bm25           textbook BM25 over names and descriptions
  bm25-stemmed   the same over all fields, also those of the parameters, with
                 stemming and without stop words
  dense          cosine similarity of vectors from a sentence model on this machine,
                 or from an OpenAI-compatible service; if the service needs a key, it
                 is read from the environment variable PROXY_SECRET
  all            no ranking: the tools in the order in which the servers list them,
                 as in the context of a model that holds all of them

The search of a proxy is compared with these; see docs/reference/adapters.md.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opts.Config, err = contracts.Read[contracts.ProxyConfig](config); err != nil {
				return err
			}

			if opts.Rank == direct.RankDense {
				service.Key = os.Getenv("PROXY_SECRET")
				if opts.Model, err = denseModel(cmp.Or(model, opts.Config.Model), service); err != nil {
					return err
				}
			}

			opts.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			ctx := cmd.Context()
			if untilStdinCloses {
				ctx = untilEnd(ctx, cmd.InOrStdin())
			}

			return direct.Serve(ctx, opts)
		},
	}
	f := cmd.Flags()
	f.StringVar(&config, "config", "", "the configuration file")
	f.StringVar(&opts.Rank, "rank", direct.RankBM25, "how to rank: "+strings.Join(direct.Rankings(), ", "))
	f.StringVar(&model, "model", "", "with dense: the directory of a sentence model, as printed by touchstone "+
		"models path")
	f.StringVar(&service.URL, "embeddings-url", "",
		"with dense: the service's address without /embeddings, such as http://127.0.0.1:8080/v1")
	f.StringVar(&service.Model, "embeddings-model", "", "with dense: the name of the model")
	f.StringVar(&opts.Listen, "listen", "127.0.0.1:8765", "the address to listen on; port 0 selects a free port")
	f.StringVar(&opts.ReadyFile, "ready-file", "", "write the address to this file once all tools are ranked")
	f.DurationVar(&opts.Timeout, "start-timeout", 5*time.Minute, "how long reading and ranking all tools may take")
	f.BoolVar(&untilStdinCloses, "until-stdin-closes", false, "also stop when standard input ends")
	if err := cmd.MarkFlagRequired("config"); err != nil {
		panic(err) // the flag does not exist: a bug in this program
	}

	return cmd
}

// denseModel returns the service if one is given, or else the model in dir.
func denseModel(dir string, service endpoint.Options) (embedding.Model, error) {
	switch {
	case service.URL != "" || service.Model != "":
		model, err := endpoint.New(service)
		if err != nil {
			return nil, fmt.Errorf("%w: give --embeddings-url and --embeddings-model", err)
		}
		return model, nil
	case dir != "":
		return models.OpenDirectory(dir)
	}
	return nil, nil
}

// untilEnd returns a context that also ends when r does.
func untilEnd(ctx context.Context, r io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, r)
		cancel()
	}()
	return ctx
}
