package engine_test

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

func TestSelection(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	plan := w.plan(
		w.source(sh("a", "cp in/a out/result"), "a", "a.txt"),
		after(sh("b", "cp in/u out/result"), "u", 0),
		after(sh("c", "cp in/u out/result"), "u", 1),
		sh("d", "echo d > out/result"),
	)
	run := func(s engine.Selection) (string, error) {
		outcomes, _, err := w.run(plan, engine.RunOptions{Selection: s})
		states := ""
		for _, o := range outcomes {
			states += string(o.State[0])
		}
		return states, err
	}
	if _, err := run(engine.Selection{Only: []string{"b"}}); err == nil || !strings.Contains(err.Error(), "run it first with --until a") {
		t.Errorf("only b on an empty store: %v", err)
	}
	for _, step := range []struct {
		s    engine.Selection
		want string
	}{
		{engine.Selection{Until: []string{"b"}}, "RRSS"},
		{engine.Selection{Only: []string{"c"}}, "HHRS"},
		{engine.Selection{From: []string{"b"}}, "HHHS"},
		{engine.Selection{}, "HHHR"},
	} {
		if got, err := run(step.s); err != nil || got != step.want {
			t.Errorf("%+v: states %s, want %s; %v", step.s, got, step.want, err)
		}
	}
	if _, err := run(engine.Selection{Only: []string{"nope"}}); err == nil || !strings.Contains(err.Error(), "the stages are a, b, c, d") {
		t.Errorf("unknown stage: %v", err)
	}
}
