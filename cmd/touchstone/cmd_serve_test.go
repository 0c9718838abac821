package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServe(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		url  string
	}{
		"loopback":      {[]string{"--listen", "127.0.0.1:0"}, "http://127.0.0.1:"},
		"all addresses": {[]string{"--listen", ":0"}, "http://localhost:"},
	} {
		t.Run(name, func(t *testing.T) { testServe(t, tc.args, tc.url) })
	}
}

// testServe checks that a service with these flags prints a URL that begins as
// given and opens.
func testServe(t *testing.T, args []string, url string) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("a token of enough bytes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := filepath.Join(dir, "eval.db")
	serve := func(ctx context.Context, out io.Writer, args ...string) error {
		cmd := newServeCommand()
		cmd.SetArgs(append([]string{"--db", db}, args...))
		cmd.SetOut(out)
		cmd.SetErr(io.Discard)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		return cmd.ExecuteContext(ctx)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := serve(ctx, write, append(args, "--token", "file:"+token)...)
		write.CloseWithError(err)
		ended <- err
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if address = strings.TrimSpace(address); !strings.HasPrefix(address, url) {
		t.Errorf("the URL is %s, want %s...", address, url)
	}
	for header, want := range map[string]int{"": 401, "Bearer a token of enough bytes": 200} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"api/v1/servers", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", header)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want {
			t.Errorf("%q: %s", header, r.Status)
		}
	}
	page, err := http.Get(address) // it needs no token, to ask for one
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(page.Body)
	page.Body.Close()
	if err != nil || page.StatusCode != 200 || !strings.Contains(string(text), "<title>Touchstone</title>") {
		t.Errorf("%s %s %v", page.Status, text, err)
	}
	if err := serve(ctx, io.Discard, "--listen", "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "another touchstone process executes runs") {
		t.Errorf("a second service on one database: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
