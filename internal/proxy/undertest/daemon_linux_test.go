package undertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// A proxy's daemon has left its parent, its group, its session and its environment. It ends
// with the proxy all the same.
func TestADaemonEndsWithItsProxy(t *testing.T) {
	for _, name := range []string{"bash", "setsid"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	home := t.TempDir()
	file := filepath.Join(home, "pid")
	script := `env -i PATH="$PATH" setsid sh -c 'sleep 600 < /dev/null > /dev/null 2>&1 & echo $! > "$0.new"; mv "$0.new" "$0"' "` + file + `"; exec sleep 600`
	p, err := startProcess(adapter.Launch{Argv: []string{"bash", "-c", script}}, home, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	var pid []byte
	for end := time.Now().Add(time.Minute); len(pid) == 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		pid, _ = os.ReadFile(file)
	}
	p.stop()
	if len(pid) == 0 {
		t.Fatal("the daemon did not start")
	}
	if how := p.how(); how != `it was killed by signal "terminated"` {
		t.Errorf("the proxy: %s", how)
	}
	if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil {
		t.Errorf("the daemon is still there: %s", stat)
	}
}
