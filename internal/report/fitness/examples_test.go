package fitness

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// TestExampleOptimisers runs both climbers. The optimised figure must rise, and the held-out
// figure must be printed.
func TestExampleOptimisers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = "../../.."
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, stderr.Bytes())
		}
		return string(out)
	}
	if !level.IsThorough() {
		t.Log("the example in Python, which does what the one in Go does, is left to the thorough tests")
	} else if _, err := exec.LookPath("python3"); err != nil {
		t.Log("python3 is not installed: its example is not run")
	} else {
		climbed := filepath.Join(dir, "climbed.json")
		out := run("python3", "examples/optimisers/climb.py", "--touchstone", program.Path(t, program.Touchstone), "--rounds", "4", "--width", "4", "--out", climbed)
		if !strings.Contains(out, "held out (134)") || strings.Contains(out, "0 descriptions changed") {
			t.Errorf("%s", out)
		}
		if _, err := os.Stat(climbed); err != nil {
			t.Error(err)
		}
	}
	out := run("go", "run", "./examples/optimisers/climb", "-rounds", "4", "-width", "4")
	if !strings.Contains(out, "held out (134)") || strings.HasPrefix(out, "0 descriptions changed") {
		t.Errorf("%s", out)
	}
}
