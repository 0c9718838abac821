// Command proxies measures the systems in systems.go, and writes the tables of
// docs/explanation/proxies.md: first ranking and tokens, then times and memory.
//
//	bench/run proxies -sources DIR [-only ranking|times] [-data v2|real] [-model DIR] [-systems NAME,...]
//	    [-page FILE] [-picture FILE]
//
// DIR has the sources of the proxies of others, each at its pinned version. A system that
// is missing there, or that does not run, gets a line with the reason.
//
// Times depend on the machine and on what else runs there. Those of one run belong together,
// and the ratio to all-tools, which answers without a search, depends on the machine least.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

type options struct {
	sources, only, page, picture string
	data, model                  string
	on                           dataset
	chosen                       string
	runs                         int
	sizes                        []int
	queries, clients             int
	ready, budget                time.Duration
}

func main() {
	var o options
	var sizes string
	flag.StringVar(&o.sources, "sources", "..", "the directory with the sources of the proxies of others")
	flag.StringVar(&o.only, "only", "", "ranking or times; empty for both")
	flag.StringVar(&o.data, "data", "v2", "what the ranking is measured on: v2, or real, which touchstone data fetch "+
		"real reads")
	flag.StringVar(&o.model, "model", "", "the directory that touchstone models path prints, for the systems that "+
		"need a sentence model")
	flag.StringVar(&o.chosen, "systems", "", "names of systems, separated by commas; empty for all")
	flag.StringVar(&o.page, "page", "", "write the tables into this page, instead of to standard output")
	flag.StringVar(&o.picture, "picture", "", "write recall against tokens into this file, as SVG")
	flag.IntVar(&o.runs, "runs", 1, "runs of the ranking, each with another order of the tools")
	flag.StringVar(&sizes, "tools", "500,2000,10000", "numbers of tools for the times, separated by commas")
	flag.IntVar(&o.queries, "queries", 200, "how many queries are timed")
	flag.IntVar(&o.clients, "clients", 16, "how many clients ask at once")
	flag.DurationVar(&o.ready, "ready", 5*time.Minute, "how long a proxy may take to be ready")
	flag.DurationVar(&o.budget, "budget", time.Minute,
		"how long the queries of one figure may take; fewer are timed then")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := o.parseSizes(sizes)
	if err == nil {
		err = bench(ctx, o)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "proxies:", err)
		stop()
		os.Exit(1)
	}
}

func (o *options) parseSizes(list string) error {
	for field := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < toolsPerServer {
			return fmt.Errorf("-tools %q: %q is not a number from %d", list, field, toolsPerServer)
		}
		o.sizes = append(o.sizes, n)
	}
	return nil
}

func bench(ctx context.Context, o options) error {
	if o.only != "" && o.only != "ranking" && o.only != "times" {
		return fmt.Errorf("-only %q: use ranking or times", o.only)
	}

	var known bool
	if o.on, known = datasets[o.data]; !known {
		return fmt.Errorf("-data %q: use v2 or real", o.data)
	}

	chosen, err := choose(systems, o.chosen)
	if err != nil {
		return err
	}

	dir, tool, err := timing.Workspace("proxies")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	b := &bencher{options: o, dir: dir, tool: tool}
	if err := b.build(ctx, chosen); err != nil {
		return err
	}

	if o.only != "times" {
		ranked, err := b.ranking(ctx)
		if err != nil {
			return err
		}

		if b.picture != "" {
			if err := os.WriteFile(b.picture, []byte(picture(lines(ranked))), 0o644); err != nil {
				return err
			}
		}

		if err := b.publish(b.on.section, rankingText(ranked, b.on)+"\n"+b.provenance("")); err != nil {
			return err
		}
	}

	if o.only != "ranking" {
		before := timing.Load()
		timed, interrupted := b.times(ctx)
		load := fmt.Sprintf(" The load average of the machine was %s before and %s after.", before, timing.Load())
		if err := b.publish("measured times", timesText(timed, o.clients)+"\n"+b.provenance(load)); err != nil {
			return err
		}

		return interrupted // after what was measured before it
	}

	return nil
}

// provenance says when and where the figures above it were measured.
func (b *bencher) provenance(more string) string {
	return fmt.Sprintf("Measured on %s, %s/%s with %d processors, %s.%s\n", time.Now().UTC().Format("2 January 2006"),
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), more)
}

// publish writes the text of a section into the page, or prints it.
func (b *bencher) publish(section, text string) error {
	if b.page == "" {
		fmt.Printf("%s\n", text)
		return nil
	}

	page, err := os.ReadFile(b.page)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}

	made, err := withSection(string(page), section, text)
	if err != nil {
		return fmt.Errorf("%s: %w", b.page, err)
	}

	return os.WriteFile(b.page, []byte(made), 0o644)
}
