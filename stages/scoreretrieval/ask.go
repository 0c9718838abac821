package scoreretrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/tokencount"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// The number of results that are requested and scored: by default as many as the metrics need, and at most as many as
// the report holds.
const (
	defaultDepth = 10
	maxDepth     = 100
)

// querier sends queries to the proxy and checks the form of its answers.
type querier struct {
	proxy *undertest.Proxy
	tools map[contracts.ToolID]contracts.Tool // of the corpus
	// maxFailed is the share of queries that may fail.
	maxFailed float64
	depth     int
}

// defaultMaxFailed is the share of failed queries above which the figures of
// the rest would mean little.
const defaultMaxFailed = 0.5

// askAll sends the queries in the given order, one at a time, and returns the
// results sorted by id. It fails, with the proxy's log, if the proxy ends,
// hangs, or fails on more than maxFailed of the queries.
func (a *querier) askAll(ctx context.Context, queries []contracts.Query, order []int) ([]contracts.QueryResult, error) {
	results := make([]contracts.QueryResult, 0, len(queries))
	var failures []failure
	unanswered := 0
	for _, i := range order {
		q := queries[i]
		r, err := a.ask(ctx, q)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}

			r.Error = err.Error()
			failures = append(failures, failure{q.ID, r.Error})
		}

		unanswered++
		if !errors.Is(err, undertest.ErrNoAnswer) {
			unanswered = 0
		}

		r.Metrics = score(r)
		results = append(results, r)
		grace := time.Duration(0)
		if errors.Is(err, undertest.ErrBroken) && (len(failures) == 1 || a.tooMany(failures, queries)) {
			grace = time.Second
		}

		if how, ended := a.proxy.Ended(grace); ended {
			return nil, a.fail(fmt.Sprintf("ended during the queries, after at most %d of %d: %s", len(results),
				len(queries), how), failures)
		}

		if unanswered == undertest.MaxUnanswered {
			return nil, a.fail(fmt.Sprintf("hangs: %d consecutive queries had no answer", undertest.MaxUnanswered),
				failures)
		}

		if a.maxFailed < 1 && len(results) == firstQueries && sameFailure(failures, firstQueries) {
			return nil, a.fail(fmt.Sprintf("failed on each of the first %d of %d queries: %s", firstQueries,
				len(queries), failures[0].why), nil)
		}

		if a.tooMany(failures, queries) {
			return nil, a.fail(fmt.Sprintf("failed on more than %s of %d queries", share(a.maxFailed), len(queries)),
				failures)
		}
	}

	slices.SortFunc(results, func(a, b contracts.QueryResult) int { return cmp.Compare(a.ID, b.ID) })
	return results, nil
}

// firstQueries is the number of queries after which a run ends if all of them failed in the same way,
// as with an adapter that does not fit the answers.
const firstQueries = 3

// sameFailure reports whether there are n failures for one reason.
func sameFailure(failures []failure, n int) bool {
	return len(failures) == n &&
		!slices.ContainsFunc(failures, func(f failure) bool { return f.why != failures[0].why })
}

func (a *querier) tooMany(failures []failure, queries []contracts.Query) bool {
	return float64(len(failures)) > a.maxFailed*float64(len(queries))
}

// share formats a share as text.
func share(s float64) string {
	if s == defaultMaxFailed {
		return "half"
	}
	return fmt.Sprintf("%.3g%%", 100*s)
}

func (a *querier) fail(what string, failures []failure) error {
	err := fmt.Errorf("proxy %q %s", a.proxy.Manifest.Name, what)
	if len(failures) > 0 {
		err = fmt.Errorf("%w; queries that failed:\n%s", err, undertest.Shorten(byError(failures)))
	}
	return a.proxy.WithLog(err)
}

// failure is a query without an answer, and the reason.
type failure struct{ query, why string }

// byError formats each distinct error as a line, in the order of first
// occurrence. A proxy that cannot be reached fails on every query with the same
// error, which would hide the other ones.
func byError(failures []failure) []string {
	const mostNamed = 5
	var whys []string
	queries := map[string][]string{}
	for _, f := range failures {
		if queries[f.why] == nil {
			whys = append(whys, f.why)
		}

		queries[f.why] = append(queries[f.why], f.query)
	}

	lines := make([]string, len(whys))
	for i, why := range whys {
		failed := queries[why]
		text := strings.Join(failed[:min(mostNamed, len(failed))], ", ")
		if more := len(failed) - mostNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}

		lines[i] = text + ": " + why
	}

	return lines
}

// ask sends one query. The result has no metrics yet.
func (a *querier) ask(ctx context.Context, q contracts.Query) (contracts.QueryResult, error) {
	r := q.Result()
	r.Ranked = []contracts.RankedTool{}
	list, err := a.proxy.Rank(ctx, q.Query, a.depth, func(id contracts.ToolID) bool {
		_, known := a.tools[id]
		return known
	})
	if err != nil {
		return r, err
	}

	r.Anomalies = list.Remarks
	for i, h := range list.Hits[:min(a.depth, len(list.Hits))] {
		r.Ranked = append(r.Ranked, contracts.RankedTool{
			Rank: i + 1, ToolID: h.Name, Score: h.Score, Relevance: relevance(q, h.Name),
		})
	}

	if q.Answerable() {
		if r.Cost, err = costOf(list.Answers, r.Ranked); err != nil {
			return r, fmt.Errorf("the answer to query %s: %w", q.ID, err)
		}

		if err := a.describe(ctx, &r, list.Answers); err != nil {
			return r, err
		}
	}

	return r, nil
}

// describe adds what a model reads of the tool that it then calls, if the proxy's answer
// is not enough to call it: the first right tool of the list, or the first one if none is
// right. The ranked list is complete without it, so a failure loses only the cost.
func (a *querier) describe(ctx context.Context, r *contracts.QueryResult, answers []undertest.Answer) error {
	if r.Cost == nil || len(r.Ranked) == 0 {
		return nil
	}

	chosen := max(0, slices.IndexFunc(r.Ranked, func(t contracts.RankedTool) bool {
		return t.Relevance != nil && *t.Relevance >= 1
	}))
	id := r.Ranked[chosen].ToolID
	text, asked, err := a.proxy.Describe(ctx, answers[len(answers)-1], id)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.Cost = nil
		r.Anomalies = append(r.Anomalies, fmt.Sprintf("its cost is not counted: the description of %+q failed: %v", id,
			err))
		return nil
	case !asked:
		return nil
	case len(text) > mostCounted:
		r.Cost = nil
		return nil
	}

	tokens, err := tokencount.Count(string(text))
	r.Cost.Calls++
	r.Cost.Bytes += len(text)
	r.Cost.Tokens += tokens
	return err
}

// relevance returns nil for a tool that the golden set does not judge.
func relevance(q contracts.Query, id contracts.ToolID) *int {
	for _, l := range q.Labels {
		if l.ToolID == id {
			return &l.Relevance
		}
	}
	return nil
}
