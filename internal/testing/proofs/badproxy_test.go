package proofs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
	testprogram "github.com/touchstone-eval/touchstone/internal/testing/program"
)

// newBadBench returns a bench with a small corpus, whose proxy misbehaves on demand.
func newBadBench(t *testing.T) *workbench {
	t.Helper()
	b := newSmallBench(t, t.TempDir())
	program, err := os.ReadFile(testprogram.Path(t, "github.com/touchstone-eval/touchstone/internal/proxy/undertest/badproxy/program"))
	if err != nil {
		t.Fatal(err)
	}
	b.write("own/proxy", program)
	if err := os.Chmod(b.path("own/proxy"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.adapters()
	return b
}

// remains lists processes, and directories of stages and proxies, that were created for the bench and
// still exist.
func (b *workbench) remains() (left []string) {
	b.t.Helper()
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		for _, name := range []string{"environ", "cmdline"} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err == nil && strings.Contains(string(text), b.store) {
				left = append(left, dir+": "+strings.ReplaceAll(string(text), "\x00", " "))
			}
		}
	}
	for _, pattern := range []string{"work/run-*", "work/*/touchstone-*"} {
		files, _ := filepath.Glob(filepath.Join(b.store, pattern))
		left = append(left, files...)
	}
	return left
}

// Every fault of a proxy leads, through all of touchstone, to a record or a clear message and to a correct
// number of failed queries, and leaves neither a process nor a file.
func TestBadProxies(t *testing.T) {
	level.Thorough(t, "it starts many proxies")
	b := newBadBench(t)
	const queries = 8
	for _, tc := range []struct {
		mode    string
		vars    []string
		code    int
		message []string // of standard error
		failed  int      // queries
		remarks bool     // of what was dropped
		start   bool     // it goes wrong, or right, before it is asked: one search path is enough
	}{
		{mode: badproxy.Right},
		{mode: badproxy.SlowIndex, start: true},
		{mode: badproxy.EveryThirdFails, failed: 2},
		{mode: badproxy.EveryThirdFails, vars: []string{"retrieval.max_failed=0.1"}, code: exitStageFailed, message: []string{"failed on more than 10% of 8 queries", "s01: "}},
		{mode: badproxy.EveryQueryFails, code: exitStageFailed, message: []string{"failed on each of the first 3 of 8 queries"}},
		{mode: badproxy.AnswerMessy, remarks: true},
		{mode: badproxy.AnswerNaN, code: exitStageFailed, message: []string{"failed on each of the first 3 of 8 queries", "NaN"}},
		{mode: badproxy.AnswerNegative},
		{mode: badproxy.AnswerHuge},
		{mode: badproxy.SometimesBreaks, failed: 2},
		{mode: badproxy.BreaksOff, code: exitStageFailed, message: []string{"failed on each of the first 3 of 8 queries", "broke the connection"}},
		{mode: badproxy.PrintsSecrets, start: true, vars: []string{"proxy_process.secret=env:BENCH_SECRET"}, code: exitStageFailed, message: []string{"api_key=(masked)", "and (masked)"}},
		{mode: badproxy.LeavesChildren, start: true},
		{mode: badproxy.LeavesLock, start: true},
		{mode: badproxy.OtherAddress, start: true, code: exitStageFailed, message: []string{"192.0.2.7", "loopback"}},
		{mode: badproxy.DiesAtQuery, code: exitStageFailed, message: []string{"ended during the queries", "status 7", "one too many"}},
		{mode: badproxy.ListsLess, start: true, code: exitStageFailed, message: []string{"did not index the corpus", "missing"}},
	} {
		paths := []string{contracts.SearchMCP, contracts.SearchREST}
		if tc.start {
			paths = paths[:1]
		}
		for _, search := range paths {
			t.Run(tc.mode+" "+search+" "+strings.Join(tc.vars, " "), func(t *testing.T) {
				b := *b
				b.t = t
				out := t.TempDir()
				args := []string{"run", "--until", "aggregate", "--output", out, "--var", "retrieval.search=" + search,
					"--var", "proxy_source=own", "--var", `proxy_build.command=["true"]`, "--var", `proxy_process.args=["` + tc.mode + `"]`}
				for _, v := range tc.vars {
					args = append(args, "--var", v)
				}
				r := b.want(tc.code, args...)
				for _, part := range tc.message {
					if !strings.Contains(r.stderr, part) {
						t.Errorf("the message does not contain %q:\n%s", part, r.stderr)
					}
				}
				said := r.stdout + r.stderr + b.touchstone("logs", "snapshot-index").stdout + b.touchstone("logs", "score-retrieval").stdout
				for _, secret := range []string{"hunter2", "correct-horse"} {
					if strings.Contains(said, secret) {
						t.Errorf("%s is told:\n%s", secret, said)
					}
				}
				if len(r.stderr) > 20_000 {
					t.Errorf("the message has %d bytes", len(r.stderr))
				}
				if left := b.remains(); len(left) > 0 {
					t.Errorf("left behind:\n%s", strings.Join(left, "\n"))
				}
				if tc.code != 0 {
					return
				}
				got := read[contracts.Aggregate](t, filepath.Join(out, "aggregate.json")).Retrieval
				if got.Queries != queries || got.Errored != tc.failed {
					t.Errorf("%d queries, %d of them failed; want %d and %d", got.Queries, got.Errored, queries, tc.failed)
				}
				if got.Anomalous > 0 != tc.remarks {
					t.Errorf("%d answers with remarks, want some: %v", got.Anomalous, tc.remarks)
				}
			})
		}
	}
}

// A proxy that listens at another port than the given one is not ready, and the message says where it
// listens.
func TestProxyOnAnotherPort(t *testing.T) {
	b := newBadBench(t)
	text := string(b.read("adapters/reference.hcl"))
	start, rest, found := strings.Cut(text, "announce {")
	_, rest, closed := strings.Cut(rest, "\n}\n")
	if !found || !closed {
		t.Fatal("the shipped adapter announces nothing")
	}
	b.write("adapters/elsewhere.hcl", []byte(start+rest))
	b.wantMessage(exitStageFailed, []string{"snapshot-index", "was not ready within 2s", "it should listen at 127.0.0.1:", "but listens at 127.0.0.1:"},
		"run", "--until", "aggregate", "--var", "proxy=elsewhere", "--var", "proxy_process.ready_timeout=2s")
	if left := b.remains(); len(left) > 0 {
		t.Errorf("left behind:\n%s", strings.Join(left, "\n"))
	}
}
