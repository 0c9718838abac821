package engine

import (
	"cmp"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// cacheOff is the kind of the miss of an instance whose results are never used.
const cacheOff cache.MissKind = "cache-off"

// evaluate determines whether one instance is a hit or a miss. All its upstream
// outcomes must have outputs.
func (r *run) evaluate(o *Outcome) error {
	k := r.keyings.Get().(*keying)
	defer r.keyings.Put(k)
	if err := r.key(o, k); err != nil {
		return err
	}

	if o.Instance.Cache.Off {
		o.State, o.Reasons, o.components = Miss, []string{"its cache is off"}, k.Components()
		o.Miss = cacheOff
		return nil
	}

	result, miss := r.lookup(o)
	refused := ""
	if miss != nil && r.Shared != nil && !r.localOnly && !r.opts.Force {
		var found bool
		if found, refused = r.Shared.Lookup(o.Key); found {
			result, miss = r.lookup(o)
		}
	}

	if miss != nil || r.explains || r.opts.Force {
		// A hit that is not explained needs no components.
		o.components = k.Components()
	}

	if miss != nil {
		o.State, o.Miss, o.Reasons = Miss, miss.Kind, r.reasons(o, miss)
		if refused != "" {
			o.Reasons = append(o.Reasons, refused)
		}

		return nil
	}

	o.setHit(result)
	return nil
}

// lookup returns the result of an instance, if everything that its command read is as it was.
func (r *run) lookup(o *Outcome) (cache.Result, *cache.Miss) {
	result, miss := r.Store.Outputs(o.Key, o.Instance.Cache.TTL)
	switch {
	case miss != nil:
	case result.Reads != unisolatedList:
		if changed := r.readLists.changed(r.Store, r.Index, result.Reads); changed != "" {
			return cache.Result{}, &cache.Miss{Reason: changed, Kind: cache.ReadsChanged}
		}
	case !r.isolationOff():
		return cache.Result{}, &cache.Miss{Reason: "it was made with --isolation off", Kind: isolationOff}
	}

	return result, miss
}

// reasons returns the reasons why an instance is a miss: that it failed, the differences from the
// nearest run of the same instance, or why its record cannot be used.
func (r *run) reasons(o *Outcome, miss *cache.Miss) []string {
	switch miss.Kind {
	case cache.Evicted, cache.Corrupt, cache.Expired, cache.ReadsChanged, isolationOff: // there was one of this key
		return []string{miss.Reason}
	}

	failed, same := r.failedEarlier(o)
	if same {
		o.failed = failed
		return []string{failed + "; failures are not cached"}
	}

	previous := r.nearest(o)
	if previous == nil {
		o.failed = failed
		return []string{cmp.Or(failed, "first run in this checkout")}
	}

	if previous.Key == o.Key {
		return []string{miss.Reason}
	}

	var reasons []string
	for _, c := range o.changes(previous.Components) {
		reasons = append(reasons, c.String())
	}

	if len(reasons) == 0 {
		reasons = []string{miss.Reason}
	}

	return reasons
}

// previous returns the newest record of an earlier run of the same instance
// that can still be read. If before is not zero, it only considers runs before
// the first run with that key, and records with another key.
func (r *run) previous(o *Outcome, before cache.Key) *cache.Record {
	history := r.Store.History(r.Project, o.Instance.Stage, o.Instance.Name())
	if !before.IsZero() {
		first := len(history) - 1
		for first >= 0 && history[first].Key != before {
			first--
		}

		history = history[first+1:]
	}

	for _, h := range history {
		if rec, err := r.Store.Record(h.Key); err == nil {
			return rec
		}
	}

	return nil
}

// maxNearest limits the earlier runs that a miss is compared with.
const maxNearest = 8

// nearest returns the earlier run of the same instance that differs in the fewest components of the key, and of
// several the newest: whoever goes back and forth between two versions wants to know what differs from the one before.
func (r *run) nearest(o *Outcome) *cache.Record {
	var found *cache.Record
	fewest := 0
	history := r.Store.History(r.Project, o.Instance.Stage, o.Instance.Name())
	for _, h := range history[:min(len(history), maxNearest)] {
		rec, err := r.Store.Record(h.Key)
		if err != nil {
			continue
		}

		if n := len(o.changes(rec.Components)); found == nil || n < fewest {
			found, fewest = rec, n
		}

		if fewest <= 1 {
			break
		}
	}

	return found
}

// Expected returns the duration of the instance's last execution, or 0 if it never
// ran.
func (e *Engine) Expected(o *Outcome) time.Duration {
	r := &run{Engine: e}
	if rec := r.previous(o, cache.Key{}); rec != nil {
		return rec.Duration
	}
	return 0
}
