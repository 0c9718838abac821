package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// TestStagesStartEarly checks that whatever this program starts to run a stage is ready before expensive packages
// are initialized: in a container, on a worker, in a user namespace, and as the first process of a namespace.
func TestStagesStartEarly(t *testing.T) {
	file := program.Path(t, program.Touchstone)
	cmd := exec.Command(file, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at := func(pkg string) int { return bytes.Index(out, []byte("init "+pkg+" @")) }
	for _, name := range []string{"dagger/inside", "keeper", "sandbox", "workers/onworker"} {
		early := at("github.com/touchstone-eval/touchstone/internal/engine/" + name)
		if early < 0 {
			t.Errorf("the trace does not name %s:\n%s", name, out)
			continue
		}
		for _, costly := range []string{"github.com/santhosh-tekuri/jsonschema/v6", "modernc.org/sqlite/lib"} {
			if i := at(costly); i < 0 {
				t.Errorf("%s is not set up at all: name another that is", costly)
			} else if i < early {
				t.Errorf("%s is set up before %s", costly, name)
			}
		}
	}
}
