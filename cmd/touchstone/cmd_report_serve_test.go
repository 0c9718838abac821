package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

func TestServeReports(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{reportPage, "report.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serveReports(ctx, l, dir) }()
	for path, want := range map[string]string{"/": reportPage, "/report.json": "report.json", "/none": "", "/../outside": ""} {
		r, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want != "" && (r.StatusCode != http.StatusOK || string(body) != want) || want == "" && r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s, %q", path, r.Status, body)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
