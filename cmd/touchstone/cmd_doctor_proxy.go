//go:build !containers

package main

import (
	"context"
	"fmt"
	goversion "go/version"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// proxyParts describes the proxy under test of the pipeline.
type proxyParts struct {
	instance *pipeline.Instance
	adapter  string // path of the adapter, or empty
	source   string // directory of the source, or empty if nothing is built
	binary   string
	options  map[string]string
	build    []string
}

// proxyStage extracts the parts from the command of build-proxy.
func (d *doctor) proxyStage() (p proxyParts, ok bool) {
	i := slices.IndexFunc(d.session.plan.Instances,
		func(in *pipeline.Instance) bool { return in.Stage == "build-proxy" })
	if i < 0 {
		return p, false
	}

	p.instance = d.session.plan.Instances[i]
	p.options = map[string]string{}
	words := p.instance.Command
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "--":
			p.build = words[i+1:]
			i = len(words)
		case words[i] == "--binary" && i+1 < len(words):
			p.binary = words[i+1]
		case words[i] == "--option" && i+1 < len(words):
			name, value, _ := strings.Cut(words[i+1], "=")
			p.options[name] = value
		}
	}

	if in, ok := inputOf(p.instance, "adapter"); ok {
		p.adapter = in.Files[0].Source
	}

	if in, ok := inputOf(p.instance, "source"); ok {
		p.source = sourceDir(in)
	}

	return p, true
}

func (d *doctor) proxy(ctx context.Context, p proxyParts) {
	var a *adapter.Adapter
	if p.adapter != "" {
		var err error
		if a, err = adapter.ReadFile(p.adapter); err == nil {
			_, err = a.Run(adapter.Setting{Listen: "127.0.0.1:0", Options: p.options})
		}

		if err != nil {
			d.fail("adapter", err.Error(), "correct the reported problem")
			return
		}

		d.ok("adapter", "%s", a.Name)
		if a.Build != nil && p.source == "" {
			d.fail("proxy", fmt.Sprintf("adapter %s builds its proxy from source, but no source is given", a.Name),
				"name its checkout with --var proxy_source=DIR")
			return
		}

		if a.Build != nil && p.binary == "" {
			p.binary = a.Build.Binary
		}

		if a.Build != nil && len(p.build) == 0 {
			p.build = a.Build.Command
		}

		d.services(ctx, a, p)
	}

	switch {
	case p.source == "" && a == nil:
		d.ok("proxy", "the reference proxy, which is part of this program")
	case p.source == "":
		d.ok("proxy", "nothing needs to be built")
	case len(p.build) > 0:
		d.toolchain(ctx, p)
	default:
		d.prebuilt(p, a)
	}
}

// prebuilt checks the files of a proxy without a build command.
func (d *doctor) prebuilt(p proxyParts, a *adapter.Adapter) {
	wanted := []string{p.binary}
	remedy := "build it there as its own instructions say, give the command with --var 'proxy_build.command=[...]', " +
		"or name the existing file with --var proxy_build.binary=FILE"
	if a != nil {
		remedy = "build it there as its own instructions say, or give the command with --var " +
			"'proxy_build.command=[...]'; if only detectors need it, leave them out with --var 'proxy_detectors=[]'"
		for _, detector := range a.Detectors {
			if d.scores(detector.Name) {
				wanted = append(wanted, detector.Binary)
			}
		}
	}

	if a != nil && a.Build != nil {
		for _, name := range a.Build.Keep {
			if _, err := os.Stat(filepath.Join(p.source, name)); err != nil {
				d.fail("proxy", fmt.Sprintf("the source has no %s, and there is no build command", name), remedy)
			}
		}
	}

	slices.Sort(wanted)
	for _, name := range slices.Compact(wanted) {
		if name == "" {
			continue
		}

		info, err := os.Stat(filepath.Join(p.source, name))
		switch {
		case err != nil:
			d.fail("proxy", fmt.Sprintf("the source has no file %s, and there is no build command", name), remedy)
		case info.Mode().Perm()&0o111 == 0:
			d.fail("proxy", name+" in the source is not executable", "build it again, or set its mode")
		default:
			d.ok("proxy", "%s exists in its source", name)
		}
	}
}

// scores reports whether a stage uses the adapter's detector of that name.
func (d *doctor) scores(detector string) bool {
	return slices.ContainsFunc(d.session.plan.Instances, func(in *pipeline.Instance) bool {
		return slices.Contains(in.Command, "--adapted") && slices.Contains(in.Command, detector)
	})
}

var goDirective = lazyregexp.New(`(?m)^go[ \t]+(\d+(?:\.\d+)*)`)

// toolchain checks that the program that builds the proxy is on the PATH of the stage, and
// that a Go toolchain has the version that the source requires.
func (d *doctor) toolchain(ctx context.Context, p proxyParts) {
	path := engine.DefaultPath
	for _, v := range p.instance.Env {
		if v.Name == "PATH" {
			path = v.Value
		}
	}

	program := lookIn(path, p.build[0])
	if program == "" {
		d.fail("toolchain", fmt.Sprintf("%s, which builds the proxy, is not in %s", p.build[0], path),
			"install it, or give its absolute path")
		return
	}

	mod, err := os.ReadFile(filepath.Join(p.source, "go.mod"))
	wants := goDirective().FindSubmatch(mod)
	compiler := lookIn(path, "go")
	if err != nil || wants == nil || compiler == "" {
		if err == nil && compiler == "" {
			d.warn("toolchain", "the source is a Go module, but there is no go in "+path,
				"install Go there, unless the build supplies its own")
			return
		}

		d.ok("toolchain", "%s", program)
		return
	}

	cmd := exec.CommandContext(ctx, compiler, "env", "GOVERSION")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	has := strings.TrimPrefix(strings.TrimSpace(string(out)), "go")
	switch {
	case err != nil:
		d.fail("toolchain", fmt.Sprintf("%s env GOVERSION: %v", compiler, err), "repair the installation of Go")
	case goversion.Compare("go"+has, "go"+string(wants[1])) < 0:
		d.warn("toolchain", fmt.Sprintf("the source requires Go %s, but this is %s", wants[1], has),
			"install that version; go downloads it if GOTOOLCHAIN and the network allow it")
	default:
		d.ok("toolchain", "Go %s; the source requires %s", has, wants[1])
	}
}

func lookIn(path, name string) string {
	if filepath.IsAbs(name) {
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o111 != 0 {
			return name
		}

		return ""
	}

	for _, dir := range filepath.SplitList(path) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() &&
			info.Mode().Perm()&0o111 != 0 {
			return filepath.Join(dir, name)
		}
	}

	return ""
}

// services checks that the addresses in the adapter's options answer. Any answer is
// accepted, because only the proxy can tell whether it is correct.
func (d *doctor) services(ctx context.Context, a *adapter.Adapter, p proxyParts) {
	client := &http.Client{Timeout: 10 * time.Second}
	for _, o := range a.Options {
		url := p.options[o.Name]
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			continue
		}

		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err == nil {
			var resp *http.Response
			if resp, err = client.Do(req); err == nil {
				resp.Body.Close()
			}
		}

		if err != nil {
			d.fail("service", fmt.Sprintf("option %s: %v", o.Name, err),
				fmt.Sprintf("start the service, or give its address with --var proxy_options.%s=URL", o.Name))
			continue
		}

		d.ok("service", "%s answers", url)
	}

	if a.Network != "full" {
		return
	}

	for _, in := range d.session.plan.Instances {
		if in.Stage == "snapshot-index" && in.Network != pipeline.NetworkFull {
			d.fail("service", "the stages that start the proxy can only reach loopback, but its adapter needs the "+
				"network", "allow the network with --var proxy_process.network=full")
			return
		}
	}
}

// sourceDir returns the directory that an input copies. A link inside it leads to a file
// with another path, so sourceDir looks for a file that is not a link.
func sourceDir(in pipeline.Input) string {
	for _, f := range in.Files {
		if dir, ok := strings.CutSuffix(f.Source, filepath.FromSlash(f.Path)); ok {
			return dir
		}
	}
	return filepath.Dir(in.Files[0].Source)
}
