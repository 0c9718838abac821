package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// toolName is what pipelines call this program.
const toolName = "touchstone"

const modulePath = "github.com/touchstone-eval/touchstone/"

// The files of the verbs that stages start, with all that they import.
const (
	proxyVerb    = "cmd/touchstone/proxy.go"
	replayVerb   = "cmd/touchstone/replay.go"
	detectorVerb = "cmd/touchstone/detector.go"
)

// startedVerbs are what a stage starts as processes of this same binary, which
// its imports do not show.
var startedVerbs = map[string][]string{
	"build-proxy":     {proxyVerb},
	"snapshot-index":  {proxyVerb, replayVerb},
	"score-retrieval": {proxyVerb, replayVerb},
	"score-security":  {detectorVerb},
	"score-mutations": {detectorVerb},
}

// tools resolves the programs of commands: touchstone itself to this binary,
// identified by the source of the stage that it is asked to run, by the whole
// binary for its other verbs, and anything else to the host's programs.
type tools struct {
	engine.HostTools
	mu     sync.Mutex
	stages map[string]engine.Tool
	self   os.FileInfo // this program's file when it was first resolved
}

// Check reports a program that was replaced during the run, this one included.
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
		id, err = sourceIdentity(stageRooms(stage)...)
	}
	if err != nil {
		return engine.Tool{}, err
	}
	tool := engine.Tool{ToolIdentity: pipeline.ToolIdentity{Name: strings.TrimSpace(toolName + " " + stage), Digest: id}, Path: self}
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

// stageRooms are the packages and files that a stage of ours begins in; without a stage
// name, all of them.
func stageRooms(stage string) []string {
	if stage == "" {
		return []string{"stages"}
	}
	return append([]string{"stages/" + strings.ReplaceAll(stage, "-", "")}, startedVerbs[stage]...)
}

// embeddedProxyIdentity is the identity of the reference proxy inside this
// binary.
func embeddedProxyIdentity() string {
	id, err := sourceIdentity(proxyVerb)
	if err != nil {
		panic(err) // the source is part of the binary: it cannot be missing
	}
	return id.String()
}

// sourceIdentity digests the source of some packages or files, of everything
// of ours that they import, of the versions of everything else (go.sum), and names
// the toolchain and the architecture, on which floating-point results may
// depend.
func sourceIdentity(rooms ...string) (cache.Digest, error) {
	files, err := sourceFiles(rooms)
	if err != nil {
		return cache.Digest{}, err
	}
	h := sha256.New()
	write := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	write([]byte(runtime.Version() + " " + runtime.GOARCH))
	for _, name := range append([]string{"go.mod", "go.sum"}, files...) {
		b, err := touchstone.Source.ReadFile(name)
		if err != nil {
			return cache.Digest{}, err
		}
		write([]byte(name))
		write(b)
	}
	return cache.Digest(h.Sum(nil)), nil
}

// sourceFiles lists the files of the rooms and of what they import.
func sourceFiles(rooms []string) ([]string, error) {
	seen := map[string]bool{}
	var files []string
	queue := slices.Clone(rooms)
	for len(queue) > 0 {
		room := queue[0]
		queue = queue[1:]
		if seen[room] {
			continue
		}
		seen[room] = true
		if strings.HasSuffix(room, ".go") {
			files = append(files, room)
			imports, err := ownImports(room)
			if err != nil {
				return nil, err
			}
			queue = append(queue, imports...)
			continue
		}
		entries, err := fs.ReadDir(touchstone.Source, room)
		if err != nil {
			return nil, fmt.Errorf("touchstone has no stage in %s; touchstone stage --help lists the stages", room)
		}
		for _, e := range entries {
			name := path.Join(room, e.Name())
			switch {
			case e.IsDir() && e.Name() != "testdata":
				queue = append(queue, name)
			case e.IsDir(), strings.HasSuffix(name, "_test.go"):
			case strings.HasSuffix(name, ".go"):
				queue = append(queue, name)
			default:
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

func ownImports(name string) ([]string, error) {
	b, err := touchstone.Source.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, spec := range f.Imports {
		if room, ok := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), modulePath); ok {
			own = append(own, room)
		}
	}
	return own, nil
}
