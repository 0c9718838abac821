package conformance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All executors treat stages that are off, on demand, or ordered without data alike.
func TestStagesThatDoNotAlwaysRun(t *testing.T) {
	inEach(t, testStagesThatDoNotAlwaysRun)
}

func testStagesThatDoNotAlwaysRun(t *testing.T, executor string) {
	files := map[string]string{"pipeline.hcl": `
variable "extra" {
  type    = bool
  default = false
}
variable "fail" {
  type    = bool
  default = false
}
stage "prepare" {
  env     = { FAIL = var.fail ? "1" : null }
  command = ` + sh(`test -z "$FAIL"`) + `
}
stage "extra" {
  when    = var.extra
  outputs = { text = "out/text" }
  command = ` + sh("echo extra > out/text") + `
}
stage "total" {
  depends_on = [stage.prepare]
  inputs     = { extra = stage.extra.text }
  outputs    = { list = "out/list" }
  command    = ` + sh("if test -d in; then ls in; fi > out/list") + `
}
stage "refresh" {
  on_demand = true
  outputs   = { data = "out/data" }
  command   = ` + sh("echo fresh > out/data") + `
}`}
	for _, c := range []struct {
		name string
		args []string
		code int
		want map[string]string // the status of each stage that is listed
	}{
		{"off", nil, 0, map[string]string{"prepare": "RAN", "extra": "OFF", "total": "RAN", "refresh": "SKIPPED"}},
		{"on", []string{"--var", "extra=true"}, 0, map[string]string{"prepare": "RAN", "extra": "RAN", "total": "RAN", "refresh": "SKIPPED"}},
		{"prerequisite fails", []string{"--var", "fail=true", "--keep-going"}, 3, map[string]string{"prepare": "FAILED", "extra": "OFF", "total": "SKIPPED", "refresh": "SKIPPED"}},
		{"on demand", []string{"--only", "refresh"}, 0, map[string]string{"prepare": "SKIPPED", "extra": "OFF", "total": "SKIPPED", "refresh": "RAN"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, executor, files)
			local, other := w.both(c.args...)
			if other.code != c.code {
				t.Errorf("exit status %d, want %d\n%s", other.code, c.code, other.stderr)
			}
			got := map[string]string{}
			for _, s := range other.stages {
				got[s.Stage] = s.Status
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("statuses differ (-want +got):\n%s", d)
			}
			if c.code != 0 {
				return
			}
			for _, s := range w.run(executor, local.store, c.args...).stages {
				if s.Status == "RAN" {
					t.Errorf("%s ran again on the store of the local run", s.Stage)
				}
			}
		})
	}
}
