package local

import (
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// TestNetworks checks that the sandbox, which may not import the language, has its words for networks.
func TestNetworks(t *testing.T) {
	for word, want := range map[pipeline.Network]sandbox.Network{
		pipeline.NetworkNone: sandbox.NoNetwork, pipeline.NetworkLoopback: sandbox.Loopback, pipeline.NetworkFull: sandbox.AnyNetwork,
	} {
		if sandbox.Network(word) != want {
			t.Errorf("the language says %q, and the sandbox %q", word, want)
		}
	}
}
