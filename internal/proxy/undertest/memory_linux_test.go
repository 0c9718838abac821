package undertest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// A replay server is known by its whole command.
func TestReplayServersAreNotOfTheProxy(t *testing.T) {
	p := &Proxy{servers: &replay.Servers{Upstreams: []contracts.Upstream{{Command: []string{"sleep", "601"}}}}}
	for argument, want := range map[string]bool{"601": true, "602": false} {
		cmd := exec.Command("sleep", argument)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		dir := fmt.Sprintf("/proc/%d", cmd.Process.Pid)
		// The kernel sets the arguments shortly after Start has returned.
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if text, err := os.ReadFile(dir + "/cmdline"); err == nil && string(text) == "sleep\x00"+argument+"\x00" {
				break
			}
		}
		if got := p.replays(dir); got != want {
			t.Errorf("sleep %s: got %v", argument, got)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
