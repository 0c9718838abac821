// Command noop times a run that has nothing to do, on graphs of copy stages and one
// stage that concatenates the copies, and compares it with ninja and make on the same
// graph.
//
//	bench/run noop [-n 1000,10000] [-runs 9]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

func main() {
	sizes := flag.String("n", "1000,10000", "numbers of copy stages, separated by commas")
	runs := flag.Int("runs", 9, "timed runs of each")
	flag.Parse()
	if err := bench(*sizes, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "noop:", err)
		os.Exit(1)
	}
}

func bench(sizes string, runs int) error {
	dir, tool, err := timing.Workspace("noop")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	for _, field := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return fmt.Errorf("-n %q: %w", sizes, err)
		}

		graph := filepath.Join(dir, field)
		if err := timing.WriteGraph(graph, n); err != nil {
			return err
		}

		samples, err := timing.Compare(os.Stdout, 2, runs,
			timing.Contender{Name: "touchstone", Dir: graph,
				Argv: []string{tool, "run", "--progress", "quiet", "--cache-dir", filepath.Join(dir, "store")}},
			timing.Contender{Name: "ninja", Dir: graph, Argv: []string{"ninja", "--quiet"}},
			timing.Contender{Name: "make", Dir: graph, Argv: []string{"make", "--silent"}},
		)
		if err != nil {
			return err
		}

		timing.Print(os.Stdout, fmt.Sprintf("nothing to do, %d copies and one concatenation", n), samples)
	}

	return nil
}
