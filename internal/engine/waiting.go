package engine

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// An instance waits if it reads outputs of an instance that has to run: its key is not known. What is known of it, all
// but these outputs, can still be compared with an earlier run.

// Awaited is an instance that has to run, or may have to if it waits itself, before the key of another one is known.
// Reasons, Changes and Elsewhere say why, as in a plan.
type Awaited struct {
	Stage     string         `json:"stage"`
	Instance  string         `json:"instance"`
	Status    State          `json:"status"`
	Miss      cache.MissKind `json:"miss,omitempty"`
	Reasons   []string       `json:"reasons"`
	Changes   []Change       `json:"changes"`
	Elsewhere bool           `json:"elsewhere"`
}

// UnknownInput is an input with outputs of instances that have to run, or may have to: the writers. Part reports if
// it also has outputs that are known.
type UnknownInput struct {
	Component string   `json:"component"`
	Writers   []string `json:"writers"`
	Part      bool     `json:"part"`
}

// waitsFor describes an instance whose key cannot be computed yet, because of an upstream instance and perhaps others
// of its stage.
func (r *run) waitsFor(o, upstream *Outcome) string {
	stage := upstream.Instance.Stage
	awaited, first, may := 0, 0, false
	for _, u := range o.Instance.Upstream {
		if up := r.outcomes[u]; up.Instance.Stage == stage && !up.written() {
			awaited, first, may = awaited+1, u, may || up.State == Waits
		}
	}

	what, must := upstream.Instance.String(), "has to run"
	if awaited > 1 {
		if what = stage; awaited < r.instancesOf(first) {
			what, must = fmt.Sprintf("%d instances of %s", awaited, stage), "have to run"
		}
	}

	if may {
		must = "may have to run"
	}

	return "waits for " + what + ", which " + must
}

// instancesOf returns the number of instances of the stage of an instance, which are one after the other in the plan.
func (r *run) instancesOf(i int) int {
	other := func(in *pipeline.Instance) bool { return in.Stage != r.plan.Instances[i].Stage }
	after := slices.IndexFunc(r.plan.Instances[i:], other)
	if after < 0 {
		after = len(r.plan.Instances) - i
	}

	before := i
	for before > 0 && !other(r.plan.Instances[before-1]) {
		before--
	}

	return i + after - before
}

// written reports whether the outputs of an instance are known.
func (o *Outcome) written() bool { return o.State == Hit || o.State == Ran }

// evaluateKnown computes the components of a key that are known, for an instance that waits. Its program is known.
func (r *run) evaluateKnown(o *Outcome) error {
	var k keying
	k.digests = slices.Grow(k.digests, len(o.Instance.Inputs))[:len(o.Instance.Inputs)]
	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		if u := r.unknownInput(input); u != nil {
			o.unknown = append(o.unknown, *u)
			continue
		}

		var err error
		if k.digests[i], err = r.inputDigest(input); err != nil {
			return err
		}
	}

	k.of(o) // this is not the key, but makes the components
	o.components = slices.DeleteFunc(k.Components(), func(c pipeline.KeyComponent) bool {
		return slices.ContainsFunc(o.unknown, func(u UnknownInput) bool { return u.Component == c.Name })
	})
	return nil
}

// unknownInput returns who has to write an input first, or nil if it is known.
func (r *run) unknownInput(input *pipeline.Input) *UnknownInput {
	u := UnknownInput{Component: pipeline.InputPrefix + input.Name}
	for _, f := range input.From {
		up := r.outcomes[f.From.Instance]
		switch name := up.Instance.String(); {
		case up.written():
			u.Part = true
		case !slices.Contains(u.Writers, name):
			u.Writers = append(u.Writers, name)
		}
	}

	if u.Writers == nil {
		return nil
	}

	return &u
}

// awaited lists the instances because of which the key of another one is not known, in the order of the plan.
func (r *run) awaited(o *Outcome) []Awaited {
	on := make([]bool, len(r.outcomes))
	var visit func(*Outcome)
	visit = func(o *Outcome) {
		for _, u := range o.Instance.Upstream {
			if up := r.outcomes[u]; !on[u] && !up.written() {
				on[u] = true
				visit(up)
			}
		}
	}
	visit(o)
	list := []Awaited{}
	for i, up := range r.outcomes {
		if !on[i] {
			continue
		}

		list = append(list, Awaited{
			Stage: up.Instance.Stage, Instance: up.Instance.Name(), Status: up.State, Miss: up.Miss,
			Reasons: up.Reasons, Changes: append([]Change{}, up.Changes...), Elsewhere: up.NotInHistory,
		})
	}

	return list
}
