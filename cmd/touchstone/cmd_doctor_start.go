//go:build !containers

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// proxyStart is how an adapter starts its proxy. Values that are only known at a start
// are placeholders in braces.
type proxyStart struct {
	Command     []string          `json:"command"`
	Env         map[string]string `json:"env"`
	Directories []string          `json:"directories"`
	Files       map[string]string `json:"files"`
}

// start evaluates the start block of the adapter with the servers of the pipeline's
// corpus. If home is not empty, it writes the files there. Problems become findings.
func (d *doctor) start(home string) *proxyStart {
	p, ok := d.proxyStage()
	if !ok || p.adapter == "" {
		d.warn("start", "the proxy has no adapter, so its configuration is that of the proxy contract",
			"see docs/reference/proxy-contract.md")
		return nil
	}

	a, err := adapter.ReadFile(p.adapter)
	if err != nil {
		return nil // already reported
	}

	if a.Contract == adapter.Native {
		d.warn("start", "adapter "+a.Name+" uses the proxy contract, which defines the arguments and the "+
			"configuration, so neither is shown", "see docs/reference/proxy-contract.md")
		home = ""
	}

	corpus, err := d.corpus()
	if err != nil {
		d.fail("start", err.Error(), "correct the corpus")
		return nil
	}

	launch, err := rendered(a, p, corpus, home)
	if err != nil {
		d.fail("start", err.Error(), "correct the reported problem")
		return nil
	}

	start := &proxyStart{Command: launch.Argv, Env: launch.Env, Directories: launch.Directories,
		Files: map[string]string{}}
	for name, content := range launch.Files {
		start.Files[filepath.ToSlash(name)] = string(content)
	}

	if home != "" {
		d.ok("start", "the configuration is in %s", home)
	}

	return start
}

// rendered evaluates the start block, and writes the files into home unless it is empty.
func rendered(a *adapter.Adapter, p proxyParts, corpus contracts.Corpus, home string) (adapter.Launch, error) {
	if home == "" {
		return launchOf(a, p, corpus, "{home}")
	}

	at, err := filepath.Abs(home)
	if err != nil {
		return adapter.Launch{}, err
	}

	launch, err := launchOf(a, p, corpus, at)
	if err != nil {
		return launch, err
	}

	if _, err := undertest.KeptHome(at); err != nil {
		return launch, err
	}

	return launch, undertest.WriteHome(at, launch)
}

// launchOf evaluates the start block with placeholders.
func launchOf(a *adapter.Adapter, p proxyParts, corpus contracts.Corpus, home string) (adapter.Launch, error) {
	setting := adapter.Setting{
		Home: home, Binary: "{binary}", Touchstone: "touchstone", Model: "{model}", Listen: "127.0.0.1:{port}",
		Token: "{token}", Secret: "{secret}", Tools: len(corpus.Tools), Options: p.options,
	}
	for i, name := range replay.ServerNames(corpus) {
		setting.Upstreams = append(setting.Upstreams, contracts.Upstream{
			Name: name, Command: []string{"touchstone", "replay", "--corpus", "{corpus}", "--server", name},
			URL: fmt.Sprintf("http://127.0.0.1:{port}/%d/mcp", i),
		})
	}

	run, err := a.Run(setting)
	if err != nil {
		return adapter.Launch{}, err
	}

	return run.Launch()
}

// corpus reads the corpus of the pipeline, which is an input of validate-datasets.
func (d *doctor) corpus() (contracts.Corpus, error) {
	for _, in := range d.session.plan.Instances {
		if given, ok := inputOf(in, "corpus"); ok && len(given.Files) == 1 {
			return contracts.Read[contracts.Corpus](given.Files[0].Source)
		}
	}
	return contracts.Corpus{}, errors.New("no stage of the pipeline has an input corpus with one file, so the " +
		"servers are unknown")
}

// print writes the start for a person. A nil start writes nothing.
func (s *proxyStart) print(w io.Writer) {
	if s == nil {
		return
	}

	fmt.Fprintf(w, "\nThe proxy would be started with the command:\n  %s\n", strings.Join(s.Command, " "))
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		fmt.Fprintf(w, "  env %s=%s\n", name, s.Env[name])
	}

	for _, name := range s.Directories {
		fmt.Fprintf(w, "  directory {home}/%s\n", name)
	}

	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		content := []byte(s.Files[name])
		var indented bytes.Buffer
		if json.Indent(&indented, content, "", "  ") == nil {
			content = indented.Bytes()
		}

		fmt.Fprintf(w, "\n{home}/%s:\n%s\n", name, content)
	}
}
