package dagger

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestContainerFile(t *testing.T) {
	for _, c := range []struct {
		name      string
		network   pipeline.Network
		image     image.Root
		hasInputs bool
		has, not  []string
	}{
		{
			name: "ours", network: pipeline.NetworkNone, hasInputs: true,
			has: []string{
				"FROM scratch\n", "--network=none", "source=run,target=/.touchstone", "source=stage,target=/job/stage/in", "id=touchstone-job-$MARK",
				`["/.touchstone/touchstone","in-container"`,
			},
			not: []string{"COPY"},
		},
		{name: "loopback", network: pipeline.NetworkLoopback, has: []string{"--network=none"}, not: []string{"source=box"}},
		{name: "full", network: pipeline.NetworkFull, not: []string{"--network"}},
		{name: "directory", image: image.Root{Dir: "/some/root"}, has: []string{"FROM scratch\nCOPY root/ /\n"}, not: []string{"/some"}},
		{name: "registry", image: image.Root{Ref: "go@sha256:00"}, has: []string{"FROM go@sha256:00\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := containerFile(&pipeline.Instance{Network: c.network}, c.image, c.hasInputs)
			for _, s := range c.has {
				if !strings.Contains(got, s) {
					t.Errorf("no %q in\n%s", s, got)
				}
			}
			for _, s := range c.not {
				if strings.Contains(got, s) {
					t.Errorf("%q in\n%s", s, got)
				}
			}
		})
	}
}

func TestJob(t *testing.T) {
	job := &engine.Job{
		Instance: &pipeline.Instance{
			Stage: "s", Command: []string{"touchstone", "stage", "s"}, Timeout: time.Minute,
			Secrets: []pipeline.Secret{{Name: "TOKEN", From: "env:X"}},
			Outputs: []pipeline.Output{{Name: "d", Path: "out/deep/d/", Dir: true}},
		},
		Program: "/somewhere/here/touchstone",
		Env:     []string{"B=2", "TOKEN=hidden=1", "A=1"},
	}
	o := newJob(job, image.Root{}, time.Second)
	if o.Program != "/.touchstone/touchstone" || !slices.Equal(o.Parents, []string{"out/deep"}) ||
		!slices.Equal(o.Env, []string{"A=1", "B=2", "TOKEN=hidden=1"}) {
		t.Errorf("job = %+v", o)
	}
	// The shared upload does not contain the environment.
	if recipe := containerFile(job.Instance, image.Root{}, true); strings.Contains(recipe, "TOKEN") {
		t.Errorf("the recipe names a secret:\n%s", recipe)
	}
}

func TestIsolationSaysWhatHeld(t *testing.T) {
	none := isolation(&pipeline.Instance{Network: pipeline.NetworkNone}, image.Root{}, []string{"process-group", "container"})
	if want := []string{"container", "read-only-inputs", "empty-root", "no-network", "process-group"}; !slices.Equal(none, want) {
		t.Errorf("isolation = %v, want %v", none, want)
	}
	full := isolation(&pipeline.Instance{Network: pipeline.NetworkFull}, image.Root{Dir: "/r"}, nil)
	if want := []string{"container", "read-only-inputs", "image"}; !slices.Equal(full, want) {
		t.Errorf("isolation = %v, want %v", full, want)
	}
}
