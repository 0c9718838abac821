package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// system is a proxy with its options: a row of each table.
type system struct {
	name    string
	adapter string            // below adapters/; empty for the reference proxy
	options map[string]string // of the adapter
	source  string            // the directory in -sources; empty if there is nothing to build
	// version is what readers know the source by. commit is the beginning of its commit,
	// or empty for a package of npm, whose version the lock file has.
	version, commit, npm string
	// what says how the system differs from a row with the same proxy.
	what string
	// model is set if the system needs the sentence model of -model.
	model bool
	// timesOnly leaves the system out of the ranking, where it equals another row.
	timesOnly bool
}

// floor is the system that answers each query with the first tools that it has. Its times
// are those of a client, of MCP and of an answer.
const floor = "all-tools"

// baseSystem is the system that the others are compared with.
const baseSystem = "reference"

// systems are the rows. A proxy of others has a row with its documented defaults, and where
// its documentation has a setting that finds more or costs less, one with that.
var systems = []system{
	{name: baseSystem, what: "Touchstone's own"},
	{name: "reference hybrid", what: "with a sentence model", model: true},
	{name: "reference by adapter", adapter: "reference", what: "it starts its servers as processes", timesOnly: true},
	{name: "bm25-stemmed", adapter: "bm25-stemmed", what: "no proxy"},
	{name: "bare-mcp", adapter: "bare-mcp", what: "no proxy"},
	{name: "dense", adapter: "dense", what: "no proxy; a sentence model", model: true},
	{name: floor, adapter: floor, what: "no search"},
	{
		name: "mcpproxy", adapter: "mcpproxy", source: "mcpproxy-go", version: "20a3e509", commit: "20a3e5094ad6",
		what: "defaults",
	},
	{
		name: "mcpproxy compact", adapter: "mcpproxy", source: "mcpproxy-go", version: "20a3e509",
		commit: "20a3e5094ad6", options: map[string]string{"response_mode": "compact"}, what: "short answers",
	},
	{
		name: "mcp-gateway", adapter: "mcp-gateway", source: "mcp-gateway", version: "1.4.0", commit: "bb1207517187",
		what: "defaults",
	},
	{
		name: "meta-mcp-proxy", adapter: "meta-mcp-proxy", source: "meta-mcp-proxy", version: "1.6.0",
		commit: "6c10f1be28e0", options: map[string]string{"limit": "5"}, what: "defaults: 5 results",
	},
	{
		name: "meta-mcp-proxy 10", adapter: "meta-mcp-proxy", source: "meta-mcp-proxy", version: "1.6.0",
		commit: "6c10f1be28e0", options: map[string]string{"limit": "10"}, what: "`discoverLimit` 10",
	},
	{
		name: "slop-mcp", adapter: "slop-mcp", source: "slop-mcp", version: "0.15.0",
		npm: "@standardbeagle/slop-mcp", what: "defaults",
	},
	{
		name: "toolhive-vmcp", adapter: "toolhive-vmcp", source: "toolhive", version: "e25de16c", commit: "e25de16c",
		what: "defaults: 8 results, without embeddings",
	},
	{
		name: "pleaseai-mcp-gateway", adapter: "pleaseai-mcp-gateway", source: "pleaseai-mcp-gateway",
		version: "cb4f094b", commit: "cb4f094b9f7d", what: "defaults: BM25",
	},
	{
		name: "tool-hub-mcp", adapter: "tool-hub-mcp", source: "tool-hub-mcp", version: "1.2.0",
		commit: "6aba1b38afd3", what: "defaults",
	},
}

// choose returns the systems with these names, separated by commas, and the reference proxy
// and the floor, which the others are compared with.
func choose(all []system, names string) ([]system, error) {
	if names == "" {
		return all, nil
	}

	wanted := strings.Split(names, ",")
	for _, name := range wanted {
		if !slices.ContainsFunc(all, func(s system) bool { return s.name == name }) {
			return nil, fmt.Errorf("-systems %q: there is no system %q", names, name)
		}
	}

	var chosen []system
	for _, s := range all {
		if s.name == baseSystem || s.name == floor || slices.Contains(wanted, s.name) {
			chosen = append(chosen, s)
		}
	}

	return chosen, nil
}

// command is what a reader runs for the figures of the system on a dataset.
func (s system) command(on dataset) string {
	words := []string{"touchstone gate"}
	if on.variable != "" {
		words = append(words, "--var data="+on.variable)
	}

	if s.adapter != "" {
		words = append(words, "--var proxy="+s.adapter)
	}

	if s.source != "" {
		words = append(words, "--var proxy_source=../"+s.source)
	}

	if s.model {
		words = append(words, `--var proxy_model="$(touchstone models path)"`)
	}

	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		words = append(words, fmt.Sprintf("--var proxy_options.%s=%s", name, s.options[name]))
	}

	return strings.Join(words, " ")
}

// check fails unless the source is there at the pinned version, and the sentence model if the system needs one.
func (s system) check(ctx context.Context, sources, model string) error {
	if s.model && model == "" {
		return errors.New("it needs a sentence model, see -model")
	}

	if s.source == "" {
		return nil
	}

	dir := filepath.Join(sources, s.source)
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("%s is not in the directory of -sources", s.source)
	}

	if s.npm != "" {
		return checkLock(filepath.Join(dir, "package-lock.json"), s.npm, s.version)
	}

	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("find the commit of %s: %w", s.source, err)
	}

	if !strings.HasPrefix(string(out), s.commit) {
		return fmt.Errorf("%s is at commit %.12s, and the pinned one is %s", s.source, out, s.commit)
	}

	return nil
}
