package scoreretrieval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// Well-formed answers with odd content are scored: the lists are equal to those
// of a correct proxy.
func TestStrangeAnswersAreScored(t *testing.T) {
	if testing.Short() {
		t.Skip("many proxies are started")
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() { // after the parallel subtests
		if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "touchstone-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	right, _ := mustScore(t, small(badproxy.Manifest(t, badproxy.Right)))
	for _, mode := range []string{badproxy.AnswerNegative, badproxy.AnswerHuge, badproxy.SlowIndex, badproxy.LeavesLock} {
		manifest := badproxy.Manifest(t, mode)
		for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
			t.Run(mode+" "+path, func(t *testing.T) {
				if mode == badproxy.AnswerHuge && path == contracts.SearchMCP {
					level.Thorough(t, "it reads ten megabytes for each query, as over REST")
				}
				t.Parallel()
				opts := small(manifest)
				opts.Search = path
				got, raw := mustScore(t, opts)
				for i, q := range got.PerQuery {
					want := right.PerQuery[i]
					if q.Error != "" || len(q.Anomalies) > 0 || strings.Join(ids(q.Ranked), " ") != strings.Join(ids(want.Ranked), " ") {
						t.Errorf("query %s: got %v %s %v, want %v", q.ID, ids(q.Ranked), q.Error, q.Anomalies, ids(want.Ranked))
					}
				}
				if mode == badproxy.AnswerNegative && !(got.PerQuery[0].Ranked[0].Score < 0) {
					t.Errorf("a score below zero was recorded as %v", got.PerQuery[0].Ranked[0].Score)
				}
				if len(raw) > 1<<20 {
					t.Errorf("the report has %d bytes", len(raw))
				}
			})
		}
	}
}

// Answers that break off are failed queries and have no other effect. They are
// counted and score 0 in every metric. --max-failed limits their share.
func TestSomeAnswersBreakOff(t *testing.T) {
	if testing.Short() {
		t.Skip("many proxies are started")
	}
	t.Parallel()
	for _, path := range []string{contracts.SearchMCP, contracts.SearchREST} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			opts := small(badproxy.Manifest(t, badproxy.SometimesBreaks))
			opts.Search = path
			r, _ := mustScore(t, opts)
			failed := 0
			for _, q := range r.PerQuery {
				if q.Error != "" {
					failed++
					if q.Metrics["mrr"] != 0 || len(q.Ranked) != 0 || !strings.Contains(q.Error, "broke the connection") {
						t.Errorf("query %s: %+v", q.ID, q)
					}
				} else if len(q.Ranked) == 0 {
					t.Errorf("query %s has neither an error nor a list", q.ID)
				}
			}
			if failed != 2 {
				t.Errorf("%s: %d of 8 failed, want 2", path, failed)
			}
			for share, want := range map[float64]string{0.1: "failed on more than 10% of 8 queries", 0.25: "", 2: "--max-failed 2 is out of range"} {
				opts.MaxFailed = &share
				_, _, err := score(t, opts)
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s: with a share of %v got %v, want %q", path, share, err, want)
				}
			}
		})
	}
}
