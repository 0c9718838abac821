// Command scale runs the real pipeline with the reference proxy on synthetic data of
// growing size. It prints the costs of each stage and of all processes together, with
// their growth exponents.
//
//	bench/run scale [-tools 1000,5000,10000,50000] [-queries 10000]
//
// There is one upstream server for every 50 tools. The largest size is also run with the
// numbers of queries in -flat, to see whether memory grows with them. -var passes a
// variable to every run. The results are removed.
//
//	bench/run scale -scan 26000,52000,100000,200000 [-runs 5]
//
// measures touchstone scan over lists of these lengths instead.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

// toolsPerServer is the number of tools of each server.
const toolsPerServer = 50

// lookEvery is the sampling interval of the memory of all processes.
const lookEvery = 100 * time.Millisecond

// stages lists the stages whose work grows with the data. The sum includes the others.
var stages = []string{"validate-datasets", "snapshot-index", "score-retrieval", "aggregate"}

func main() {
	tools := flag.String("tools", "1000,5000,10000,50000", "numbers of tools, separated by commas")
	flat := flag.String("flat", "1000,2500,5000",
		"numbers of queries with which the largest size is also run; empty for none")
	queries := flag.Int("queries", 10000, "how many queries")
	var vars []string
	flag.Func("var", "a variable of the pipeline, name=value (repeatable)", func(s string) error {
		vars = append(vars, "--var", s)
		return nil
	})
	scan := flag.String("scan", "", "measure touchstone scan instead, over these numbers of tools")
	runs := flag.Int("runs", 3, "how often each list is scanned, with -scan")
	flag.Parse()
	err := error(nil)
	if *scan != "" {
		err = benchScan(*scan, *runs)
	} else {
		err = bench(*tools, *flat, *queries, vars)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func bench(tools, flat string, queries int, vars []string) error {
	sizes, err := numbers("-tools", tools)
	if err != nil {
		return err
	}

	counts, err := numbers("-flat", flat)
	if err != nil {
		return err
	}

	if len(sizes) == 0 {
		return fmt.Errorf("-tools names no size: give at least one, such as 1000")
	}

	dir, tool, err := timing.Workspace("scale")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	b := &bencher{dir: dir, tool: tool, vars: vars}
	fmt.Printf("load before: %s\n\n", timing.Load())
	var growing, flats []measured
	for _, n := range sizes {
		m, err := b.measure(n, queries)
		if err != nil {
			return err
		}

		growing = append(growing, m)
	}

	for _, q := range counts {
		m, err := b.measure(slices.Max(sizes), q)
		if err != nil {
			return err
		}

		flats = append(flats, m)
	}

	printSizes(growing)
	if len(flats) > 0 {
		largest := slices.MaxFunc(growing, func(a, b measured) int { return a.tools - b.tools })
		printQueries(append(flats, largest))
	}

	fmt.Printf("\nload after: %s\n", timing.Load())
	return nil
}

func numbers(name, list string) ([]int, error) {
	var all []int
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(field)
		if err != nil || n < toolsPerServer {
			return nil, fmt.Errorf("%s %q: %q is not a number from %d", name, list, field, toolsPerServer)
		}
		all = append(all, n)
	}
	return all, nil
}

// bencher runs the pipeline on generated data.
type bencher struct {
	dir, tool string
	vars      []string
	runs      int
}

// measured is one run of the pipeline.
type measured struct {
	tools, servers, queries int
	used                    timing.TreeUsage
	wall                    map[string]time.Duration // by stage
}

// measure generates the data and runs the pipeline on it with an empty cache.
func (b *bencher) measure(tools, queries int) (measured, error) {
	m := measured{tools: tools, servers: tools / toolsPerServer, queries: queries, wall: map[string]time.Duration{}}
	b.runs++
	data := filepath.Join(b.dir, fmt.Sprint("data-", b.runs))
	made, err := exec.Command(b.tool, "data", "synthesize", "--tools", strconv.Itoa(tools), "--servers",
		strconv.Itoa(m.servers),
		"--queries", strconv.Itoa(queries), "-o", data).CombinedOutput()
	if err != nil {
		return m, fmt.Errorf("making the data: %w\n%s", err, made)
	}

	args := append([]string{
		"run", "--json", "--progress", "quiet", "--until", "aggregate", "--cache-dir",
		filepath.Join(b.dir, fmt.Sprint("store-", b.runs)),
		"--var", "corpus=" + filepath.Join(data, "corpus.json"), "--var", "golden=" +
			filepath.Join(data, "golden.json"),
		"--var", "runs=1", "--var", "proxy_process.ready_timeout=8m",
	}, b.vars...)
	cmd := exec.Command(b.tool, args...)
	var facts, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &facts, &said
	fmt.Fprintf(os.Stderr, "%d tools, %d queries\n", tools, queries)
	m.used, err = timing.RunTree(cmd, lookEvery, stageOf)
	if err != nil {
		return m, fmt.Errorf("%d tools and %d queries: %w\n%s", tools, queries, err, said.String())
	}

	var run struct {
		Stages []struct {
			Stage  string
			Millis int64 `json:"duration_ms"`
		}
	}
	if err := json.Unmarshal(facts.Bytes(), &run); err != nil {
		return m, fmt.Errorf("parsing the output of the run: %w", err)
	}

	for _, s := range run.Stages {
		m.wall[s.Stage] += time.Duration(s.Millis) * time.Millisecond
	}

	return m, nil
}

// stageOf returns the stage of a process with these arguments.
func stageOf(argv []string) string {
	if len(argv) > 2 && argv[1] == "stage" {
		return argv[2]
	}
	return ""
}
