package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Selection selects instances by the name of the stage ("score-retrieval"), the full
// name ("score-retrieval[run=1]") or the name of an include. An empty Selection selects all instances except those
// that only run on demand.
type Selection struct {
	// Only selects these instances.
	Only []string
	// From selects these instances and all that depend on them.
	From []string
	// Until selects these instances and all that they depend on.
	Until []string
}

// StaleError is the error for an instance that a selected instance reads, and that is not
// up to date but was not selected.
type StaleError struct {
	Outcome *Outcome
	// Reader is the first selected instance that needs it.
	Reader string
}

func (e *StaleError) Error() string {
	if failed := e.Outcome.failed; failed != "" {
		return fmt.Sprintf("%s cannot run: %s %s; run it again with --until %s", e.Reader, e.Outcome.Instance, failed,
			e.Outcome.Instance.Stage)
	}

	return fmt.Sprintf("%s is not up to date (%s) and was not selected; run it first with --until %s",
		e.Outcome.Instance, e.Outcome.Reasons[0], e.Outcome.Instance.Stage)
}

// selection is the action of a run for one instance.
type selection int

const (
	// selectNothing ignores the instance.
	selectNothing selection = iota
	// selectHit uses the stored result of the instance for a selected instance,
	// and must not execute it, unless its cache is off.
	selectHit
	// selectRun brings the instance up to date.
	selectRun
)

// resolve returns the action for every instance of the plan. With several lists, an
// instance must be in each: --from A --until B selects the instances between A and B.
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
		return nil, errors.New("no stage is selected by all of --only, --from and --until; omit one of them")
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
			chosen[i] = selectRun // it never has a stored result
		default:
			chosen[i] = selectHit
		}
	}

	return chosen, nil
}

// needed adds all upstream instances. If order is true, it also adds the instances in
// depends_on.
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

// dependents adds all downstream instances.
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

// refuseOff returns an error for a name that only selects instances that are off.
func (s Selection) refuseOff(plan *pipeline.Plan) error {
	for _, name := range slices.Concat(s.Only, s.From, s.Until) {
		which, err := Find(plan, name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(which, func(i int) bool { return plan.Instances[i].Off == "" }) {
			return fmt.Errorf("stage %s is off and cannot run: %s; change what its condition reads, such as a "+
				"variable or a file", name, plan.Instances[which[0]].Off)
		}
	}
	return nil
}

// leaveOutOnDemand removes the instances that only run on demand, unless they are named, a
// named instance needs them, or, with From, they depend on a named instance.
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
			if inst.Stage == name || inst.String() == name || includedAs(inst, name) {
				in[i], found = true, true
			}
		}

		if !found {
			return nil, unknownName(plan, name)
		}
	}

	return in, nil
}

// includedAs reports whether an instance belongs to an include. The name of an include does not name stages that only
// run on demand.
func includedAs(in *pipeline.Instance, name string) bool {
	rest, ok := strings.CutPrefix(in.Stage, name)
	if !ok || in.OnDemand {
		return false
	}

	if strings.HasPrefix(rest, "[") { // the include has a matrix, and the name selects all its instances
		_, rest, _ = strings.Cut(rest, "]")
	}

	return strings.HasPrefix(rest, "/")
}

// unknownName returns an error that lists the existing names: the instances of the stage
// if only the instance is wrong, or else all stages.
func unknownName(plan *pipeline.Plan, name string) error {
	const most = 20
	stage, _, instance := pipeline.CutInstance(name)
	var instances []string
	for _, inst := range plan.Instances {
		if inst.Stage == stage && len(inst.Matrix) > 0 {
			instances = append(instances, inst.String())
		}
	}

	if !instance || len(instances) == 0 {
		names := StageNames(plan)
		near := onlyIncluded(names, name)
		if near == "" {
			near = closest.To(name, slices.Concat(names, includeNames(names)))
		}

		if near != "" {
			return fmt.Errorf("there is no stage %q; did you mean %q?", name, near)
		}

		return fmt.Errorf("there is no stage %q; the stages are %s", name, strings.Join(names, ", "))
	}

	more := ""
	if len(instances) > most {
		more = fmt.Sprintf(" and %d more", len(instances)-most)
		instances = instances[:most]
	}

	return fmt.Errorf("stage %q has no instance %q; it has %s%s", stage, name, strings.Join(instances, ", "), more)
}

// onlyIncluded returns the only stage of an include that has a name in its own file, or "".
func onlyIncluded(stages []string, name string) string {
	found := ""
	for _, s := range stages {
		if !strings.HasSuffix(s, "/"+name) {
			continue
		}

		if found != "" {
			return ""
		}

		found = s
	}

	return found
}

// includeNames lists the includes that stages belong to and the instances of those with a matrix, each once.
func includeNames(stages []string) []string {
	var names []string
	for _, s := range stages {
		for i := range s {
			if s[i] != '/' {
				continue
			}

			whole, _, _ := pipeline.CutInstance(s[:i])
			for _, name := range []string{whole, s[:i]} {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}

	return names
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

// StageNames lists the stages in the order of the plan, each once.
func StageNames(plan *pipeline.Plan) []string {
	var names []string
	for i, in := range plan.Instances {
		if i == 0 || plan.Instances[i-1].Stage != in.Stage {
			names = append(names, in.Stage)
		}
	}
	return names
}
