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

func TestSpread(t *testing.T) {
	var corpus contracts.Corpus
	for i := range 10 {
		corpus.Tools = append(corpus.Tools, contracts.Tool{ToolID: fmt.Sprint("s:", i)})
	}
	for most, want := range map[int]string{0: "s:0 to s:9 of 10", 3: "s:2 to s:9 of 3", 10: "s:0 to s:9 of 10", 11: "s:0 to s:9 of 10"} {
		got := spread(corpus, most).Tools
		if text := fmt.Sprintf("%s to %s of %d", got[0].ToolID, got[len(got)-1].ToolID, len(got)); text != want {
			t.Errorf("at most %d: got %s, want %s", most, text, want)
		}
	}
}
