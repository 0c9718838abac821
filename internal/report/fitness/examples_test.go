package fitness

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/level"
	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// The example optimisers run with the real program. gepa and dspy are stand-ins with the same interfaces, which check
// that the examples keep to them.
func TestExampleOptimisers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	dir := t.TempDir()
	touchstone := program.Path(t, program.Touchstone)
	standins, err := filepath.Abs(filepath.Join("testdata", "standins"))
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = "../../.."
		cmd.Env = append(os.Environ(), "PYTHONPATH="+standins, "PYTHONDONTWRITEBYTECODE=1", "TOUCHSTONE="+touchstone)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s%s", name, err, out, stderr.Bytes())
		}
		return string(out)
	}
	python := func(t *testing.T, example string, args ...string) string {
		t.Helper()
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("python3 is not installed")
		}
		return run(t, "python3", append([]string{"examples/optimisers/" + example, "--touchstone", touchstone}, args...)...)
	}
	climbed, poisoned := filepath.Join(dir, "climbed.json"), filepath.Join(dir, "poisoned.json")
	t.Run("go", func(t *testing.T) {
		out := run(t, "go", "run", "./examples/optimisers/climb", "-touchstone", touchstone, "-rounds", "8", "-width", "4", "-batch", "100", "-out", climbed)
		if !strings.Contains(out, "held out (134)") || strings.HasPrefix(out, "0 descriptions changed") {
			t.Errorf("%s", out)
		}
	})
	t.Run("shell", func(t *testing.T) {
		text, err := json.MarshalIndent(map[string]any{"id": "unknown", "descriptions": map[string]string{"no:tool": "x"}}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(poisoned, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out := run(t, "sh", "examples/optimisers/best.sh", poisoned, climbed)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "0.") || !strings.HasSuffix(lines[0], " true climbed") || !strings.HasPrefix(lines[1], "error unknown: the corpus has no tool no:tool") {
			t.Errorf("%s", out)
		}
	})
	t.Run("gepa", func(t *testing.T) {
		out := python(t, "with_gepa.py", "--reflection-lm", "stand-in", "--max-metric-calls", "1200", "--out", filepath.Join(dir, "gepa.json"), "--metric", "mrr")
		if !strings.Contains(out, "validation rose") || !strings.Contains(out, "held out (134)") {
			t.Errorf("%s", out)
		}
	})
	t.Run("dspy", func(t *testing.T) {
		out := python(t, "with_dspy.py", "--lm", "stand-in", "--out", filepath.Join(dir, "dspy.json"), "--part", "validation=0.2")
		if !strings.Contains(out, "validation (67)") || !strings.Contains(out, "descriptions changed") {
			t.Errorf("%s", out)
		}
	})
	t.Run("climb.py", func(t *testing.T) {
		level.Thorough(t, "the example in Go does the same")
		out := python(t, "climb.py", "--rounds", "4", "--width", "4", "--out", filepath.Join(dir, "climb.json"))
		if !strings.Contains(out, "held out (134)") || strings.Contains(out, "0 descriptions changed") {
			t.Errorf("%s", out)
		}
	})
}
