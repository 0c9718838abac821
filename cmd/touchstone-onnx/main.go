// Command touchstone-onnx serves a local ONNX sentence model as an embeddings
// service: POST /v1/embeddings, as OpenAI's API has it. Touchstone uses it like
// any other service, with the adapter dense.
//
//	touchstone-onnx --model DIR
//
// DIR holds one .onnx file, tokenizer.json and, as a rule, config.json, as models
// are published for sentence-transformers. The model runs in pure Go.
//
// It is a module of its own, so that Touchstone carries neither the runtime nor
// its dependencies: see docs/decisions/2026-11-22-sentence-vectors.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	dir := flag.String("model", "", "the directory of the model")
	file := flag.String("file", "", "the .onnx file in it, if there are several")
	listen := flag.String("listen", "127.0.0.1:8080",
		"the address to listen on, of this machine alone; port 0 takes any free one")
	flag.Parse()
	if *dir == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: touchstone-onnx --model DIR [--file NAME] [--listen HOST:PORT]")
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, *file, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "touchstone-onnx:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, dir, file, listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("listen on %q: there is no authentication: give an address of this machine alone, such as "+
			"127.0.0.1:8080", listen)
	}

	m, err := open(dir, file)
	if err != nil {
		return err
	}

	defer m.close()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("%w: choose another port, or port 0 for any free one", err)
	}

	fmt.Printf("serving %s at http://%s/v1\n", m.identity, listener.Addr())
	server := &http.Server{Handler: handler(m), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		stopping, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(stopping); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}

		return nil
	}
}
