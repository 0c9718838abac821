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
	"github.com/touchstone-eval/touchstone/proxy"
	"github.com/touchstone-eval/touchstone/proxy/direct"
	"github.com/touchstone-eval/touchstone/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/replay"
)

// The test binary stands in for touchstone: the stages start it as proxy and
// as replay servers, which are then real processes.
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
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func beProxy(args []string) error {
	opts := proxy.Options{UpstreamTimeout: 20 * time.Second, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	f := flag.NewFlagSet("proxy", flag.ExitOnError)
	config := f.String("config", "", "")
	f.StringVar(&opts.Listen, "listen", "", "")
	f.StringVar(&opts.ReadyFile, "ready-file", "", "")
	f.Bool("until-stdin-closes", false, "")
	if err := f.Parse(args); err != nil {
		return err
	}
	var err error
	if opts.Config, err = contracts.Read[contracts.ProxyConfig](*config); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return proxy.Serve(ctx, opts)
}

func beDirect(args []string) error {
	opts := direct.Options{Timeout: time.Minute, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	f := flag.NewFlagSet("direct", flag.ExitOnError)
	config := f.String("config", "", "")
	f.StringVar(&opts.Rank, "rank", "", "")
	f.StringVar(&opts.Embeddings.URL, "embeddings-url", "", "")
	f.StringVar(&opts.Embeddings.Model, "embeddings-model", "", "")
	f.StringVar(&opts.Listen, "listen", "", "")
	f.StringVar(&opts.ReadyFile, "ready-file", "", "")
	f.Bool("until-stdin-closes", false, "")
	if err := f.Parse(args); err != nil {
		return err
	}
	var err error
	if opts.Config, err = contracts.Read[contracts.ProxyConfig](*config); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return direct.Serve(ctx, opts)
}

func beReplay(args []string) error {
	f := flag.NewFlagSet("replay", flag.ExitOnError)
	file := f.String("corpus", "", "")
	server := f.String("server", "", "")
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
	s, err := replay.NewServer(corpus, *server)
	if err != nil {
		return err
	}
	return s.Serve(os.Stdin, os.Stdout)
}
