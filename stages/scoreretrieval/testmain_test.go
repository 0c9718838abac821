package scoreretrieval_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/direct"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding/endpoint"
	refproxy "github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/internal/testing/load"
)

// The test binary acts as touchstone: the stages start it as proxy and as
// replay servers, which are real processes.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 2 && os.Args[1] == "proxy" && os.Args[2] == "direct":
		err = beDirect(os.Args[3:])
	case len(os.Args) > 2 && os.Args[1] == "proxy":
		err = beProxy(os.Args[3:])
	case len(os.Args) > 2 && os.Args[1] == "replay":
		err = beReplay(os.Args[2:])
	case len(os.Args) > 2 && os.Args[1] == badproxy.Argument:
		badproxy.Main(os.Args[2:])
	default:
		load.RunAtOnce(4)
		code := m.Run()
		if dir, err := referenceOnce(); err == nil {
			_ = os.RemoveAll(dir)
		}
		os.Exit(code)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// server holds what the proxies that the test binary acts as have in common:
// the same flags, and running until a signal.
type server struct {
	flags             *flag.FlagSet
	listen, readyFile string
	log               *slog.Logger
}

func newServer(name string) *server {
	s := &server{flags: flag.NewFlagSet(name, flag.ExitOnError), log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	s.flags.StringVar(&s.listen, "listen", "", "")
	s.flags.StringVar(&s.readyFile, "ready-file", "", "")
	s.flags.Bool("until-stdin-closes", false, "")
	return s
}

func (s *server) run(args []string, serve func(context.Context, contracts.ProxyConfig) error) error {
	path := s.flags.String("config", "", "")
	if err := s.flags.Parse(args); err != nil {
		return err
	}
	config, err := contracts.Read[contracts.ProxyConfig](*path)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return serve(ctx, config)
}

func beProxy(args []string) error {
	s := newServer("proxy")
	return s.run(args, func(ctx context.Context, config contracts.ProxyConfig) error {
		return refproxy.Serve(ctx, refproxy.Options{Config: config, Listen: s.listen, ReadyFile: s.readyFile, UpstreamTimeout: 20 * time.Second, Log: s.log})
	})
}

func beDirect(args []string) error {
	s := newServer("direct")
	opts := direct.Options{Timeout: time.Minute, Log: s.log}
	s.flags.StringVar(&opts.Rank, "rank", "", "")
	var service endpoint.Options
	s.flags.StringVar(&service.URL, "embeddings-url", "", "")
	s.flags.StringVar(&service.Model, "embeddings-model", "", "")
	return s.run(args, func(ctx context.Context, config contracts.ProxyConfig) error {
		if service.URL != "" {
			model, err := endpoint.New(service)
			if err != nil {
				return err
			}
			opts.Model = model
		}
		opts.Config, opts.Listen, opts.ReadyFile = config, s.listen, s.readyFile
		return direct.Serve(ctx, opts)
	})
}

func beReplay(args []string) error {
	f := flag.NewFlagSet("replay", flag.ExitOnError)
	file := f.String("corpus", "", "")
	server := f.String("server", "", "")
	journal := f.String("journal", "", "")
	pageSize := f.Int("page-size", replay.DefaultPageSize, "")
	if err := f.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	var corpus contracts.Corpus
	if err := json.Unmarshal(data, &corpus); err != nil {
		return err
	}
	s, err := replay.NewServer(corpus, *server, *pageSize)
	if err != nil {
		return err
	}
	s.KeepJournal(*journal)
	return s.Serve(os.Stdin, os.Stdout)
}
