package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// All executors keep the outputs of a failed stage: one that exits with an error, one
// that times out, and one that lacks another output.
func TestOutputsOfFailedStages(t *testing.T) {
	inEach(t, testOutputsOfFailedStages)
}

func testOutputsOfFailedStages(t *testing.T, executor string) {
	for name, script := range map[string]string{
		"error":   "echo half > out/report; mkdir -p out/shots/a; echo 1 > out/shots/a/1; exit 7",
		"timeout": "echo half > out/report; mkdir -p out/shots/a; echo 1 > out/shots/a/1; sleep 60",
		"lacking": "echo half > out/report; mkdir -p out/shots/a; echo 1 > out/shots/a/1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := "2s"
			if name != "timeout" {
				timeout = "5m" // also on a busy machine it ends before
			}
			w := newWorld(t, executor, map[string]string{"pipeline.hcl": `
stage "test" {
  outputs = { report = "out/report", shots = "out/shots/", never = "out/never" }
  timeout = "` + timeout + `"
  command = ` + sh(script) + `
}`})
			local, other := w.both()
			for _, e := range []*ended{local, other} {
				dir := t.TempDir()
				file := touchstone(t)
				cmd := exec.CommandContext(t.Context(), file, "logs", "test", "-o", dir, "--cache-dir", e.store)
				cmd.Dir = w.tree
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				for path, want := range map[string]string{"report": "half\n", "shots/a/1": "1\n"} {
					if b, err := os.ReadFile(filepath.Join(dir, path)); string(b) != want {
						t.Errorf("%s holds %q, want %q; %v", path, b, want, err)
					}
				}
				if _, err := os.Stat(filepath.Join(dir, "never")); err == nil {
					t.Error("an output that was never written is there")
				}
			}
		})
	}
}
