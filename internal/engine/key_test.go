package engine

import (
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// TestInputsOfJobs checks that Job.Inputs differs if the trees differ, because executors
// may share one tree between all jobs with the same Job.Inputs.
func TestInputsOfJobs(t *testing.T) {
	file := func(path string) []pipeline.SourceFile { return []pipeline.SourceFile{{Path: path}} }
	content := cache.Digest{1}
	inputs := func(d cache.Digest, in ...pipeline.Input) cache.Digest {
		o := &Outcome{Instance: &pipeline.Instance{Inputs: in}}
		for _, i := range in {
			o.components = append(o.components, pipeline.KeyComponent{Name: pipeline.InputPrefix + i.Name, Digest: d})
		}
		return o.inputs()
	}
	one := pipeline.Input{Name: "data", Path: "in/data.json", Files: file("")}
	if again := one; inputs(content, one) != inputs(content, again) {
		t.Error("the same inputs are not the same")
	}
	elsewhere, tree, other, more := one, one, one, one
	elsewhere.Path = "in/other.json"
	tree.Tree = true
	other.Files = file("a.json")
	more.From = []pipeline.UpstreamFile{{Path: "b.json"}}
	seen := map[cache.Digest]string{inputs(content, one): "one", inputs(cache.Digest{2}, one): "other content"}
	for name, in := range map[string]pipeline.Input{"another path": elsewhere, "a directory": tree, "another member": other, "a member more": more} {
		d := inputs(content, in)
		if seen[d] != "" {
			t.Errorf("%s is the same as %s", name, seen[d])
		}
		seen[d] = name
	}
	if len(seen) != 6 || seen[inputs(content, one, elsewhere)] != "" {
		t.Error("a second input changes nothing")
	}
}
