package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// smallProxy is a proxy that searches by the first words of a query: it stands before touchstone
// proxy direct and shortens what that is asked. With --words 0 it asks for all of the query. It
// follows docs/reference/proxy-contract.md with the search over REST.
func smallProxy() {
	if err := serveSmallProxy(); err != nil {
		fmt.Fprintln(os.Stderr, "smallproxy:", err)
		os.Exit(1)
	}
}

func serveSmallProxy() error {
	engine := flag.String("engine", "touchstone", "the program touchstone")
	words := flag.Int("words", 0, "search by so many words of a query; 0 for all")
	config := flag.String("config", "", "the configuration")
	listen := flag.String("listen", "127.0.0.1:0", "the address to listen on")
	ready := flag.String("ready-file", "", "the file to write the address to")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	behind := filepath.Join(filepath.Dir(*ready), "engine.json")
	cmd := exec.CommandContext(ctx, *engine, "proxy", "direct", "--config", *config, "--listen", "127.0.0.1:0",
		"--ready-file", behind)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	var at struct{ URL string }
	for b, err := os.ReadFile(behind); ; b, err = os.ReadFile(behind) {
		if err == nil {
			if err := json.Unmarshal(b, &at); err != nil {
				return err
			}
			break
		}
		select {
		case <-ctx.Done():
			return cmd.Wait()
		case <-time.After(20 * time.Millisecond):
		}
	}
	target, err := url.Parse(at.URL)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		query := r.Out.URL.Query()
		if asked := strings.Fields(query.Get("q")); *words > 0 && len(asked) > *words {
			query.Set("q", strings.Join(asked[:*words], " "))
			r.Out.URL.RawQuery = query.Encode()
		}
	}}
	server := &http.Server{Handler: forward, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	address := fmt.Sprintf(`{"url": "http://%s"}`, listener.Addr())
	if err := os.WriteFile(*ready+".new", []byte(address), 0o600); err != nil {
		return err
	}
	if err := os.Rename(*ready+".new", *ready); err != nil {
		return err
	}
	_ = server.Serve(listener)
	return cmd.Wait()
}
