// Command gate times the real pipeline, cold and warm, and compares it with ninja on a
// graph with as many stages. It also measures what the engine adds to each executed
// stage, compared with ninja executing the same commands.
//
//	bench/run gate [-runs 15] [-copies 500]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

func main() {
	runs := flag.Int("runs", 15, "timed warm runs")
	copies := flag.Int("copies", 500, "size of the graph for measuring the overhead of the engine")
	flag.Parse()
	if err := bench(*runs, *copies); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

func bench(runs, copies int) error {
	dir, tool, err := timing.Workspace("gate")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	store := filepath.Join(dir, "store")
	// A used cache directory is moved aside and removed at the end. After many files were
	// removed, ext4 without a journal creates files slowly for minutes, which
	// would slow down the next run.
	used := 0
	fresh := func() error {
		used++
		err := os.Rename(store, filepath.Join(dir, fmt.Sprint("used-", used)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}

		return err
	}

	gate := []string{tool, "gate", "--progress", "quiet", "--cache-dir", store}
	cold, err := timing.Compare(os.Stdout, 0, 3, timing.Contender{Name: "touchstone", Argv: gate, Before: fresh})
	if err != nil {
		return err
	}

	timing.Print(os.Stdout, "the real pipeline, cold (empty cache)", cold)

	small := filepath.Join(dir, "small")
	if err := timing.WriteGraph(small, 24); err != nil {
		return err
	}

	warm, err := timing.Compare(os.Stdout, 2, runs,
		timing.Contender{Name: "touchstone", Argv: gate},
		timing.Contender{Name: "ninja", Dir: small, Argv: []string{"ninja", "--quiet"}},
	)
	if err != nil {
		return err
	}

	timing.Print(os.Stdout, "the real pipeline, nothing to do (ninja: 25 copies)", warm)

	graph := filepath.Join(dir, "copies")
	if err := timing.WriteGraph(graph, copies); err != nil {
		return err
	}

	for _, jobs := range []string{"1", strconv.Itoa(runtime.NumCPU())} {
		executed, err := timing.Compare(os.Stdout, 1, 5,
			timing.Contender{Name: "touchstone", Dir: graph, Before: fresh,
				Argv: []string{tool, "run", "-j", jobs, "--progress", "quiet", "--cache-dir", store}},
			timing.Contender{Name: "ninja", Dir: graph, Before: func() error { return timing.ClearGraph(graph) },
				Argv: []string{"ninja", "-j", jobs, "--quiet"}},
		)
		if err != nil {
			return err
		}

		timing.Print(os.Stdout, fmt.Sprintf("executing %d copies, %s at a time", copies, jobs), executed)
		if len(executed) == 2 {
			each := func(d time.Duration) time.Duration {
				return (d / time.Duration(copies+
					1)).Round(10 * time.Microsecond)
			}
			fmt.Printf("  the engine adds %s to a stage (between the medians; %s between the shortest times)\n",
				each(executed[0].Median()-executed[1].Median()), each(executed[0].Times[0]-executed[1].Times[0]))
		}
	}

	return nil
}
