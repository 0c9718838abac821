package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// touchstoneCommand returns the path of this test binary under the name with which
// TestMain runs the real program.
func touchstoneCommand(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "touchstone")
	if err := os.Symlink(exe, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// The scan of files needs no network: its output is the same in an empty network
// namespace.
func TestScanOffline(t *testing.T) {
	const within = "unshare"
	if out, err := exec.Command(within, "-rn", "true").CombinedOutput(); err != nil {
		t.Skipf("no empty network namespace can be made here: unshare -rn: %v %s", err, out)
	}
	devices, err := exec.Command(within, "-rn", "ls", "/sys/class/net").Output()
	if err != nil {
		t.Skipf("the devices of the namespace cannot be listed: %v", err)
	}
	if routes, err := exec.Command(within, "-rn", "cat", "/proc/self/net/route").Output(); err != nil || bytes.Count(routes, []byte("\n")) > 1 {
		t.Fatalf("the namespace is not empty: %s%s %v", devices, routes, err)
	}
	touchstone := touchstoneCommand(t)
	args := []string{"scan", "--json", "--fail-on", "none", filepath.Join("..", "..", "datasets", "corpus_v1.json")}
	online, err := exec.Command(touchstone, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	offline, err := exec.Command(within, append([]string{"-rn", touchstone}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(online, offline) || !bytes.Contains(offline, []byte(`"complete": true`)) {
		t.Errorf("online\n%.500s\noffline\n%.500s", online, offline)
	}
	// Check the test itself: a scan that needs the network fails in the namespace.
	out, err := exec.Command(within, "-rn", touchstone, "scan", "--timeout", "20s", "--url", "http://192.0.2.1/mcp").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("unreachable")) {
		t.Errorf("%v: %s", err, out)
	}
}
