// Command selection puts load on the evaluation of tool selection and makes things
// fail around it: a real touchstone eval serve, real HTTP, a real database, a fake
// provider of models. It prints figures and exits with 1 where something that was
// asked for is lost, done twice, or ends without a reason.
//
//	bench/run selection [-runs 100000] [-readers 50] [pages] [faults] [kill] [disk] [locked]
//	    [owners] [tools] [servers]
//
// Without names it runs all. disk needs root, for a small file system of its own.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

// trial is one load or fault. Each has an empty directory.
type trial struct {
	name string
	run  func(*bench) error
}

// bench is what a trial works with.
type bench struct {
	tool string // the program
	dir  string
	out  io.Writer
	size sizes
}

// sizes are the amounts of load.
type sizes struct {
	stored, readers, requests int // pages
	database                  string
	concurrent                int // faults
	killed                    int // kill
	listBytes, listTools      int // tools
	patience                  time.Duration
	pause                     time.Duration // pages
}

var trials = []trial{
	{"pages", pages}, {"faults", faults}, {"kill", kill}, {"disk", disk},
	{"locked", locked}, {"owners", owners}, {"tools", bigList}, {"servers", badServers},
}

// errSkipped says what a trial would need.
var errSkipped = errors.New("skipped")

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format+"\n", args...) }

func main() {
	size := sizes{concurrent: 200, killed: 100, listBytes: 50 << 20, listTools: 5000, patience: 5 * time.Minute}
	flag.IntVar(&size.stored, "runs", 100_000, "pages: runs that are stored")
	flag.StringVar(&size.database, "db", "", "pages: keep the database here, and use the one that is there")
	flag.IntVar(&size.readers, "readers", 50, "pages: readers at the same time")
	flag.DurationVar(&size.pause, "pause", 250*time.Millisecond,
		"pages: how long a reader looks at a page, on average; 0 asks as fast as the service answers")
	flag.IntVar(&size.requests, "requests", 40, "pages: requests of each reader")
	flag.Parse()
	if err := all(flag.Args(), size); err != nil {
		fmt.Fprintln(os.Stderr, "selection:", err)
		os.Exit(1)
	}
}

func all(names []string, size sizes) error {
	for _, name := range names {
		if !slices.ContainsFunc(trials, func(t trial) bool { return t.name == name }) {
			return fmt.Errorf("there is no trial %q", name)
		}
	}

	dir, tool, err := timing.Workspace("selection")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	var failed []error
	for _, t := range trials {
		if len(names) > 0 && !slices.Contains(names, t.name) {
			continue
		}

		began := time.Now()
		b := &bench{tool: tool, dir: filepath.Join(dir, t.name), out: os.Stdout, size: size}
		fmt.Printf("%s\n", t.name)
		if err := os.Mkdir(b.dir, 0o700); err != nil {
			return err
		}

		switch err := t.run(b); {
		case errors.Is(err, errSkipped):
			fmt.Printf("  %v\n", err)
		case err != nil:
			fmt.Printf("  FAILED: %v\n", err)
			failed = append(failed, fmt.Errorf("%s: %w", t.name, err))
		default:
			fmt.Printf("  passed in %.1f s\n", time.Since(began).Seconds())
		}
	}

	return errors.Join(failed...)
}
