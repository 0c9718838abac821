package conformance

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testprogram"
)

// TestContainersStartEarly checks that the program in a container starts its stage before
// expensive packages are initialized. It needs no engine.
func TestContainersStartEarly(t *testing.T) {
	file := testprogram.Path(t, testprogram.Touchstone)
	cmd := exec.Command(file, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at := func(pkg string) int { return bytes.Index(out, []byte("init "+pkg+" @")) }
	early := at("github.com/touchstone-eval/touchstone/internal/engine/dagger/inside")
	if early < 0 {
		t.Fatalf("the trace does not name the package:\n%s", out)
	}
	for _, costly := range []string{"github.com/santhosh-tekuri/jsonschema/v6", "github.com/blevesearch/bleve/v2/index/scorch"} {
		if i := at(costly); i < 0 {
			t.Errorf("%s is not set up at all: name another that is", costly)
		} else if i < early {
			t.Errorf("%s is set up before", costly)
		}
	}
}
