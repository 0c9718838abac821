package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// A baseline records what its figures were measured with: for each stage that they depend on, the
// digests of its command, its program and its files. A later report can then name what changed,
// also on a machine whose cache has never seen the run of the baseline.

// aggregateStage is the stage whose output contains the figures.
const aggregateStage = "aggregate"

// measuredWith returns the digests for the figures, sorted. It leaves out stages whose
// results are not up to date.
func (s *session) measuredWith(ctx context.Context) ([]contracts.MadeWith, error) {
	outcomes, err := s.engine.Evaluate(ctx, s.plan)
	if err != nil {
		return nil, err
	}

	needed := firstRuns(s.plan.Instances, s.upstreamOf(aggregateStage))
	parts := map[contracts.MadeWith][]string{} // without a digest
	for i, o := range outcomes {
		if !needed[i] {
			continue
		}

		for _, c := range o.Components() {
			if c.Name == "command" || strings.HasPrefix(c.Name, "tool.") || ownFiles(o.Instance, c.Name) != nil {
				p := contracts.MadeWith{Stage: o.Instance.Stage, Component: c.Name}
				parts[p] = append(parts[p], o.Instance.Name()+"\x00"+c.Digest.String())
			}
		}
	}

	made := make([]contracts.MadeWith, 0, len(parts))
	for p, digests := range parts {
		slices.Sort(digests)
		sum := sha256.Sum256([]byte(strings.Join(digests, "\x00")))
		p.SHA256 = hex.EncodeToString(sum[:])
		made = append(made, p)
	}

	slices.SortFunc(made, func(a, b contracts.MadeWith) int {
		return cmp.Or(strings.Compare(a.Stage, b.Stage), strings.Compare(a.Component, b.Component))
	})
	return made, nil
}

// upstreamOf returns the instances on which a stage depends, without its own.
func (s *session) upstreamOf(stage string) []bool {
	needed := make([]bool, len(s.plan.Instances))
	// Every instance comes after those that it depends on.
	for i, in := range slices.Backward(s.plan.Instances) {
		if in.Stage != stage && !needed[i] {
			continue
		}
		for _, u := range in.Upstream {
			needed[u] = true
		}
	}
	return needed
}

// runAxis is the axis whose values number the runs of the same measurement.
const runAxis = "run"

// firstRuns returns needed without the further runs of a measurement, so that the number of
// runs changes no digest.
func firstRuns(instances []*pipeline.Instance, needed []bool) []bool {
	first := make([]bool, len(needed))
	seen := map[string]bool{}
	for i, in := range instances {
		if !needed[i] {
			continue
		}

		measurement := in.Stage
		for _, v := range in.Matrix {
			if v.Axis != runAxis {
				measurement += "\x00" + v.Axis + "=" + v.Value
			}
		}

		first[i] = !seen[measurement]
		seen[measurement] = true
	}

	return first
}

// ownFiles returns the input of a component of the key if it consists of files of the source
// tree, or nil.
func ownFiles(in *pipeline.Instance, component string) *pipeline.Input {
	name, ok := strings.CutPrefix(component, pipeline.InputPrefix)
	for i := range in.Inputs {
		if input := &in.Inputs[i]; ok && input.Name == name && len(input.Files) > 0 && len(input.From) == 0 {
			return input
		}
	}
	return nil
}

// changedSince lists what changed since the baseline, one line for each of proxy, scanner, data and
// the rest of the pipeline. It returns nil for a pipeline
// without a baseline.
func (s *session) changedSince(ctx context.Context) []string {
	if s.plan.Baseline == "" {
		return nil
	}

	file := s.plan.Baseline
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.plan.Root, filepath.FromSlash(file))
	}

	var b contracts.Baseline
	text, err := contracts.ReadBytes(file)
	if err == nil {
		err = jsonFields(text, map[string]any{"version": &b.Version, "made_with": &b.MadeWith})
	}

	if err != nil || b.Version == "" {
		return nil // a verdict without a readable baseline is not by these contracts
	}

	if len(b.MadeWith) == 0 {
		return []string{fmt.Sprintf("%s does not record what it was measured with; the next %s baseline update adds "+
			"that", b.Version, toolName)}
	}

	now, err := s.measuredWith(ctx)
	if err != nil {
		return nil
	}

	lines := describeChanges(b.MadeWith, now, s.inputName)
	if len(lines) == 0 {
		return []string{"nothing: proxy, scanner, data and pipeline are those of " + b.Version}
	}

	return lines
}

// inputName returns the name of the files of a stage's input.
func (s *session) inputName(stage, component string) string {
	for _, in := range s.plan.Instances {
		if in.Stage != stage {
			continue
		}
		if input := ownFiles(in, component); input != nil {
			return s.sourceOf(nil, input)
		}
	}
	return ""
}

// groups assigns the stages to what they measure. Any other stage is part of the pipeline.
var groups = map[string]string{
	"build-proxy": "proxy", "snapshot-index": "proxy", "score-retrieval": "proxy",
	"score-security": "scanner", "score-mutations": "scanner", "validate-datasets": "data",
}

// describeChanges compares two lists of digests, and names what differs by group.
func describeChanges(before, now []contracts.MadeWith, inputName func(stage, component string) string) []string {
	digests := map[contracts.MadeWith][2]string{}
	for i, list := range [][]contracts.MadeWith{before, now} {
		for _, m := range list {
			at := contracts.MadeWith{Stage: m.Stage, Component: m.Component}
			both := digests[at]
			both[i] = m.SHA256
			digests[at] = both
		}
	}

	found := map[string]map[string][]string{} // group -> what -> stages or names
	for at, both := range digests {
		if both[0] == both[1] {
			continue
		}

		group := cmp.Or(groups[at.Stage], "pipeline")
		what, name := "settings of", at.Stage
		switch {
		case strings.HasPrefix(at.Component, "tool."):
			what = "program of"
		case at.Component != "command":
			what, name = "", cmp.Or(inputName(at.Stage, at.Component), at.Stage+" "+at.Component)
		case group == "data":
			group = "pipeline"
		}

		if found[group] == nil {
			found[group] = map[string][]string{}
		}

		found[group][what] = append(found[group][what], name)
	}

	var lines []string
	for _, group := range []string{"proxy", "scanner", "data", "pipeline"} {
		var parts []string
		for _, what := range []string{"", "program of", "settings of"} {
			names := found[group][what]
			slices.Sort(names)
			if names = slices.Compact(names); len(names) > 0 {
				parts = append(parts, strings.TrimSpace(what+" "+strings.Join(names, ", ")))
			}
		}

		if len(parts) > 0 {
			lines = append(lines, group+": "+strings.Join(parts, "; "))
		}
	}

	return lines
}
