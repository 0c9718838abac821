package engine_test

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// waiting makes an instance depend on others without reading their outputs.
func waiting(in *pipeline.Instance, after ...int) *pipeline.Instance {
	in.After = after
	return in
}

func initials(outcomes []*engine.Outcome) string {
	states := ""
	for _, o := range outcomes {
		states += string(o.State[0])
	}
	return states
}

// With an order without data, the second instance starts after the first has succeeded,
// is skipped if it failed, and does not become a miss if the first runs again.
func TestOrderWithoutData(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	first := w.source(sh("first", "cp in/a out/result"), "a", "a.txt")
	plan := w.plan(first, waiting(sh("second", "echo 2 > out/result"), 0), sh("third", "echo 3 > out/result"))
	if sum := w.mustRun(plan); sum.Executed != 3 {
		t.Fatalf("%+v", sum)
	}
	order := ""
	for _, e := range w.events {
		if e.Stage != "third" && (e.Event == engine.EventStart || e.Event == engine.EventDone) {
			order += e.Stage + " " + string(e.Event) + "; "
		}
	}
	if order != "first start; first done; second start; second done; " {
		t.Error(order)
	}
	w.write("a.txt", "2\n")
	if outcomes, _, err := w.run(plan, engine.RunOptions{}); err != nil || initials(outcomes) != "RHH" {
		t.Errorf("after an edit of what first reads: %s, %v", initials(outcomes), err)
	}
	first.Command = []string{"sh", "-c", "exit 1"}
	outcomes, _, err := w.run(plan, engine.RunOptions{KeepGoing: true})
	if err == nil || initials(outcomes) != "FSH" || outcomes[1].Cause != "first" {
		t.Errorf("after a failure: %s, cause %q, %v", initials(outcomes), outcomes[1].Cause, err)
	}
	for _, step := range []struct {
		s    engine.Selection
		want string
	}{
		{engine.Selection{Only: []string{"second"}}, "SHS"},
		{engine.Selection{Until: []string{"second"}}, "FSS"},
		{engine.Selection{From: []string{"first"}}, "FSS"},
	} {
		if outcomes, _, _ := w.run(plan, engine.RunOptions{Selection: step.s}); initials(outcomes) != step.want {
			t.Errorf("%+v: %s, want %s", step.s, initials(outcomes), step.want)
		}
	}
}

func TestInstancesThatAreOff(t *testing.T) {
	w := newWorld(t)
	off := &pipeline.Instance{Stage: "off", Off: "when = false (pipeline.hcl:1)", Outputs: []pipeline.Output{{Name: "result", Path: "out/result"}}}
	plan := w.plan(off, sh("on", "echo 1 > out/result"))
	outcomes, sum, err := w.run(plan, engine.RunOptions{})
	if err != nil || initials(outcomes) != "OR" || sum.Selected != 1 || sum.Executed != 1 || outcomes[0].Reasons[0] != off.Off {
		t.Errorf("%s, %+v, %v", initials(outcomes), sum, err)
	}
	seen := false
	for _, e := range w.events {
		seen = seen || e.Event == engine.EventOff && e.Stage == "off" && e.Reasons[0] == off.Off
	}
	if !seen {
		t.Error("no event says that the stage is off")
	}
	for _, s := range []engine.Selection{{Only: []string{"off"}}, {From: []string{"on", "off"}}, {Until: []string{"off"}}} {
		if _, _, err := w.run(plan, engine.RunOptions{Selection: s}); err == nil || !strings.Contains(err.Error(), "stage off is off and cannot run: when = false (pipeline.hcl:1)") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if outcomes, err := w.engine.Evaluate(t.Context(), plan); err != nil || initials(outcomes) != "OH" || !outcomes[0].Key.IsZero() {
		t.Errorf("%s, %v", initials(outcomes), err)
	}
}

func TestInstancesOnDemand(t *testing.T) {
	w := newWorld(t)
	demand := func(in *pipeline.Instance) *pipeline.Instance { in.OnDemand = true; return in }
	plan := w.plan(
		sh("base", "echo 1 > out/result"),
		demand(after(sh("refresh", "cp in/u out/result"), "u", 0)),
		demand(after(sh("check", "cp in/u out/result"), "u", 1)),
		after(sh("gate", "cp in/u out/result"), "u", 0),
	)
	for _, step := range []struct {
		s    engine.Selection
		want string
	}{
		{engine.Selection{}, "RSSR"},
		{engine.Selection{From: []string{"base"}}, "HSSH"},
		{engine.Selection{Only: []string{"refresh"}}, "HRSS"},
		{engine.Selection{Until: []string{"check"}}, "HHRS"},
		{engine.Selection{From: []string{"refresh"}}, "HHHS"},
		{engine.Selection{}, "HSSH"},
	} {
		outcomes, _, err := w.run(plan, engine.RunOptions{Selection: step.s})
		if err != nil || initials(outcomes) != step.want {
			t.Errorf("%+v: %s, want %s; %v", step.s, initials(outcomes), step.want, err)
		}
	}
	outcomes, err := w.engine.Evaluate(t.Context(), plan)
	if err != nil || initials(outcomes) != "HSSH" || !strings.Contains(outcomes[1].Reasons[0], "--only refresh") {
		t.Errorf("%s %v, %v", initials(outcomes), outcomes[1].Reasons, err)
	}
	if x, err := w.engine.Explain(t.Context(), plan, []int{2}); err != nil || x[0].Status != engine.Hit {
		t.Errorf("%+v, %v", x, err)
	}
}
