// Command coldruns starts a proxy many times from scratch with the replayed corpus,
// sends it every query of the golden set each time, and reports whether the ranked
// lists ever differ. Each run has its own order of servers, of tools within each
// server, and of queries.
//
//	bench/run coldruns -proxy adapters/mcpproxy.hcl -source ../mcpproxy-go [-runs 100]
//
// Without -proxy it uses the reference proxy.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
	"github.com/touchstone-eval/touchstone/contracts"
)

type options struct {
	adapter, source, corpus, golden, search string
	runs                                    int
	build                                   []string
}

func main() {
	var o options
	flag.StringVar(&o.adapter, "proxy", "", "the adapter")
	flag.StringVar(&o.source, "source", "", "the proxy's source")
	flag.StringVar(&o.corpus, "corpus", "datasets/corpus_v1.json", "the corpus")
	flag.StringVar(&o.golden, "golden", "datasets/golden_v1.json", "the golden set")
	flag.StringVar(&o.search, "search", contracts.SearchMCP, "mcp or rest")
	flag.IntVar(&o.runs, "runs", 100, "how often to start the proxy")
	flag.Parse()
	o.build = flag.Args()
	if err := bench(o); err != nil {
		fmt.Fprintln(os.Stderr, "coldruns:", err)
		os.Exit(1)
	}
}

func bench(o options) error {
	dir, tool, err := timing.Workspace("coldruns")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	stage := func(args ...string) error {
		out, err := exec.Command(tool, append([]string{"stage"}, args...)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}

		return nil
	}
	proxy, index := filepath.Join(dir, "proxy"), filepath.Join(dir, "index.json")
	build := []string{"build-proxy", "--out", proxy}
	if o.adapter != "" {
		build = append(build, "--adapter", o.adapter)
	}

	if o.source != "" {
		build = append(append(build, "--source", o.source, "--"), o.build...)
	}

	if err := stage(build...); err != nil {
		return err
	}

	if err := stage("snapshot-index", "--proxy", proxy, "--corpus", o.corpus, "--out", index); err != nil {
		return err
	}

	var first contracts.RetrievalReport
	var times []time.Duration
	others, scores, errored, failed := 0, 0, 0, 0
	for run := 1; run <= o.runs; run++ {
		out := filepath.Join(dir, "report.json")
		started := time.Now()
		err := stage("score-retrieval", "--proxy", proxy, "--corpus", o.corpus, "--golden", o.golden,
			"--index", index, "--search", o.search, "--run", strconv.Itoa(run), "--out", out)
		if err != nil {
			failed++
			fmt.Printf("run %d failed: %v\n", run, err)
			continue
		}

		times = append(times, time.Since(started))
		report, err := contracts.Read[contracts.RetrievalReport](out)
		if err != nil {
			return err
		}

		if first.PerQuery == nil {
			first = report
		}

		for i, q := range report.PerQuery {
			if q.Error != "" {
				errored++
			}

			switch want := first.PerQuery[i]; {
			case !slices.EqualFunc(q.Ranked, want.Ranked,
				func(a, b contracts.RankedTool) bool { return a.ToolID == b.ToolID }):
				others++
				fmt.Printf("run %d, query %s: the list differs from that of run 1\n", run, q.ID)
			case !slices.EqualFunc(q.Ranked, want.Ranked,
				func(a, b contracts.RankedTool) bool { return a.Score == b.Score }):
				scores++
			}
		}
	}

	if len(times) == 0 {
		return fmt.Errorf("all %d runs failed", failed)
	}

	slices.Sort(times)
	fmt.Printf("%s: %d cold runs, %d failed; %d queries each, %d without an answer\n", first.Proxy, o.runs, failed,
		len(first.PerQuery), errored)
	fmt.Printf("ranked lists that differ from those of the first run: %d of %d; the same list with other scores: %d\n",
		others, len(times)*len(first.PerQuery), scores)
	fmt.Printf("a run (the start of the proxy and all queries): median %v, longest %v\n",
		times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond))
	if others+failed+errored > 0 {
		return fmt.Errorf("the runs differ")
	}

	return nil
}
