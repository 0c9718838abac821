package dagger

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReachSaysWhatIsMissing(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	// A socket that accepts connections like an engine, and one without a server.
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte{0})
		}
	}()
	hung := filepath.Join(t.TempDir(), "hung.sock")
	silent, err := net.Listen("unix", hung)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	answerTimeout = time.Second / 10
	t.Cleanup(func() { answerTimeout = 10 * time.Second })
	for _, c := range []struct {
		name, cli, runner, session, err string
	}{
		{name: "no program", cli: "no-such-dagger", runner: "unix://" + socket, err: "the dagger program is missing"},
		{name: "no socket", cli: "true", runner: "unix:///nowhere/engine.sock", err: "no Dagger engine at unix:///nowhere/engine.sock"},
		{name: "nothing listens", cli: "true", runner: "tcp://127.0.0.1:1", err: "no Dagger engine at tcp://127.0.0.1:1"},
		{name: "no address", cli: "true", runner: "::", err: "is not an address"},
		{name: "no scheme", cli: "true", runner: "localhost:1234", err: "write tcp://HOST:PORT"},
		{name: "hangs", cli: "true", runner: "unix://" + hung, err: "it accepts connections but does not answer within 100ms"},
		{name: "there", cli: "true", runner: "unix://" + socket},
		{name: "left to dagger", cli: "true", runner: "kube-pod://engine"},
		{name: "within a function", cli: "no-such-dagger", session: "1234"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(envCLI, c.cli)
			t.Setenv(envRunner, c.runner)
			t.Setenv(envSession, c.session)
			err := Reach(t.Context())
			if c.err == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line with %q", err, c.err)
			}
		})
	}
}

// TestReachAsksTheRuntime has docker installed, but its daemon does not run or hangs. The
// dagger program would not use another runtime either.
func TestReachAsksTheRuntime(t *testing.T) {
	for _, c := range []struct{ name, script, err string }{
		{"answers", "exit 0", ""},
		{"no daemon", "echo Client: 28.1; echo 'Cannot connect to the Docker daemon. Is it running?' >&2; exit 1", `"docker version" fails: Cannot connect to the Docker daemon. Is it running?; start its daemon`},
		{"silent", "exit 1", `"docker version" fails: exit status 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := t.TempDir()
			for name, script := range map[string]string{"docker": c.script, "podman": "exit 0", "dagger": "exit 0"} {
				if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin)
			for _, name := range []string{envCLI, envRunner, envSession} {
				t.Setenv(name, "")
			}
			err := Reach(t.Context())
			if c.err == "" && err == nil {
				return
			}
			if c.err == "" || err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line with %q", err, c.err)
			}
		})
	}
}

// TestEngineVersions connects to engines that report other versions: a patch release is
// accepted, and another minor version is refused.
func TestEngineVersions(t *testing.T) {
	for version, accepted := range map[string]bool{
		Version: true, "v0.21.0": true, "v0.21.12": true, "v0.21.9-20261101-dev": true,
		"v0.20.8": false, "v0.22.0": false, "v0.210.8": false, "v1.21.8": false, "": false,
	} {
		t.Run(version, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"data":{"version":"` + version + `"}}`))
			}))
			defer server.Close()
			u, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv(envSession, u.Port())
			t.Setenv("DAGGER_SESSION_TOKEN", "token")
			e := &Executor{}
			defer e.Close()
			_, err = e.connect(t.Context())
			if accepted {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if want := "the Dagger engine has version " + version + ", but touchstone needs v0.21.x: run " + Version; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

func TestShortened(t *testing.T) {
	for in, want := range map[string]string{
		"one line": "one line",
		"start failed: EOF: \x1b[95m1 : \x1b[0mconnect\nmore\n\nError: start engine: no daemon [traceparent:00-11]": "start engine: no daemon",
		"first\nsecond": "first",
		`returned error 502: {"data":null,"errors":[{"message":"Post \"http://dagger\": unexpected EOF\nmore"}]}`: `Post "http://dagger": unexpected EOF`,
	} {
		if got := shortened(errors.New(in)).Error(); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestRemedy(t *testing.T) {
	if got := remedy(errors.New("mkdir /state/snapshots/1: no space left on device")); !strings.HasPrefix(got, "free space on the engine's disk") {
		t.Errorf("a full disk: %q", got)
	}
	if got := remedy(errors.New("unexpected EOF")); got != "run again to continue" {
		t.Errorf("an engine that ended: %q", got)
	}
}
