package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// initIn runs init in a copy of a proxy of testdata/proxies, and returns the directory, what init printed and its
// exit status.
func initIn(t *testing.T, proxy, store string, edit func(string) string, args ...string) (dir, out string, code int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the proxies are found where stages look on systems of Unix")
	}
	needs := map[string]string{"node": "node", "python": "python3", "go": "go"}[strings.Split(proxy, "-")[0]]
	if lookIn("/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin", needs) == "" {
		t.Skip("it needs " + needs)
	}
	dir = filepath.Join(t.TempDir(), proxy)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata/proxies", proxy))); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if edit == nil || filepath.Ext(file) == ".mod" {
			continue
		}
		if err := os.WriteFile(file, []byte(edit(string(text))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program.Path(t, program.Touchstone), append([]string{"init"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+store)
	b, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return dir, string(b), cmd.ProcessState.ExitCode()
}

// linesOfHCL counts the lines of the HCL below a directory.
func linesOfHCL(t *testing.T, dir string) (lines int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".hcl" {
			return err
		}
		text, err := os.ReadFile(path)
		lines += strings.Count(string(text), "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// A small proxy in each language and over each transport reaches its first verdict by one command.
func TestFirstVerdictOfSmallProxies(t *testing.T) {
	level.Thorough(t, "it measures six proxies")
	for _, proxy := range []string{"node-stdio", "node-http", "python-stdio", "python-http", "go-stdio", "go-http"} {
		t.Run(proxy, func(t *testing.T) {
			dir, out, code := initIn(t, proxy, t.TempDir(), nil, "--yes")
			if code != 0 || !strings.Contains(out, "the gate passed: ") {
				t.Fatalf("exit status %d\n%s", code, out)
			}
			if n := linesOfHCL(t, dir); n > 120 {
				t.Errorf("%d lines of HCL", n)
			}
		})
	}
}

// Without --yes and without a terminal init writes what it found, and measures nothing.
func TestInitFindsAProxy(t *testing.T) {
	dir, out, code := initIn(t, "node-stdio", t.TempDir(), nil)
	if code != 0 || !strings.Contains(out, "it works: search_tools answered") || strings.Contains(out, "the gate") {
		t.Fatalf("exit status %d\n%s", code, out)
	}
	adapter, err := os.ReadFile(filepath.Join(dir, "eval/adapters/node-stdio.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`command = ["node", "${kept}/proxy.mjs", "${home}/config.json"]`, `items     = answer.results`, `server    = item.server`} {
		if !strings.Contains(string(adapter), want) {
			t.Errorf("no %s in\n%s", want, adapter)
		}
	}
}

// Each failure on the way names its remedy, and writes nothing.
func TestInitSaysWhyItDoesNotFindAProxy(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(text string) string { return strings.ReplaceAll(text, old, new) }
	}
	for name, tt := range map[string]struct {
		edit func(string) string
		args []string
		want []string
		long bool // it sends a query to the proxy over all shipped servers
	}{
		"it does not start":      {replace("readFileSync(process", "readFile(process"), nil, []string{"the proxy does not start", "--proxy-start"}, false},
		"no tool is a search":    {replace("search_tools", "frobnicate"), nil, []string{"none of its tools looks like a search: it lists frobnicate", "--search-tool"}, false},
		"no such tool":           {nil, []string{"--search-tool", "guess"}, []string{`it has no tool "guess": it lists search_tools`}, false},
		"the answer has no tool": {replace("{ results: search(p.arguments) }", "{ results: 5 }"), nil, []string{"search_tools answered the query", "no name of a tool", "--proxy-start"}, true},
		"tools without servers":  {replace("({ server: t.server, tool", "({ tool"), nil, []string{"names tools without their servers"}, true},
		"a command that fails":   {nil, []string{"--proxy-start", "node missing.mjs"}, []string{"the proxy does not start", "missing.mjs"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.long {
				level.Thorough(t, "it starts each of the shipped servers")
			}
			dir, out, code := initIn(t, "node-stdio", t.TempDir(), tt.edit, append(tt.args, "--yes")...)
			if code == 0 {
				t.Errorf("it succeeded\n%s", out)
			}
			for _, want := range append(tt.want, "Nothing was written") {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "eval")); err == nil {
				t.Error("it wrote a pipeline")
			}
		})
	}
}
