package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// Published servers of protocol version 2026-07-28 are scanned and pinned, and compare as unchanged afterwards, over
// stdio and over HTTP.
func TestScanServersFromNPM(t *testing.T) {
	level.Thorough(t, "it installs servers from npm")
	for _, tt := range []struct {
		spec, bin string
		tools     int
		http      []string // the arguments with which it listens for HTTP, if it does
	}{
		{"@upstash/context7-mcp@4.1.1", "context7-mcp", 2, []string{"--transport", "http", "--port", "36107"}},
		{"mongodb-mcp-server@3.0.4", "mongodb-mcp-server", 27, nil},
	} {
		t.Run(tt.bin, func(t *testing.T) {
			if !npmReaches(tt.spec) {
				t.Skip("it needs npm and the registry")
			}
			dir := t.TempDir()
			install := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", tt.spec)
			if out, err := install.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			start := filepath.Join(dir, "node_modules", ".bin", tt.bin)
			scanPinAndCompare(t, tt.tools, "--server-command", `"`+filepath.ToSlash(start)+`"`)
			if tt.http != nil {
				scanPinAndCompare(t, tt.tools, "--url", listens(t, start, tt.http...), "--server", tt.bin)
			}
		})
	}
}

// listens starts a server and returns its address once it says it.
func listens(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if address := regexp.MustCompile(`https?://\S+/mcp\b`).Find(lines.Bytes()); address != nil {
			return string(address)
		}
	}
	t.Fatal("the server ended without an address")
	return ""
}

// scanPinAndCompare scans a server of a number of tools, in which nothing is severe, pins it and compares it with that.
func scanPinAndCompare(t *testing.T, tools int, server ...string) {
	t.Helper()
	pin := filepath.Join(t.TempDir(), "pin.json")
	for _, step := range [][]string{{"--pin", pin}, {"--baseline", pin, "--fail-on", "change"}} {
		cmd := exec.Command(program.Path(t, program.Touchstone), append(append([]string{"scan", "--json"}, server...), step...)...)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s", step, err, said.String())
		}
		var report struct {
			Coverage struct {
				Complete bool
				Tools    int `json:"tools_scanned"`
				Notes    []struct{ Reason string }
			}
		}
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatal(err)
		}
		if c := report.Coverage; !c.Complete || c.Tools != tools || len(c.Notes) > 0 {
			t.Errorf("%v: %+v", step, c)
		}
	}
}
