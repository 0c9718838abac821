// Command parity compares Touchstone's figures for mcpproxy-go with those that
// mcpproxy-go publishes, on its own datasets, which are read from its checkout. The code
// in independent.go computes the metrics a second time, from the ranked lists of the
// reports.
//
//	bench/run parity -source ../mcpproxy-go
//
// docs/explanation/proxies.md uses the output of this command.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// The directories of its datasets.
const (
	evaluation = "specs/065-evaluation-foundation/datasets/"
	profiler   = "specs/083-discovery-profiler/datasets/"
)

func main() {
	source := flag.String("source", "", "a checkout of mcpproxy-go")
	adapter := flag.String("adapter", "adapters/mcpproxy.hcl", "its adapter")
	flag.Parse()
	if err := parity(*source, *adapter); err != nil {
		fmt.Fprintln(os.Stderr, "parity:", err)
		os.Exit(1)
	}
}

// work runs touchstone in a temporary directory.
type work struct{ dir, tool, source string }

func (w work) path(name string) string { return filepath.Join(w.dir, name) }

func (w work) run(args ...string) error {
	out, err := exec.Command(w.tool, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %w\n%s", args[:2], err, out)
	}
	return nil
}

func parity(source, adapter string) error {
	if source == "" {
		return fmt.Errorf("give a checkout of mcpproxy-go with -source")
	}

	dir, tool, err := timing.Workspace("parity")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	w := work{dir: dir, tool: tool, source: source}
	err = w.run("stage", "build-proxy", "--out", w.path("proxy"), "--detectors", w.path("detectors"), "--adapter",
		adapter, "--source", source)
	if err != nil {
		return err
	}

	if err := w.retrieval(); err != nil {
		return err
	}

	return w.detectors()
}

// corpora are the corpora that the golden set is scored on.
var corpora = []struct{ name, file, schemas string }{
	{"v2", profiler + "corpus_v2.tools.json", ""},
	{"v1, with the schemas of v2", evaluation + "corpus_v1.tools.json", "v2"},
	{"v1", evaluation + "corpus_v1.tools.json", ""},
}

func (w work) retrieval() error {
	published, err := readPublished(filepath.Join(w.source, evaluation, "baseline_v1.json"))
	if err != nil {
		return err
	}

	reports := map[string]contracts.RetrievalReport{}
	for i, c := range corpora {
		name := fmt.Sprint("c", i)
		args := []string{"data", "import", filepath.Join(w.source, c.file), "-o", w.path(name + ".corpus")}
		if c.schemas != "" {
			args = append(args, "--schemas", w.path("c0.corpus"), "--version", "v1-with-schemas")
		}

		if err := w.run(args...); err != nil {
			return err
		}

		err := w.run("data", "import", filepath.Join(w.source, evaluation, "retrieval_golden_v1.json"),
			"--corpus", w.path(name+".corpus"), "-o", w.path(name+".golden"))
		if err != nil {
			return err
		}

		err = w.run("stage", "snapshot-index", "--proxy", w.path("proxy"), "--corpus", w.path(name+".corpus"), "--out",
			w.path(name+".index"))
		if err != nil {
			return err
		}

		for _, search := range []string{contracts.SearchREST, contracts.SearchMCP} {
			out := w.path(name + "." + search)
			err := w.run("stage", "score-retrieval", "--proxy", w.path("proxy"), "--corpus", w.path(name+".corpus"),
				"--golden", w.path(name+".golden"),
				"--index", w.path(name+".index"), "--search", search, "--run", "1", "--out", out)
			if err != nil {
				return err
			}

			report, err := contracts.Read[contracts.RetrievalReport](out)
			if err != nil {
				return err
			}

			reports[c.name+"/"+search] = report
		}
	}

	fmt.Println("| figure | published | v2 | v1, schemas of v2 | v1 |")
	fmt.Println("|---|---|---|---|---|")
	for _, metric := range contracts.MetricNames {
		fmt.Printf("| %s | %.4f |", metric, published[metric])
		for _, c := range corpora {
			v := reports[c.name+"/rest"].Metrics[metric]
			fmt.Printf(" %.4f |", v)
		}

		fmt.Println()
	}

	worst := 0.0
	for _, report := range reports {
		worst = math.Max(worst, disagreement(report))
	}

	fmt.Printf("\nlargest difference between our figures and the second computation, over %d reports: %.1e\n",
		len(reports), worst)
	for _, c := range corpora {
		fmt.Printf("corpus %s: %d of %d lists differ between REST and MCP\n", c.name,
			len(otherLists(reports[c.name+"/rest"], reports[c.name+"/mcp"])), len(reports[c.name+"/rest"].PerQuery))
	}

	for i, c := range corpora[1:] {
		before := corpora[i]
		fmt.Printf("\nqueries whose figures differ, corpus %s, then %s:\n", before.name, c.name)
		describeMoves(reports[before.name+"/rest"], reports[c.name+"/rest"])
	}

	return nil
}

// readPublished reads the figures from the published baseline, which has no schema.
func readPublished(file string) (map[string]float64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}

	var b struct {
		RecallAt map[string]float64 `json:"recall_at"`
		MRR      float64            `json:"mrr"`
		NDCG     float64            `json:"ndcg_at_10"`
		MAP      float64            `json:"map"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}

	published := map[string]float64{"mrr": b.MRR, "ndcg_at_10": b.NDCG, "map": b.MAP}
	for k, v := range b.RecallAt {
		published["recall_at_"+k] = v
	}

	return published, nil
}

func (w work) detectors() error {
	for _, c := range []struct {
		file string
		drop []string
	}{
		{"detect_corpus_v1.json", []string{"--drop-category", contracts.CategoryCapabilityMismatch}},
		{"security_corpus_v1.json", nil},
	} {
		corpus := w.path(c.file)
		args := append([]string{"data", "import", filepath.Join(w.source, evaluation, c.file), "--license",
			"self-authored=MIT", "-o", corpus}, c.drop...)
		if err := w.run(args...); err != nil {
			return err
		}

		fmt.Printf("\n%s\n| detector | caught | share | 95%% | hard negatives flagged | share | 95%% | plain benign "+
			"flagged |\n|---|---|---|---|---|---|---|---|\n", c.file)
		for _, d := range []struct{ name, adapted string }{
			{"mcpproxy-hard-checks", w.path("detectors")}, {"mcpproxy-scanner", w.path("detectors")},
			{"mcpproxy-scanner-warnings", w.path("detectors")}, {"mcpproxy-sensitive", w.path("detectors")},
			{"scanner", ""}, {"keywords", ""},
		} {
			out := w.path(c.file + "." + d.name)
			args := []string{"stage", "score-security", "--security", corpus, "--detector", d.name, "--run", "1",
				"--out", out}
			if d.adapted != "" {
				args = append(args, "--adapted", d.adapted)
			}

			if err := w.run(args...); err != nil {
				return err
			}

			r, err := contracts.Read[contracts.SecurityReport](out)
			if err != nil {
				return err
			}

			printDetector(r)
		}
	}

	return nil
}

func printDetector(r contracts.SecurityReport) {
	var hard, hardFlagged, benign, benignFlagged int
	for _, e := range r.PerEntry {
		flagged := 0
		if e.Verdict == contracts.VerdictFlagged {
			flagged = 1
		}

		switch e.Category {
		case contracts.CategoryHardNegative:
			hard, hardFlagged = hard+1, hardFlagged+flagged
		case contracts.CategoryBenign:
			benign, benignFlagged = benign+1, benignFlagged+flagged
		}
	}

	share := func(k, n int) string {
		i, _ := metrics.Wilson(k, n)
		return fmt.Sprintf("%d of %d | %.3f | %.3f to %.3f", k, n, float64(k)/float64(n), i.Low, i.High)
	}
	d := r.Detector
	fmt.Printf("| %s | %s | %s | %d of %d |\n", d.Detector, share(d.TP, d.TP+d.FN), share(hardFlagged, hard),
		benignFlagged, benign)
}
