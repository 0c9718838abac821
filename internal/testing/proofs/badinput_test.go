package proofs

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// Invalid input gives one clear error with file, place and remedy, and the right exit code, and leaves
// the store unchanged.

func (b *workbench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *workbench) read(name string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		b.t.Fatal(err)
	}
	return data
}

func (b *workbench) write(name string, data []byte) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// wantMessage checks the exit code, every part of the message, and that the store is intact.
func (b *workbench) wantMessage(code int, parts []string, args ...string) {
	b.t.Helper()
	r := b.want(code, args...)
	for _, part := range parts {
		if !strings.Contains(r.stderr, part) {
			b.t.Errorf("the message does not contain %q:\n%s", part, r.stderr)
		}
	}
	if len(r.stderr) > 20_000 {
		b.t.Errorf("the message has %d bytes", len(r.stderr))
	}
	if out, err := b.command("cache", "verify").CombinedOutput(); err != nil {
		b.t.Errorf("the store is damaged: %s", out)
	}
}

func TestBadDatasets(t *testing.T) {
	tests := map[string]struct {
		damage func([]byte) []byte
		want   []string
	}{
		"cut in half": {func(d []byte) []byte { return d[:len(d)/2] }, []string{"datasets/corpus_v1.json:"}},
		"invalid UTF-8": {func(d []byte) []byte {
			return bytes.Replace(d, []byte(`"description": "`), []byte("\"description\": \"\xff\xfe"), 1)
		}, []string{"datasets/corpus_v1.json", "UTF-8"}},
		"deep nesting": {func(d []byte) []byte {
			deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
			return bytes.Replace(d, []byte(`"description": "`), []byte(`"x": `+deep+`, "description": "`), 1)
		}, []string{"datasets/corpus_v1.json", "nest"}},
		"100 MB description": {func(d []byte) []byte {
			return bytes.Replace(d, []byte(`"description": "`), []byte(`"description": "`+strings.Repeat("a", 100<<20)), 1)
		}, []string{"datasets/corpus_v1.json:14:", "the most is 1 MiB"}},
		"unknown field": {func(d []byte) []byte {
			return bytes.Replace(d, []byte(`"description": "`), []byte(`"descripton": "x", "description": "`), 1)
		}, []string{"datasets/corpus_v1.json:", "descripton"}},
		"empty": {func([]byte) []byte { return nil }, []string{"datasets/corpus_v1.json"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if name == "100 MB description" {
				level.Thorough(t, "it writes a file of 100 MB, and a test of the contracts refuses the same text")
			}
			b := newBench(t, shared(t))
			b.write("datasets/corpus_v1.json", tt.damage(b.read("datasets/corpus_v1.json")))
			b.wantMessage(exitBadDataset, tt.want, "gate")
		})
	}
}

func TestBadPipelines(t *testing.T) {
	tests := map[string]struct {
		src  string
		want []string
	}{
		"malformed":     {"pipeline {\n  name = \"x\"\n", []string{"pipeline.hcl line"}},
		"deep nesting":  {"locals {\n  x = " + strings.Repeat("[", 100_000) + "\n}\n", []string{"pipeline.hcl"}},
		"invalid UTF-8": {"pipeline {\n  name = \"\xff\"\n}\n", []string{"pipeline.hcl", "UTF-8"}},
		"empty":         {"", []string{"pipeline.hcl"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, shared(t))
			b.vars = nil
			b.write("pipeline.hcl", []byte(tt.src))
			b.wantMessage(exitUsage, tt.want, "gate")
		})
	}
}

const sourcePipeline = `pipeline {
  name = "tree"
}

stage "list" {
  inputs  = { tree = "tree" }
  outputs = { names = "out/names" }
  command = ["sh", "-c", "ls in/tree > out/names"]
}
`

func TestLinkOutOfTheTree(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.vars = nil
	b.write("pipeline.hcl", []byte(sourcePipeline))
	b.write("tree/a", []byte("a"))
	if err := os.Symlink("/etc/hostname", b.path("tree/secret")); err != nil {
		t.Fatal(err)
	}
	b.wantMessage(exitUsage, []string{"pipeline.hcl line", "secret"}, "run")
}

// asNobody runs the binary without root's rights. It first gives the store and the bench to that user.
func (b *workbench) asNobody(args ...string) result {
	b.t.Helper()
	cmd := b.command(args...)
	if os.Getuid() == 0 {
		const nobody = 65534
		// The binary and the bench are in directories that only root can read.
		public, err := os.MkdirTemp("/tmp", "touchstone-nobody-")
		if err != nil {
			b.t.Skip("no directory that another user can reach: ", err)
		}
		b.t.Cleanup(func() { os.RemoveAll(public) })
		for _, step := range [][]string{
			{"cp", cmd.Path, filepath.Join(public, "touchstone")}, {"cp", "-r", b.dir, filepath.Join(public, "bench")},
			{"cp", "-r", b.store, filepath.Join(public, "store")}, {"chown", "-R", "65534:65534", public},
		} {
			if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
				b.t.Fatal(string(out))
			}
		}
		cmd.Path, cmd.Dir = filepath.Join(public, "touchstone"), filepath.Join(public, "bench")
		cmd.Env = append(cmd.Env, "TOUCHSTONE_CACHE="+filepath.Join(public, "store"), "HOME="+public)
		becomeUser(cmd, nobody)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		b.t.Skip("this system does not let the test change the user: ", err)
	}
	return result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func TestUnreadableFile(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.write("pipeline.hcl", []byte(sourcePipeline))
	b.write("tree/a", []byte("a"))
	if err := os.Chmod(b.path("tree/a"), 0); err != nil {
		t.Fatal(err)
	}
	r := b.asNobody("run")
	if r.code != exitUsage && r.code != exitStageFailed || !strings.Contains(r.stderr, "tree/a") || !strings.Contains(r.stderr, "permission") {
		t.Errorf("exit code %d:\n%s", r.code, r.stderr)
	}
}

func TestReadOnlyStore(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.vars = nil
	b.write("pipeline.hcl", []byte(sourcePipeline))
	b.write("tree/a", []byte("a"))
	b.want(0, "run")
	if out, err := exec.Command("chmod", "-R", "a-w", b.store).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", b.store).Run() })
	b.write("tree/b", []byte("b"))
	r := b.asNobody("run")
	if r.code == 0 || !strings.Contains(r.stderr, "store") || strings.Contains(r.stderr, "panic") {
		t.Errorf("exit code %d:\n%s", r.code, r.stderr)
	}
}

func TestFullDisk(t *testing.T) {
	b := newBench(t, t.TempDir())
	small := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small).CombinedOutput(); err != nil {
		t.Skipf("a small file system cannot be mounted here: %s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", small).Run() })
	b.store = small
	r := b.touchstone("gate", "--work-dir", t.TempDir())
	if r.code == 0 || !strings.Contains(r.stderr, small) || !strings.Contains(r.stderr, "space") {
		t.Errorf("exit code %d:\n%s", r.code, r.stderr)
	}
	if out, err := b.command("cache", "verify").CombinedOutput(); err != nil {
		t.Errorf("the store is damaged: %s", out)
	}
}

func TestStoreOfANewerVersion(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.want(0, "run", "--until", "validate-datasets")
	versions, _ := filepath.Glob(filepath.Join(b.store, "*VERSION*"))
	if len(versions) != 1 {
		t.Fatalf("version files: %v", versions)
	}
	old, err := os.ReadFile(versions[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(versions[0], []byte(strings.NewReplacer("1", "99").Replace(string(old))), 0o644); err != nil {
		t.Fatal(err)
	}
	r := b.want(exitUsage, "gate")
	if !strings.Contains(r.stderr, b.store) || !strings.Contains(r.stderr, "update touchstone") {
		t.Errorf("message:\n%s", r.stderr)
	}
	if err := os.WriteFile(versions[0], old, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := b.want(0, "run", "--until", "validate-datasets"); !strings.Contains(r.stdout, "nothing to do") {
		t.Errorf("the store lost its results:\n%s", r.stdout)
	}
}

func TestProxyThatAnswersGarbage(t *testing.T) {
	b := newBench(t, shared(t))
	b.write("own/proxy", []byte("#!/bin/sh\necho this is no proxy\nexit 1\n"))
	if err := os.Chmod(b.path("own/proxy"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.vars = append(b.vars, "--var", "proxy_source=own", "--var", `proxy_build.command=["true"]`)
	b.wantMessage(exitStageFailed, []string{"snapshot-index", "this is no proxy"}, "run")
	b.write("own/proxy", []byte("echo this names no interpreter\n"))
	b.wantMessage(exitStageFailed, []string{"snapshot-index", "a script that starts with its interpreter"}, "run")
}

func TestPortInUse(t *testing.T) {
	b := newBench(t, shared(t))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b.write("proxy.json", []byte(`{"upstreams": []}`))
	cmd := b.command("proxy", "serve", "--config", "proxy.json", "--listen", l.Addr().String())
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), l.Addr().String()) || !strings.Contains(string(out), "in use") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTwoGatesAtOnce(t *testing.T) {
	b := newSmallBench(t, shared(t))
	b.baseline(nil)
	b.store = t.TempDir()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if out, err := b.command(append([]string{"gate"}, b.vars...)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	both.Wait()
	if r := b.want(0, "gate"); !strings.Contains(r.stdout, "nothing to do") {
		t.Errorf("after two gates at once:\n%s", r.stdout)
	}
}

// A file with a time in the future, and then in the past: the content decides, not the clock.
func TestClockThatJumpsBack(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.vars = nil
	b.write("pipeline.hcl", []byte(sourcePipeline))
	b.write("tree/a", []byte("a"))
	future := time.Now().Add(1000 * time.Hour)
	if err := os.Chtimes(b.path("tree/a"), future, future); err != nil {
		t.Fatal(err)
	}
	b.want(0, "run")
	b.write("tree/a", []byte("b"))
	past := time.Now().Add(-1000 * time.Hour)
	if err := os.Chtimes(b.path("tree/a"), past, past); err != nil {
		t.Fatal(err)
	}
	if r := b.want(0, "run"); !strings.Contains(r.stdout, "1 executed") {
		t.Errorf("the edited file was not noticed:\n%s", r.stdout)
	}
	b.write("tree/a", []byte("a"))
	if err := os.Chtimes(b.path("tree/a"), future, future); err != nil {
		t.Fatal(err)
	}
	if r := b.want(0, "run"); !strings.Contains(r.stdout, "nothing to do") {
		t.Errorf("the old content is a hit:\n%s", r.stdout)
	}
}
