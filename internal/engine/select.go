package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// Selection chooses instances by stage name ("score-retrieval") or full name
// ("score-retrieval[run=1]"). All empty selects the whole plan but what runs on
// demand only.
type Selection struct {
	// Only selects these and nothing else.
	Only []string
	// From selects these and all that depends on them.
	From []string
	// Until selects these and all that they need.
	Until []string
}

// StaleError is an instance whose result a selected one reads, and which would
// have to run although it was not selected.
type StaleError struct{ Outcome *Outcome }

func (e *StaleError) Error() string {
	return fmt.Sprintf("%s is not up to date (%s) and was not selected; run it first with --until %s",
		e.Outcome.Instance, e.Outcome.Reasons[0], e.Outcome.Instance.Stage)
}

// selection is what a run does with one instance.
type selection int

const (
	// selectNothing leaves the instance alone.
	selectNothing selection = iota
	// selectHit needs the instance's stored result for a selected one and
	// may not execute it. An instance whose cache is off is executed instead.
	selectHit
	// selectRun brings the instance up to date.
	selectRun
)

// resolve decides for every instance of the plan. With several lists an
// instance has to be in each: --from A --until B is what lies between.
func (s Selection) resolve(plan *pipeline.Plan) ([]selection, error) {
	n := len(plan.Instances)
	chosen := make([]selection, n)
	for i := range chosen {
		chosen[i] = selectRun
	}
	keep := func(names []string, spread func([]bool)) error {
		if len(names) == 0 {
			return nil
		}
		in, err := match(plan, names)
		if err != nil {
			return err
		}
		spread(in)
		for i := range chosen {
			if !in[i] {
				chosen[i] = selectNothing
			}
		}
		return nil
	}
	if err := s.refuseOff(plan); err != nil {
		return nil, err
	}
	if err := keep(s.Only, func([]bool) {}); err != nil {
		return nil, err
	}
	if err := keep(s.From, func(in []bool) { dependents(plan, in) }); err != nil {
		return nil, err
	}
	if err := keep(s.Until, func(in []bool) { needed(plan, in, true) }); err != nil {
		return nil, err
	}
	if err := s.leaveOutOnDemand(plan, chosen); err != nil {
		return nil, err
	}
	if n > 0 && !slices.Contains(chosen, selectRun) {
		return nil, errors.New("no stage is in all of --only, --from and --until; leave one of them out")
	}
	required := make([]bool, n)
	for i := range chosen {
		required[i] = chosen[i] == selectRun
	}
	needed(plan, required, false)
	for i := range chosen {
		switch {
		case chosen[i] != selectNothing || !required[i]:
		case plan.Instances[i].Cache.Off:
			chosen[i] = selectRun // there never is a stored result
		default:
			chosen[i] = selectHit
		}
	}
	return chosen, nil
}

// needed adds everything upstream, with order also what is waited for without
// being read.
func needed(plan *pipeline.Plan, in []bool, order bool) {
	for i := len(in) - 1; i >= 0; i-- {
		if !in[i] {
			continue
		}
		for _, u := range plan.Instances[i].Upstream {
			in[u] = true
		}
		if order {
			for _, a := range plan.Instances[i].After {
				in[a] = true
			}
		}
	}
}

// dependents adds everything downstream.
func dependents(plan *pipeline.Plan, in []bool) {
	for i, inst := range plan.Instances {
		for _, u := range inst.Upstream {
			in[i] = in[i] || in[u]
		}
		for _, a := range inst.After {
			in[i] = in[i] || in[a]
		}
	}
}

// refuseOff reports a name that selects nothing but instances that are off.
func (s Selection) refuseOff(plan *pipeline.Plan) error {
	for _, name := range slices.Concat(s.Only, s.From, s.Until) {
		which, err := Find(plan, name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(which, func(i int) bool { return plan.Instances[i].Off == "" }) {
			return fmt.Errorf("stage %s is off and cannot be run: %s; set the variables that its condition reads", name, plan.Instances[which[0]].Off)
		}
	}
	return nil
}

// leaveOutOnDemand takes out the instances that run on demand only, unless they
// are named, or one that is named needs them or, with From, depends on them.
func (s Selection) leaveOutOnDemand(plan *pipeline.Plan, chosen []selection) error {
	if !slices.ContainsFunc(plan.Instances, func(in *pipeline.Instance) bool { return in.OnDemand }) {
		return nil
	}
	demanded, err := match(plan, slices.Concat(s.Only, s.From, s.Until))
	if err != nil {
		return err
	}
	needed(plan, demanded, true)
	from, err := match(plan, s.From)
	if err != nil {
		return err
	}
	for i, in := range plan.Instances {
		from[i] = from[i] && in.OnDemand
	}
	dependents(plan, from)
	for i, in := range plan.Instances {
		if in.OnDemand && !demanded[i] && !from[i] {
			chosen[i] = selectNothing
		}
	}
	return nil
}

func match(plan *pipeline.Plan, names []string) ([]bool, error) {
	in := make([]bool, len(plan.Instances))
	for _, name := range names {
		found := false
		for i, inst := range plan.Instances {
			if inst.Stage == name || inst.String() == name {
				in[i], found = true, true
			}
		}
		if !found {
			return nil, unknownName(plan, name)
		}
	}
	return in, nil
}

// unknownName says what there is instead: the instances of a stage, where only
// the instance is wrong, or else all stages.
func unknownName(plan *pipeline.Plan, name string) error {
	const most = 20
	stage, _, instance := strings.Cut(name, "[")
	var instances []string
	for _, inst := range plan.Instances {
		if inst.Stage == stage && len(inst.Matrix) > 0 {
			instances = append(instances, inst.String())
		}
	}
	if !instance || len(instances) == 0 {
		return fmt.Errorf("no stage is called %q; the stages are %s", name, strings.Join(StageNames(plan), ", "))
	}
	more := ""
	if len(instances) > most {
		more = fmt.Sprintf(" and %d more", len(instances)-most)
		instances = instances[:most]
	}
	return fmt.Errorf("stage %q has no instance %q; it has %s%s", stage, name, strings.Join(instances, ", "), more)
}

// Find returns the indexes of the instances that a name selects.
func Find(plan *pipeline.Plan, name string) ([]int, error) {
	in, err := match(plan, []string{name})
	if err != nil {
		return nil, err
	}
	var found []int
	for i, ok := range in {
		if ok {
			found = append(found, i)
		}
	}
	return found, nil
}

// StageNames lists the plan's stages in its order, each once.
func StageNames(plan *pipeline.Plan) []string {
	var names []string
	for i, in := range plan.Instances {
		if i == 0 || plan.Instances[i-1].Stage != in.Stage {
			names = append(names, in.Stage)
		}
	}
	return names
}
