package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	refproxy "github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// served runs the real binary as a proxy for real replay servers.
type served struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr *bytes.Buffer
	url    string
	ended  chan error
	corpus string // its path is in the command line of every replay server
}

func serveProxy(t *testing.T, flags ...string) *served {
	t.Helper()
	bin := program.Path(t, program.Touchstone)
	dir := t.TempDir()
	corpus, err := contracts.Read[contracts.Corpus]("../../datasets/corpus_v1.json")
	if err != nil {
		t.Fatal(err)
	}
	servers, err := replay.Start(bin, corpus, replay.Options{Both: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(servers.Stop)
	upstreams := servers.Upstreams[:4]
	for i := range upstreams {
		upstreams[i].URL = "" // start the processes
	}
	config, ready := filepath.Join(dir, "config.json"), filepath.Join(dir, "ready.json")
	if err := contracts.Write(config, contracts.ProxyConfig{Upstreams: upstreams}); err != nil {
		t.Fatal(err)
	}
	s := &served{stderr: &bytes.Buffer{}, ended: make(chan error, 1), corpus: filepath.Dir(upstreams[0].Command[3])}
	s.cmd = exec.Command(bin, append([]string{"proxy", "serve", "--config", config, "--listen", "127.0.0.1:0", "--ready-file", ready}, flags...)...)
	s.cmd.Stderr = s.stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	for {
		select {
		case err := <-s.ended:
			t.Fatalf("it ended before it was ready: %v\n%s", err, s.stderr)
		case <-time.After(10 * time.Millisecond):
		}
		if b, err := os.ReadFile(ready); err == nil {
			var a refproxy.Announcement
			if err := json.Unmarshal(b, &a); err != nil {
				t.Fatal(err)
			}
			s.url = a.URL
			return s
		}
	}
}

// replaying returns the number of running replay servers.
func (s *served) replaying(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Skip("needs /proc to see the processes")
	}
	n := 0
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte("\x00replay\x00")) && bytes.Contains(b, []byte(s.corpus)) {
			n++
		}
	}
	return n
}

func TestProxyServe(t *testing.T) {
	for _, tc := range []struct {
		name  string
		flags []string
		stop  func(*served)
		clean bool
	}{
		{"SIGTERM", nil, func(s *served) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }, true},
		{"the end of its input", []string{"--until-stdin-closes"}, func(s *served) { s.in.Close() }, true},
		{"SIGKILL", nil, func(s *served) { _ = s.cmd.Process.Kill() }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serveProxy(t, tc.flags...)
			resp, err := http.Get(s.url + "/api/v1/index/search?q=search&limit=5")
			if err != nil {
				t.Fatal(err)
			}
			var answer contracts.SearchAnswer
			err = json.NewDecoder(resp.Body).Decode(&answer)
			resp.Body.Close()
			if err != nil || len(answer.Tools) == 0 {
				t.Errorf("got %+v, %v", answer, err)
			}
			if n := s.replaying(t); n != 4 {
				t.Errorf("%d replay servers run, want 4", n)
			}
			tc.stop(s)
			if err := <-s.ended; (err == nil) != tc.clean {
				t.Errorf("it ended with %v\n%s", err, s.stderr)
			}
			for range 500 {
				if s.replaying(t) == 0 {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("%d replay servers outlive the proxy", s.replaying(t))
		})
	}
}

func TestProxyServeOnAPortInUse(t *testing.T) {
	s := serveProxy(t)
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config.json")
	if err := contracts.Write(config, contracts.ProxyConfig{}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(s.cmd.Path, "proxy", "serve", "--config", config, "--listen", u.Host).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(string(out), "address already in use: choose another port") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestReplayNeedsAServerOfTheCorpus(t *testing.T) {
	for _, tc := range []struct{ file, content, server, want string }{
		{"absent.json", "", "s", "no such file"},
		{"broken.json", `{"tools":[`, "s", "the file ends in the middle"},
		{"small.json", `{"tools":[{"server":"one","tool":"t"}]}`, "two", `the field "version" is missing`},
	} {
		path := filepath.Join(t.TempDir(), tc.file)
		if tc.content != "" {
			if err := os.WriteFile(path, []byte(tc.content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := openReplay(path, tc.server, 1)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.file) {
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}
