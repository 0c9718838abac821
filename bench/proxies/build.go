package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// bencher measures systems with a build of touchstone in a temporary directory.
type bencher struct {
	options
	dir, tool string
	built     []subject
}

// subject is a system that was built, or the reason why it was not.
type subject struct {
	system
	dir     string // of its files
	problem error
}

func (s subject) path(name string) string { return filepath.Join(s.dir, name) }

// proxy is the directory that build-proxy wrote.
func (s subject) proxy() string { return s.path("proxy") }

// build builds all systems. A failure is part of the tables, and no error.
func (b *bencher) build(ctx context.Context, chosen []system) error {
	for i, s := range chosen {
		made := subject{system: s, dir: filepath.Join(b.dir, "system-"+strconv.Itoa(i))}
		if err := os.Mkdir(made.dir, 0o755); err != nil {
			return err
		}

		fmt.Fprintln(os.Stderr, "building", s.name)
		if made.problem = s.check(ctx, b.sources, b.model); made.problem == nil {
			made.problem = b.stage(ctx, "build-proxy", b.buildFlags(made)...)
		}

		if ctx.Err() != nil {
			return ctx.Err()
		}

		b.built = append(b.built, made)
	}

	return nil
}

func (b *bencher) buildFlags(s subject) []string {
	flags := []string{"--out", s.proxy(), "--detectors", s.path("detectors")}
	if s.model {
		flags = append(flags, "--model", b.model)
	}

	if s.adapter == "" {
		return flags
	}

	flags = append(flags, "--adapter", filepath.Join("adapters", s.adapter+".hcl"))
	if s.source != "" {
		flags = append(flags, "--source", filepath.Join(b.sources, s.source))
	}

	for _, name := range slices.Sorted(maps.Keys(s.options)) {
		flags = append(flags, "--option", name+"="+s.options[name])
	}

	return flags
}

// stage runs a stage of the evaluation. The error has the first line of its message.
func (b *bencher) stage(ctx context.Context, name string, flags ...string) error {
	out, err := exec.CommandContext(ctx, b.tool, append([]string{"stage", name}, flags...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, firstLine(string(out)))
	}
	return nil
}

// firstLine returns the first line of touchstone's message, which follows its progress, or else the first line with
// text.
func firstLine(text string) string {
	if _, message, ok := strings.Cut("\n"+text, "\ntouchstone: "); ok {
		text = message
	}

	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "it printed nothing"
}

// checkLock fails unless a lock file of npm has the package at this version.
func checkLock(file, name, version string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}

	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}

	locked, ok := lock.Packages["node_modules/"+name]
	switch {
	case !ok:
		return errors.New(name + " is not in " + filepath.Base(file))
	case locked.Version != version:
		return fmt.Errorf("%s is at version %s, and the pinned one is %s", name, locked.Version, version)
	}

	return nil
}
