package buildproxy_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
)

func manifest(t *testing.T, dir string) contracts.ProxyManifest {
	t.Helper()
	m, err := contracts.Read[contracts.ProxyManifest](filepath.Join(dir, "proxy.json"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEmbedded(t *testing.T) {
	before := buildproxy.EmbeddedIdentity
	t.Cleanup(func() { buildproxy.EmbeddedIdentity = before })
	out := t.TempDir()

	buildproxy.EmbeddedIdentity = nil
	if err := buildproxy.Run(t.Context(), buildproxy.Options{Out: out}); err == nil {
		t.Error("a manifest without an identity was written")
	}
	buildproxy.EmbeddedIdentity = func() string { return "from the program" }
	if err := buildproxy.Run(t.Context(), buildproxy.Options{Out: out}); err != nil {
		t.Fatal(err)
	}
	m := manifest(t, out)
	if m.Name != "reference" || m.Kind != contracts.ProxyEmbedded || m.Identity != "from the program" || strings.Join(m.Args, " ") != "proxy serve" {
		t.Errorf("got %+v", m)
	}
	if err := buildproxy.Run(t.Context(), buildproxy.Options{Out: out, Identity: "given", Name: "mine"}); err != nil {
		t.Fatal(err)
	}
	if m := manifest(t, out); m.Identity != "given" || m.Name != "mine" {
		t.Errorf("got %+v", m)
	}
}

// sourceTree creates a source with read-only files and directories, as an engine may supply it.
func sourceTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"src/main": "#!/bin/sh\necho built\n", ".git/HEAD": "x"}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("main", filepath.Join(dir, "src/link")); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"src", "."} {
		path := filepath.Join(dir, d)
		if err := os.Chmod(path, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
	}
	return dir
}

func sh(script string) []string { return []string{"/bin/sh", "-c", script} }

func TestBuildFromSource(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	src, out := sourceTree(t), t.TempDir()
	err := buildproxy.Run(t.Context(), buildproxy.Options{
		Out: out, Source: src, Binary: "bin/my-proxy", Args: []string{"serve"},
		Command: sh("test ! -e .git && mkdir bin && cp src/link bin/my-proxy && chmod +x bin/my-proxy && mkdir ro && touch ro/f && chmod 555 ro"),
	})
	if err != nil {
		t.Fatal(err)
	}
	m := manifest(t, out)
	sum := sha256.Sum256([]byte("#!/bin/sh\necho built\n"))
	if m.Kind != contracts.ProxyBinary || m.Name != "my-proxy" || m.Binary != "my-proxy" || m.Identity != hex.EncodeToString(sum[:]) || len(m.Args) != 1 {
		t.Errorf("got %+v", m)
	}
	info, err := os.Stat(filepath.Join(out, "my-proxy"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the binary: %v, %v", info, err)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(filepath.Join(src, "bin")); err == nil {
		t.Error("the build wrote into the source")
	}
}

func TestBuildThatFails(t *testing.T) {
	for _, tc := range []struct {
		name    string
		binary  string
		command []string
		want    []string
	}{
		{"exit", "p", sh("echo first; echo the reason >&2; exit 3"), []string{"exit status 3", "first", "the reason", "/bin/sh"}},
		{"silent", "p", sh("exit 1"), []string{"printed nothing"}},
		{"long output", "p", sh("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; exit 1"), []string{"line 1999"}},
		{"no such command", "p", []string{"no-such-compiler-here"}, []string{"no-such-compiler-here", "PATH"}},
		{"nothing built", "p", sh("true"), []string{"produced no file p"}},
		{"not built", "p", nil, []string{"the source has no file p", "--var proxy_build.binary=FILE"}},
		{"not executable", "p", sh("touch p"), []string{"not executable"}},
		{"a directory", "p", sh("mkdir p"), []string{"not a regular file"}},
		{"a link", "p", sh("ln -s /bin/sh p"), []string{"not a regular file"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out := t.TempDir()
			err := buildproxy.Run(t.Context(), buildproxy.Options{Out: out, Source: t.TempDir(), Binary: tc.binary, Command: tc.command})
			if err == nil {
				t.Fatal("it built")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
			if len(err.Error()) > 8<<10 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if left, _ := os.ReadDir(out); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestSourceWithALinkOut(t *testing.T) {
	for _, link := range []string{"/etc/passwd", "../../outside"} {
		src := t.TempDir()
		if err := os.Symlink(link, filepath.Join(src, "l")); err != nil {
			t.Fatal(err)
		}
		err := buildproxy.Run(t.Context(), buildproxy.Options{Out: t.TempDir(), Source: src, Binary: "p", Command: sh("true")})
		if err == nil || !strings.Contains(err.Error(), "link out of the source") {
			t.Errorf("%s: got %v", link, err)
		}
	}
}

func TestUsage(t *testing.T) {
	for name, opts := range map[string]buildproxy.Options{
		"command without source": {Command: sh("true")},
		"no binary":              {Source: "x", Command: sh("true")},
		"no such source":         {Source: "x", Binary: "p"},
		"binary outside":         {Source: "x", Binary: "../p", Command: sh("true")},
		"identity of a binary":   {Source: "x", Binary: "p", Command: sh("true"), Identity: "i"},
		"model that is not read": {Adapter: "../../adapters/mcp-gateway.hcl", Model: t.TempDir(), Source: "x"},
		"manifest's name":        {Source: t.TempDir(), Binary: "proxy.json", Command: sh("true")},
	} {
		opts.Out = t.TempDir()
		err := buildproxy.Run(t.Context(), opts)
		var usage *buildproxy.UsageError
		if !errors.As(err, &usage) || usage.ExitCode() != 2 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestInterruptEndsTheBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	err := buildproxy.Run(ctx, buildproxy.Options{Out: t.TempDir(), Source: t.TempDir(), Binary: "p", Command: sh("sleep 3600 & sleep 3600")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
