package dagger

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger/inside"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Paths in a container and in the upload that package inside does not define.
const (
	inputRoot  = "in" // the inputs, in the stage's directory
	toolRoot   = "/.touchstone"
	uploadRoot = "root" // an image's files, in the upload

	// The job is passed as a secret, because its environment may contain
	// secrets. It is therefore not part of any layer, argument or trace.
	jobSecret    = "touchstone-job-"
	markArgument = "MARK"
)

// containerFile returns the recipe of a job's container. It is a Dockerfile, because
// that is the engine's public interface to run a command without a network. It only
// depends on the stage, so that jobs can share it. The mark, which is an argument of
// the build, selects the job and makes the execution unique. Each
// instruction and each mount is a step of the engine, so there are as few as
// possible.
func containerFile(in *pipeline.Instance, root image.Root, hasInputs bool) string {
	var b strings.Builder
	from := "scratch"
	if root.Ref != "" {
		from = root.Ref
	}

	fmt.Fprintf(&b, "FROM %s\n", from)
	if root.Dir != "" {
		fmt.Fprintf(&b, "COPY %s/ /\n", uploadRoot)
	}

	if root.Ref != "" {
		// A user from the image could not write outputs.
		b.WriteString("USER 0:0\n")
	}

	fmt.Fprintf(&b, "ARG %s\n", markArgument)
	b.WriteString("RUN")
	if in.Network != pipeline.NetworkFull {
		// Loopback remains available: the container has its own network, without
		// any other interface.
		b.WriteString(" --network=none")
	}

	mount := func(source, target string) {
		fmt.Fprintf(&b, " --mount=type=bind,source=%s,target=%s", source, target)
	}
	mount(uploadRun, toolRoot)
	if hasInputs {
		mount(uploadStage, path.Join(inside.Root, inside.StageDir, inputRoot))
	}

	b.WriteString(" --mount=type=tmpfs,target=/tmp --mount=type=tmpfs,target=" + path.Join(inside.Root, inside.TempDir))
	fmt.Fprintf(&b, " --mount=type=secret,id=%s$%s,target=%s,required=true", jobSecret, markArgument, inside.JobFile)
	argv, err := json.Marshal([]string{toolRoot + "/touchstone", inside.Verb})
	if err != nil {
		panic(err) // strings always marshal
	}

	fmt.Fprintf(&b, " %s\n", argv)
	return b.String()
}

// newJob returns the job for the program in the job's container.
func newJob(job *engine.Job, root image.Root, grace time.Duration) *inside.Job {
	o := &inside.Job{
		Stage: job.Instance.String(), Command: job.Instance.Command, Program: job.Program,
		Stdin:   job.Instance.Stdin,
		Env:     slices.Sorted(slices.Values(job.Env)),
		Timeout: job.Instance.Timeout, Grace: grace, Platform: job.Instance.Platform,
		MemoryMB: job.Instance.Resources.MemoryMB,
	}
	if root.None() || job.Instance.Command[0] == image.OwnProgram {
		o.Program = toolRoot + "/touchstone"
	}

	for _, out := range job.Instance.Outputs {
		o.Parents = append(o.Parents, path.Dir(strings.TrimSuffix(out.Path, "/")))
	}

	return o
}

// isolation lists the means that restricted the stage to what it declares.
func isolation(in *pipeline.Instance, root image.Root, within []string) []string {
	list := []string{"container", "read-only-inputs"}
	if root.None() {
		list = append(list, "empty-root")
	} else {
		list = append(list, "image")
	}

	if in.Network != pipeline.NetworkFull {
		list = append(list, "no-network")
	}

	for _, s := range within {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}

	return list
}
