package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/base/buildversion"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// build builds the program with the flags.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the program")
	}
	path := filepath.Join(t.TempDir(), "touchstone-scan")
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", path, ".")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// maxSize is the largest size of the program in bytes.
const maxSize = 20_000_000

// TestSize builds the program as a release does.
func TestSize(t *testing.T) {
	level.Thorough(t, "it compiles every package again, with other paths")
	info, err := os.Stat(build(t, "-trimpath", "-ldflags=-s -w"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() >= maxSize {
		t.Errorf("the program has %d bytes, want less than %d", info.Size(), maxSize)
	}
}

func TestProgram(t *testing.T) {
	program := build(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.json": `{"tools":[{"name":"a","description":"Reads a file."}]}`,
		"bad.json":  `{"tools":[{"name":"a","description":"Adds \u202enumbers\u202c."}]}`,
		"mcp.json":  `{"mcpServers":{"a":{"command":"true"}}}`,
		"old.hcl":   `suppress {` + "\n" + `tool = "x:y"` + "\n" + `check = "unicode.hidden"` + "\n" + `reason = "r"` + "\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"good.json", 0, "nothing found"},
		{"bad.json", 1, "unicode.hidden"},
		{"--json bad.json", 1, `"pointer": "/description"`},
		{"none.json missing.json", 2, "\ntouchstone-scan: missing.json: no such file"},
		{"none.json", 2, "touchstone-scan: none.json: no such file"},
		{"mcp.json", 3, "it was not started"},
		{"--pin lock.json good.json", 0, "pinned 1 tool in lock.json"},
		{"--baseline lock.json --fail-on change --server good bad.json", 1, "changed since the baseline"},
		{"explain unicode.hidden", 0, "What to do"},
		{"explain --json first.any-other-tool", 0, `"severity": "medium"`},
		{"approve good.json", 2, "--baseline is required"},
		{"--help", 0, "touchstone-scan tools.json"},
		{"--version", 0, "touchstone-scan " + buildversion.Developed + " (go"},
		{"version", 0, "touchstone-scan " + buildversion.Developed + " (go"},
		{"version --json", 0, `"version": "` + buildversion.Developed + `"`},
		{"scan bad.json", 2, "touchstone-scan: there is no file scan: leave out the word scan, as in \"touchstone-scan bad.json\""},
		{"bad.json", 1, "touchstone-scan: 1 finding of severity high or higher"},
		{"mcp.json", 3, "touchstone-scan: not everything was scanned"},
		{"--pin half.json mcp.json", 3, "touchstone-scan: half.json was not written"},
		{"--suppressions old.hcl good.json", 0, "touchstone-scan: a suppression is no longer needed"},
		{"--fotmat json", 2, "touchstone-scan: unknown flag: --fotmat; see touchstone-scan --help"},
		{"approve --fotmat json", 2, "touchstone-scan: unknown flag: --fotmat; see touchstone-scan approve --help"},
		{"explain a b", 2, "see touchstone-scan explain --help"},
	} {
		cmd := exec.Command(program, strings.Fields(tt.args)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "touchstone:") || strings.Contains(string(out), "touchstone scan") {
			t.Errorf("%s: the output names another program: %s", tt.args, out)
		}
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if cmd.ProcessState.ExitCode() != tt.code || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: exit status %d, want %d with %q: %s", tt.args, cmd.ProcessState.ExitCode(), tt.code, tt.want, out)
		}
	}
}
