package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Explanation is the explanation why one instance is a hit or a miss.
type Explanation struct {
	Stage    string         `json:"stage"`
	Instance string         `json:"instance"`
	Status   State          `json:"status"`
	Miss     cache.MissKind `json:"miss,omitempty"`
	Key      string         `json:"key,omitempty"`
	Reasons  []string       `json:"reasons"`
	// Recorded describes when and how the result of a hit was computed.
	Recorded *Recorded `json:"recorded,omitempty"`
	// Compared is the earlier run that Changes are relative to.
	Compared *Recorded `json:"compared_with,omitempty"`
	// NotInHistory reports whether the history of this checkout lacks the run in
	// Recorded or Compared: another checkout computed the result, it was
	// imported, or it is too old for the history.
	NotInHistory bool `json:"elsewhere"`
	// ComparedNotInHistory reports whether the history lacks the run in Compared.
	ComparedNotInHistory bool     `json:"compared_elsewhere"`
	Changes              []Change `json:"changes"`
	// WaitsFor lists the instances that have to run, or may have to, before the key is known, and Unknown the inputs
	// that they write. Changes are then those of the other components.
	WaitsFor []Awaited      `json:"waits_for,omitempty"`
	Unknown  []UnknownInput `json:"unknown,omitempty"`
	// NotCovered says what the key does not cover, and the remedy.
	NotCovered string `json:"not_covered,omitempty"`
	// Reads are the files besides its inputs that the command read, with which the result of a hit is compared.
	Reads []ExplainedRead `json:"reads,omitempty"`
	// Components are all parts of the key, by name.
	Components []ExplainedComponent `json:"components"`
}

// Recorded identifies a stored result.
type Recorded struct {
	Key        string    `json:"key"`
	Started    time.Time `json:"started"`
	DurationMS int64     `json:"duration_ms"`
	Executor   string    `json:"executor"`
	Isolation  []string  `json:"isolation"`
	// Origin is nil for a result that this machine made.
	Origin *cache.Origin `json:"origin,omitempty"`
}

// ExplainedComponent is one part of a key.
type ExplainedComponent struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
	Value  string `json:"value,omitempty"`
}

// ExplainedRead is a file or directory that a command read. State begins with its kind, or is "none".
type ExplainedRead struct {
	Path  string `json:"path"`
	State string `json:"state"`
}

// Change is one component of the key that differs from the earlier run. Details
// describe the changes inside a file, if both versions are still in the cache.
type Change struct {
	Component string   `json:"component"`
	Before    string   `json:"before,omitempty"`
	After     string   `json:"after,omitempty"`
	Details   []string `json:"details,omitempty"`

	before, after cache.Digest
}

func (c Change) String() string {
	switch {
	case c.before.IsZero():
		return c.Component + " is new"
	case c.after.IsZero():
		return c.Component + " was removed"
	case c.Before != "" && c.After != "" && c.Before != c.After && len(c.Before)+len(c.After) < 120:
		return fmt.Sprintf("%s changed from %s to %s", c.Component, c.Before, c.After)
	case c.After != "":
		return fmt.Sprintf("%s changed (%s)", c.Component, c.After)
	default:
		return c.Component + " changed"
	}
}

// changes lists the differences from an earlier record, in the order of the newer
// key, with removed components at the end. It adds the name of the source file to
// inputs.
func (o *Outcome) changes(before []cache.Component) []Change {
	old := make(map[string]cache.Component, len(before))
	for _, c := range before {
		old[c.Name] = c
	}

	for _, u := range o.unknown {
		delete(old, u.Component)
	}

	var changes []Change
	for _, c := range o.components {
		prev, ok := old[c.Name]
		delete(old, c.Name)
		if ok && prev.Digest == c.Digest {
			continue
		}

		change := Change{Component: c.Name, Before: prev.Value, After: c.Value, before: prev.Digest, after: c.Digest}
		if change.After == "" {
			change.After = o.inputSource(c.Name)
		}

		changes = append(changes, change)
	}

	for _, c := range before {
		if _, gone := old[c.Name]; gone {
			changes = append(changes, Change{Component: c.Name, Before: c.Value, before: c.Digest})
		}
	}

	return changes
}

// inputSource returns the source file of an input, or "" if the component is not an
// input with a single file.
func (o *Outcome) inputSource(component string) string {
	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		if pipeline.InputPrefix+input.Name != component {
			continue
		}
		if len(input.Files) == 1 {
			return safetext.Path(input.Files[0].Label)
		}
	}
	return ""
}

// Explain evaluates the plan and explains the instances at the given indexes.
func (e *Engine) Explain(ctx context.Context, plan *pipeline.Plan, which []int) ([]Explanation, error) {
	explained := make([]bool, len(plan.Instances))
	for _, i := range which {
		explained[i] = true
	}

	demanded := slices.Clone(explained)
	needed(plan, demanded, false)
	outcomes, err := e.evaluateWith(ctx, plan, evaluation{demanded: demanded, explained: explained})
	if err != nil {
		return nil, err
	}

	r := &run{Engine: e, plan: plan, outcomes: outcomes}
	r.records = sync.OnceValue(r.readRecords)
	explanations := make([]Explanation, 0, len(which))
	for _, i := range which {
		explanations = append(explanations, r.explain(outcomes[i]))
	}

	return explanations, nil
}

func (r *run) explain(o *Outcome) Explanation {
	x := Explanation{
		Stage: o.Instance.Stage, Instance: o.Instance.Name(), Status: o.State, Miss: o.Miss,
		Reasons: o.Reasons, Changes: []Change{}, Components: []ExplainedComponent{},
	}
	if x.Reasons == nil {
		x.Reasons = []string{}
	}

	if r.uncovered(o) {
		x.NotCovered = notCovered([]string{o.program()})
	}

	for _, c := range o.components {
		x.Components = append(x.Components, ExplainedComponent{c.Name, c.Digest.String(), c.Value})
	}

	if !o.Key.IsZero() {
		x.Key = o.Key.String()
	}

	if o.blocked {
		x.WaitsFor, x.Unknown = r.awaited(o), o.unknown
	}

	switch {
	case o.State == Hit:
		rec, err := r.Store.Record(o.Key)
		if err != nil {
			return x
		}

		x.Recorded, x.NotInHistory = recorded(rec), !r.inHistory(o)
		x.Reads = r.reads(rec)
		if x.NotInHistory {
			return x // this checkout has no run before it
		}

		previous := r.previous(o, o.Key)
		if previous == nil {
			previous = r.sameDefinition(o, rec.Started)
			x.ComparedNotInHistory = previous != nil
		}

		if previous != nil {
			x.Compared = recorded(previous)
			x.Changes = r.detailed(o, previous)
		}
	case o.compared != nil:
		x.Compared, x.Changes = recorded(o.compared), o.Changes
		x.NotInHistory, x.ComparedNotInHistory = o.NotInHistory, o.NotInHistory
	}

	return x
}

// reads lists what the command of a record read.
func (r *run) reads(rec *cache.Record) []ExplainedRead {
	if !isList(rec.Reads) {
		return nil
	}

	text, err := r.Store.Bytes(rec.Reads)
	if err != nil {
		return nil // the next evaluation says so
	}

	entries, _ := decodeReads(text) // likewise
	list := make([]ExplainedRead, len(entries))
	for i, e := range entries {
		state, _ := strconv.Unquote(e.state) // which decodeReads has checked
		list[i] = ExplainedRead{safetext.Bytes(e.path), safetext.Bytes(state)}
	}

	return list
}

// sameDefinition returns the most similar result that is not from this checkout, for a hit that
// is the first run in this checkout. The result must be older and differ in the content of inputs
// only: what has another definition is no earlier version of the same.
func (r *run) sameDefinition(o *Outcome, before time.Time) *cache.Record {
	found := r.closestRecord(o, before)
	if found == nil {
		return nil
	}
	for _, c := range o.changes(found.Components) {
		if !strings.HasPrefix(c.Component, pipeline.InputPrefix) {
			return nil
		}
	}
	return found
}

// findChanges compares a miss with the nearest run of the instance in this checkout, or else
// with a result from elsewhere.
func (r *run) findChanges(o *Outcome) {
	previous, elsewhere := r.nearest(o), false
	if previous == nil && !o.reasonKnown() {
		if similar := r.closestRecord(o, time.Time{}); similar != nil && o.resembles(similar) {
			previous, elsewhere = similar, true
		}
	}
	if previous == nil || previous.Key == o.Key {
		return // there is no other key to compare with
	}
	o.compared, o.NotInHistory, o.Changes = previous, elsewhere, r.detailed(o, previous)
}

// reasonKnown reports whether it is known why a miss has no result, also without a comparison.
func (o *Outcome) reasonKnown() bool {
	return o.Miss == cache.ReadsChanged || o.failed != ""
}

// resembles reports whether a result from elsewhere may be an earlier version of the instance: it has the same command
// or an input with the same content. Another pipeline may have a stage of the same name.
func (o *Outcome) resembles(other *cache.Record) bool {
	return slices.ContainsFunc(other.Components, func(c cache.Component) bool {
		mayBe := c.Name == "command" || strings.HasPrefix(c.Name, pipeline.InputPrefix)
		return mayBe && c.Digest == o.component(c.Name)
	})
}

// detailed returns the differences from an earlier record with their details.
func (r *run) detailed(o *Outcome, previous *cache.Record) []Change {
	changes := append([]Change{}, o.changes(previous.Components)...)
	for i := range changes {
		changes[i].Details = r.details(o, &changes[i])
	}
	return changes
}

// isDirectory reports whether an input is one directory that a stage wrote.
func (r *run) isDirectory(input *pipeline.Input) bool {
	if input.Tree || len(input.From) != 1 {
		return false
	}
	out, _ := r.outcomes[input.From[0].From.Instance].Output(input.From[0].From.Output)
	return out.Dir
}

// inHistory reports whether the history of this checkout contains the outcome's key.
func (r *run) inHistory(o *Outcome) bool {
	return slices.ContainsFunc(r.Store.History(r.Project, o.Instance.Stage, o.Instance.Name()),
		func(h cache.HistoryEntry) bool { return h.Key == o.Key })
}

// readRecords lists the readable records of the store.
func (r *run) readRecords() []cache.RecordInfo {
	var list []cache.RecordInfo
	// An error only makes explanations shorter.
	_ = r.Store.List(func(info cache.RecordInfo) error {
		if info.Problem == "" {
			list = append(list, info)
		}
		return nil
	})
	return list
}

// maxComparedRecords limits the records that closestRecord compares.
const maxComparedRecords = 50

// closestRecord returns, of the most recently used records of an instance with the same name and
// another key, the one that differs in the fewest components. It is for an instance without a
// history in this checkout, whose earlier results were cache hits. If before is not zero, the
// result must have been computed before that time. It reads all records, so it is only for
// explanations.
func (r *run) closestRecord(o *Outcome, before time.Time) *cache.Record {
	var known []cache.RecordInfo
	for _, info := range r.records() {
		if info.Stage == o.Instance.Stage && info.Instance == o.Instance.Name() && info.Key != o.Key {
			known = append(known, info)
		}
	}

	slices.SortStableFunc(known, func(a, b cache.RecordInfo) int { return b.Used.Compare(a.Used) })
	var found *cache.Record
	fewest := 0
	for _, info := range known[:min(len(known), maxComparedRecords)] {
		rec, err := r.Store.Record(info.Key)
		if err != nil || !before.IsZero() && !rec.Started.Before(before) {
			continue
		}

		if n := len(o.changes(rec.Components)); found == nil || n < fewest {
			found, fewest = rec, n
		}
	}

	return found
}

func recorded(rec *cache.Record) *Recorded {
	return &Recorded{
		Key: rec.Key.String(), Started: rec.Started, DurationMS: rec.Duration.Milliseconds(),
		Executor: rec.Executor, Isolation: rec.Isolation, Origin: rec.Origin,
	}
}

// details compares two versions of an input.
func (r *run) details(o *Outcome, c *Change) []string {
	if c.before.IsZero() {
		return nil // it is new, so there is no earlier version
	}

	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		if pipeline.InputPrefix+input.Name != c.Component {
			continue
		}

		if input.Tree || r.isDirectory(input) {
			return r.diffInput(input, c.before)
		}

		if r.tooLarge(input, c.before) {
			return []string{fmt.Sprintf("it has more than %d MiB, so the changes inside it are not shown",
				keepInputLimit>>20)}
		}

		before, mode, err := r.earlierFile(c.before)
		if err != nil {
			return []string{"its earlier content is no longer in the cache, so the changes cannot be shown"}
		}

		after, err := r.inputBytes(input)
		if err != nil {
			return []string{err.Error()}
		}

		if bytes.Equal(before, after) {
			return []string{"its content is the same, but the file is " + mode}
		}

		return diffFile(before, after)
	}

	return nil
}
