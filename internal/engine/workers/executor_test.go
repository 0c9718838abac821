package workers

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestProperties(t *testing.T) {
	plain := &pipeline.Instance{}
	large := &pipeline.Instance{Platform: "linux/arm64/v8", Resources: pipeline.Resources{CPUs: 4, MemoryMB: 2048}}
	for _, c := range []struct {
		name string
		more map[string]string
		in   *pipeline.Instance
		ref  string
		want map[string]string
	}{
		{name: "nothing declared", in: plain, want: map[string]string{}},
		{name: "everything", in: large, ref: "go@sha256:00", want: map[string]string{
			"OSFamily": "linux", "ISA": "arm-a64", "container-image": "docker://go@sha256:00", "cpus": "4", "memory_mb": "2048",
		}},
		{name: "macOS", in: &pipeline.Instance{Platform: "darwin/amd64"}, want: map[string]string{"OSFamily": "macos", "ISA": "x86-64"}},
		{name: "of the server", in: plain, more: map[string]string{"Pool": "small", "OSFamily": "linux"}, want: map[string]string{"Pool": "small", "OSFamily": "linux"}},
		{name: "other names", in: large, more: map[string]string{"cpus": "", "memory_mb": "", "OSFamily": "", "ISA": "", "EstimatedCPU": "{cpus}", "EstimatedMemory": "{memory_mb}MB"},
			want: map[string]string{"EstimatedCPU": "4", "EstimatedMemory": "2048MB"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := maps.Clone(defaultProperties)
			if d := cmp.Diff(c.want, properties(c.more, c.in, image.Root{Ref: c.ref})); d != "" {
				t.Error(d)
			}
			if !maps.Equal(before, defaultProperties) {
				t.Error("the defaults have changed")
			}
		})
	}
}

// TestWhatWorkersMustNotSee refuses secrets, and images that only this machine has.
func TestWhatWorkersMustNotSee(t *testing.T) {
	root := t.TempDir()
	for name, in := range map[string]*pipeline.Instance{
		"the secret TOKEN":      {Command: []string{"touchstone"}, Secrets: []pipeline.Secret{{Name: "TOKEN", From: "env:X"}}},
		"a sensitive variable":  {Command: []string{"touchstone"}, Sensitive: true},
		"the directory " + root: {Command: []string{"sh"}, Image: "dir:" + root},
		"is not pinned":         {Command: []string{"sh"}, Image: "golang:1.26"},
	} {
		e := &Executor{Images: image.Images{Worker: true}}
		if _, err := e.Run(t.Context(), &engine.Job{Instance: in}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAProgramThatWorkersCannotRun is an error of this machine: the server has lost nothing.
func TestAProgramThatWorkersCannotRun(t *testing.T) {
	m, err := remotetest.StartMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Stop()
	m.Workers = 1
	address, err := remote.ParseAddress(m.Address)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e := &Executor{Settings: remote.Settings{Address: address}, Binary: file, Images: image.Images{Worker: true}}
	defer e.Close()
	_, err = e.Run(t.Context(), &engine.Job{Instance: &pipeline.Instance{Stage: "s", Command: []string{"sh"}}, Program: "/bin/sh"})
	if err == nil || !strings.Contains(err.Error(), "is not a Linux program") || strings.Contains(err.Error(), "has lost it") {
		t.Error(err)
	}
}

func TestJob(t *testing.T) {
	job := &engine.Job{
		Instance: &pipeline.Instance{
			Stage: "s", Command: []string{"sh", "-c", "x"}, Timeout: time.Minute, Passthrough: []string{"HOME"},
			Outputs: []pipeline.Output{{Name: "d", Path: "out/deep/d/", Dir: true}, {Name: "top", Path: "top"}, {Name: "in", Path: "in/x"}},
		},
		Program: "/bin/sh", ProgramDigest: cache.Digest{1},
		Env: []string{"HOME=/home/me", "B=2", "A=1"},
	}
	e := &Executor{}
	o, err := e.jobFor(job, image.Root{})
	if err != nil {
		t.Fatal(err)
	}
	if o.Program != "/bin/sh" || !strings.HasPrefix(o.Digest, "01") || !slices.Equal(o.Env, []string{"A=1", "B=2"}) || !slices.Equal(o.Parents, []string{"out/deep", ".", "in"}) {
		t.Errorf("job = %+v", o)
	}
	if got, want := outputs(job.Instance), []string{"report.json", "stdout", "stderr", "stage/out", "stage/top", "stage/in/x"}; !slices.Equal(got, want) {
		t.Errorf("outputs = %v, want %v", got, want)
	}
	// An image identifies its programs.
	if o, err = e.jobFor(job, image.Root{Ref: "go@sha256:00"}); err != nil || o.Digest != "" {
		t.Errorf("job = %+v, %v", o, err)
	}
	job.Instance.Command = []string{"touchstone", "stage", "s"}
	if o, err = e.jobFor(job, image.Root{}); err != nil || o.Program != "" || o.Digest != "" {
		t.Errorf("job = %+v, %v", o, err)
	}
}
