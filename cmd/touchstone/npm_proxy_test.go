package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// TestProxyFromNPM runs docs/how-to/gate-a-proxy-from-npm.md: a proxy that somebody else
// wrote, from nothing to a verdict, with the adapter of the page.
func TestProxyFromNPM(t *testing.T) {
	const proxy = "@standardbeagle/slop-mcp@0.15.0"
	level.Thorough(t, "it installs a proxy from npm and runs whole evaluations")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || !npmReaches(proxy) {
		t.Skip("it needs npm, the registry, and the system that the page names")
	}
	page, err := os.ReadFile("../../docs/how-to/gate-a-proxy-from-npm.md")
	if err != nil {
		t.Fatal(err)
	}
	_, adapter, _ := bytes.Cut(page, []byte("<!-- file: slop.hcl -->\n```hcl\n"))
	adapter, _, _ = bytes.Cut(adapter, []byte("```\n"))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "slop.hcl"), adapter, 0o644); err != nil {
		t.Fatal(err)
	}
	touchstone := program.Path(t, program.Touchstone)
	// Runs in dir, or in eval below it, and returns what it prints and its exit status.
	run := func(below string, words ...string) (string, int) {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = filepath.Join(dir, below)
		cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+filepath.Join(dir, "store"), "TOUCHSTONE_VAR_runs=1")
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, words := range [][]string{
		{"git", "init", "-q"},
		{"git", "remote", "add", "origin", "git@github.com:someone/slop-eval.git"},
		{"mkdir", "proxy"},
		{"npm", "install", "--prefix", "proxy", "--package-lock-only", "--ignore-scripts", proxy},
		{touchstone, "init", "eval", "--proxy", "slop.hcl", "--var", "proxy_source=../proxy", "--baseline"},
	} {
		if out, code := run("", words...); code != 0 {
			t.Fatalf("%v: exit status %d\n%s", words, code, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".github/workflows/touchstone.yml")); err != nil {
		t.Error(err)
	}
	if out, code := run("eval", touchstone, "doctor"); code != 0 {
		t.Errorf("doctor: exit status %d\n%s", code, out)
	}
	if out, code := run("eval", touchstone, "gate"); code != 0 || !strings.Contains(out, "the gate passed") {
		t.Fatalf("gate: exit status %d\n%s", code, out)
	}
	worse := bytes.Replace(adapter, []byte("{ query = query,"), []byte(`{ query = split(" ", query)[0],`), 1)
	if err := os.WriteFile(filepath.Join(dir, "eval/adapters/slop.hcl"), worse, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := run("eval", touchstone, "gate"); code != 1 || !strings.Contains(out, "Recall@5 is 0.061") {
		t.Errorf("worse: exit status %d\n%s", code, out)
	}
}
