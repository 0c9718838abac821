//go:build !containers

package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/local"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
	"github.com/touchstone-eval/touchstone/internal/engine/workers"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func (d *doctor) pipeline() {
	plan := d.session.plan
	d.ok("pipeline", "%d stages, %d instances", len(engine.StageNames(plan)), len(plan.Instances))
	if err := d.session.store.Writable("running stages"); err != nil {
		d.warn("cache", d.session.store.Dir()+" is read-only: results that are in it are used, but no stage can run",
			"make the directory writable for this user, or choose another one with --cache-dir or TOUCHSTONE_CACHE")
		return
	}

	dir, err := os.MkdirTemp(d.session.store.Dir(), "doctor-")
	if err != nil {
		d.fail("cache", err.Error(), "name a writable directory with --cache-dir or TOUCHSTONE_CACHE")
		return
	}

	_ = os.Remove(dir)
	d.ok("cache", "%s is writable", d.session.store.Dir())
}

// programs checks that the program of each stage is available.
func (d *doctor) programs() {
	seen := map[string]bool{}
	var found []string
	for _, in := range d.session.plan.Instances {
		if in.Off != "" {
			continue
		}

		name := in.Command[0]
		if seen[name] {
			continue
		}

		seen[name] = true
		if _, err := d.session.engine.Tools.Resolve(in); err != nil {
			d.fail("programs", fmt.Sprintf("stage %s: %v", in.Stage, err), "install it, or correct the stage's command")
			continue
		}

		found = append(found, name)
	}

	if len(found) > 0 {
		d.ok("programs", "%s", strings.Join(found, ", "))
	}
}

// ports checks that a port on loopback is available, which every proxy needs.
func (d *doctor) ports() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.fail("ports", err.Error(), "free a port on 127.0.0.1: the proxy needs one for each start")
		return
	}
	defer l.Close()
	d.ok("ports", "found a free port on 127.0.0.1, %d", l.Addr().(*net.TCPAddr).Port)
}

func (d *doctor) executor(ctx context.Context) {
	var err error
	if e, ok := d.session.engine.Executor.(interface{ Prepare(context.Context) error }); ok {
		err = e.Prepare(ctx)
	}

	if err != nil {
		d.fail("executor", err.Error(), "until this is fixed, run stages on this machine with --executor local")
		return
	}

	e, here := d.session.engine.Executor.(local.Executor)
	if here && runtime.GOOS != "linux" {
		d.warn("executor", "stages can run, but "+runtime.GOOS+
			" cannot restrict them to the files and networks that they declare",
			"to find undeclared inputs, run the pipeline once on Linux or with --executor dagger")
		d.unrecorded(e.Sandbox.Unrecorded())
		return
	}

	if e, ok := d.session.engine.Executor.(*workers.Executor); ok {
		d.ok("executor", "%s runs stages; the record of each result lists which declarations its worker enforced",
			e.Settings.Address)
		d.unrecorded("workers do not record it")
		return
	}

	d.ok("executor", "stages can run")
	if here {
		d.isolation(ctx, e)
	}
}

// remoteCache checks the cache that machines share, if there is one.
func (d *doctor) remoteCache(ctx context.Context) {
	c := d.session.remote
	if c == nil {
		return
	}

	const remedy = "runs go on without it; check the address and the credentials, or turn it off with " +
		envRemoteMode + "=off"
	offer, err := remote.Ask(ctx, c.Settings)
	switch {
	case err != nil:
		d.warn("remote cache", err.Error(), remedy)
	case c.Sign != nil && !offer.Writable:
		d.warn("remote cache", c.Address.String()+" answers, but takes no results", "use "+envRemoteMode+
			"=read, or ask its administrator")
	case c.Sign != nil:
		d.ok("remote cache", "%s answers, and takes results", c.Address)
	default:
		d.ok("remote cache", "%s answers; results are only read from it", c.Address)
	}
}

// isolation says which declarations of stages this system enforces. It asks a stage, because
// what the kernel, its settings and a container around it allow is known only then.
func (d *doctor) isolation(ctx context.Context, e local.Executor) {
	if e.Sandbox.Off() {
		d.warn("isolation", "it is switched off: stages can read and reach what they do not declare",
			"leave out --isolation off")
		d.unrecorded(e.Sandbox.Unrecorded())
		return
	}

	self, err := os.Executable()
	if err != nil {
		d.fail("isolation", err.Error(), "start the program by its path")
		return
	}

	words, err := e.Isolation(ctx, self, "--help")
	if err != nil {
		d.fail("isolation", "a stage cannot be restricted to what it declares: "+err.Error(),
			"to run stages without it, use --isolation off")
		return
	}

	words = d.reads(e, words)
	if missing := local.NotEnforced(words); len(missing) > 0 {
		d.warn("isolation", "this system cannot enforce everything that stages declare: "+strings.Join(missing, ", "),
			"allow user namespaces, or run as administrator; docs/explanation/sandbox.md explains each word")
		return
	}

	d.ok("isolation", "%s", strings.Join(words, ", "))
}

// reads says whether the words of a stage tell that what it read was recorded, and returns the others.
func (d *doctor) reads(e local.Executor, words []string) []string {
	if slices.Contains(words, engine.ReadsInKey) {
		d.ok("reads", engine.ReadsInKey+": what stages read besides their inputs is recorded and compared")
	} else {
		d.unrecorded(cmp.Or(e.Sandbox.Unrecorded(), "the system denies it, as some containers do"))
	}

	return slices.DeleteFunc(words, func(w string) bool { return w == engine.ReadsInKey || w == engine.ReadsNotInKey })
}

// unrecorded warns that what stages read is not recorded.
func (d *doctor) unrecorded(why string) {
	remedy := "declare what can change as an input, set image, or run stages in containers with --executor dagger; " +
		"docs/explanation/keys.md explains what a key covers"
	if why == sandbox.IsOff {
		remedy = "leave out --isolation off"
	}

	d.warn("reads", engine.ReadsNotInKey+": what stages read besides their inputs is not recorded, so that "+
		"a change of it is not noticed: "+why, remedy)
}

// secrets checks the sources of the stages' secrets.
func (d *doctor) secrets() {
	var seen []string
	for _, in := range d.session.plan.Instances {
		if in.Off != "" {
			continue
		}

		for _, s := range in.Secrets {
			if slices.Contains(seen, s.From) {
				continue
			}

			seen = append(seen, s.From)
			kind, from, _ := strings.Cut(s.From, ":")
			var err error
			if kind == "env" {
				if os.Getenv(from) == "" {
					err = fmt.Errorf("the environment variable %s is not set", from)
				}
			} else {
				if !filepath.IsAbs(from) {
					from = filepath.Join(d.session.plan.Root, from)
				}

				_, err = os.ReadFile(from)
			}

			if err != nil {
				d.fail("secret", err.Error(),
					"set the value there, or name another source with --var proxy_process.secret=env:NAME")
				continue
			}

			d.ok("secret", "%s is set", s.From)
		}
	}
}

// baseline checks that the gate has a baseline.
func (d *doctor) baseline() {
	plan := d.session.plan
	if plan.Baseline == "" {
		return
	}
	file := d.flags.baselineFile(plan)
	if _, err := os.Stat(file); err != nil {
		d.warn("baseline", "there is no "+file+", which the gate compares with",
			"create it, review it and commit it: "+d.flags.again(plan, "baseline", "update"))
		return
	}
	d.ok("baseline", "%s", file)
}

// inputOf returns the input of that name if it is a file or directory of the source tree.
func inputOf(in *pipeline.Instance, name string) (pipeline.Input, bool) {
	for _, input := range in.Inputs {
		if input.Name == name && len(input.Files) > 0 {
			return input, true
		}
	}
	return pipeline.Input{}, false
}
