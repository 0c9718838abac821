package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// toolName is the name of this program in pipelines.
const toolName = "touchstone"

// The files of the commands that stages start; sourceIdentity adds their imports.
const (
	proxyVerb    = "cmd/touchstone/cmd_proxy.go"
	replayVerb   = "cmd/touchstone/cmd_replay.go"
	detectorVerb = "cmd/touchstone/cmd_detector.go"
)

// startedVerbs maps a stage to the commands of this binary that it starts as processes, which
// its imports do not include.
var startedVerbs = map[string][]string{
	"build-proxy":     {proxyVerb},
	"snapshot-index":  {proxyVerb, replayVerb},
	"score-retrieval": {proxyVerb, replayVerb},
	"score-selection": {proxyVerb, replayVerb},
	"score-security":  {detectorVerb},
	"score-mutations": {detectorVerb},
}

// tools resolves the programs of commands. touchstone itself resolves to this binary. It is
// identified by the source of the stage that it runs, and by the whole binary for other
// commands. Any other program is one of the host.
type tools struct {
	engine.HostTools
	mu     sync.Mutex
	stages map[string]engine.Tool
	self   os.FileInfo // this program's file when it was first resolved
}

// Check reports a program that was replaced during the run, including this one.
func (t *tools) Check(tool engine.Tool) error {
	t.mu.Lock()
	ours := slices.Contains(slices.Collect(maps.Values(t.stages)), tool)
	before := t.self
	t.mu.Unlock()
	if !ours {
		return t.HostTools.Check(tool)
	}

	now, err := os.Stat(tool.Path)
	if err != nil || !os.SameFile(before, now) || !before.ModTime().Equal(now.ModTime()) {
		return engine.ReplacedError(tool)
	}

	return nil
}

func (t *tools) Resolve(in *pipeline.Instance) (engine.Tool, error) {
	if in.Command[0] != toolName {
		return t.HostTools.Resolve(in)
	}

	stage := ""
	if len(in.Command) > 2 && in.Command[1] == "stage" {
		stage = in.Command[2]
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	if tool, ok := t.stages[stage]; ok {
		return tool, nil
	}

	self, err := os.Executable()
	if err != nil {
		return engine.Tool{}, fmt.Errorf("finding this program: %w", err)
	}

	var id cache.Digest
	if stage == "" {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			id, _, _, err = t.Index.File(self)
		}
	} else {
		id, err = sourceIdentity(stagePackages(stage)...)
	}

	if err != nil {
		return engine.Tool{}, err
	}

	tool := engine.Tool{ToolIdentity: pipeline.ToolIdentity{Name: strings.TrimSpace(toolName + " " + stage),
		Digest: id}, Path: self, Complete: true}
	if stage != "" {
		tool.Covered = self // other commands read files that their arguments name
	}

	if t.self == nil {
		if t.self, err = os.Stat(self); err != nil {
			return engine.Tool{}, fmt.Errorf("finding this program: %w", err)
		}
	}

	if t.stages == nil {
		t.stages = map[string]engine.Tool{}
	}

	t.stages[stage] = tool
	return tool, nil
}

// stagePackages returns the packages and files in which the source of a stage starts, or those of
// all stages if stage is empty.
func stagePackages(stage string) []string {
	if stage == "" {
		return []string{"stages"}
	}
	return append([]string{"stages/" + strings.ReplaceAll(stage, "-", "")}, startedVerbs[stage]...)
}

// embeddedProxyIdentity returns the identity of the reference proxy in this binary.
func embeddedProxyIdentity() string {
	id, err := sourceIdentity(proxyVerb)
	if err != nil {
		panic(err) // the source is part of the binary, so it cannot be missing
	}
	return id.String()
}
