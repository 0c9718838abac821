package undertest

import (
	"fmt"
	"os/exec"
	"testing"

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
		if got := p.replays(fmt.Sprintf("/proc/%d", cmd.Process.Pid)); got != want {
			t.Errorf("sleep %s: got %v", argument, got)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
