package main

import (
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestDescribeChanges(t *testing.T) {
	before := []contracts.MadeWith{
		{Stage: "build-proxy", Component: "tool.touchstone build-proxy", SHA256: "1"},
		{Stage: "score-retrieval", Component: "command", SHA256: "1"},
		{Stage: "score-retrieval", Component: "tool.touchstone score-retrieval", SHA256: "1"},
		{Stage: "score-security", Component: "input.detector", SHA256: "1"},
		{Stage: "score-selection", Component: "tool.touchstone score-selection", SHA256: "1"},
		{Stage: "validate-datasets", Component: "command", SHA256: "1"},
		{Stage: "validate-datasets", Component: "input.golden", SHA256: "1"},
	}
	name := func(stage, component string) string {
		return map[string]string{"validate-datasets input.golden": "datasets/golden_v2.json"}[stage+" "+component]
	}
	if got := describeChanges(before, before, name); len(got) != 0 {
		t.Errorf("the same differs: %q", got)
	}
	now := slices.Clone(before)
	for i := range now {
		now[i].SHA256 = "2"
	}
	want := []string{
		"proxy: program of build-proxy, score-retrieval; settings of score-retrieval",
		"scanner: score-security input.detector",
		"data: datasets/golden_v2.json",
		"pipeline: program of score-selection; settings of validate-datasets",
	}
	if got := describeChanges(before, now, name); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// A stage that is new or gone has changed.
	if got := describeChanges(before, before[1:], name); !slices.Equal(got, []string{"proxy: program of build-proxy"}) {
		t.Errorf("%q", got)
	}
	if got := describeChanges(before[1:], before, name); !slices.Equal(got, []string{"proxy: program of build-proxy"}) {
		t.Errorf("%q", got)
	}
}

func TestFirstRuns(t *testing.T) {
	instance := func(stage string, matrix ...pipeline.AxisValue) *pipeline.Instance {
		return &pipeline.Instance{Stage: stage, Matrix: matrix}
	}
	run := func(n string) pipeline.AxisValue { return pipeline.AxisValue{Axis: "run", Value: n} }
	with := func(detector string) pipeline.AxisValue {
		return pipeline.AxisValue{Axis: "detector", Value: detector}
	}
	instances := []*pipeline.Instance{
		instance("validate-datasets"),
		instance("score-retrieval", run("1")), instance("score-retrieval", run("2")),
		instance("score-security", with("scanner"), run("1")), instance("score-security", with("scanner"), run("2")),
		instance("score-security", with("keywords"), run("1")), instance("score-security", with("keywords"), run("2")),
		instance("render"),
	}
	needed := []bool{true, true, true, true, true, true, true, false}
	want := []bool{true, true, false, true, false, true, false, false}
	if got := firstRuns(instances, needed); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
