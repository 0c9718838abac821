package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

// campaign is one kind of attack.
type campaign struct {
	name, about string
	// short and long are the numbers of trials without and with -long.
	short, long int
	run         func(ctx context.Context, a *attack) error
}

// campaigns are all of them, in the order of the table.
var campaigns = []campaign{
	{"kill", "kills of the process at a random system call that opens or writes", 10, 5000, killProcess},
	{"kill-group", "kills of all processes at a random system call that opens or writes", 10, 5000, killGroup},
	{"errors", "system calls that fail with ENOSPC, EIO, EDQUOT or EMFILE", 20, 8000, failCalls},
	{"damage", "bits that flip, and files of the cache that are cut or zeroed", 2000, 100_000, damageCache},
	{"writers", "seconds with 64 runs at once and a collector of garbage", 5, 600, manyWriters},
	{"archives", "archives with flipped bits, cuts and forged parts", 20, 1000, hostileArchives},
	{"forgeries", "signed archives with false outputs, keys or signatures", 20, 1000, forgedResults},
	{"servers", "servers with flaws, scanned and scored over stdio, HTTP, event streams and as proxies", 15, 1000,
		hostileServers},
	{"remote-forged", "answers of a remote cache with false outputs, keys or signatures", 16, 1000, remoteForged},
	{"remote-garbled", "garbled answers of each method of a remote cache", 16, 1600, remoteGarbled},
	{"remote-cut", "connections with a remote cache that stall, end or change a bit after any number of bytes", 8, 2000,
		remoteCut},
	{"remote-clients", "runs of 64 machines with one remote cache", 64, 1000, remoteClients},
	{"remote-kills", "kills of the client or the server of a remote cache", 6, 500, remoteKills},
	{"clock", "commands that read a clock which is set back and forth", 6, 500, setClock},
	{"file-times", "jumps of the clock, as the times of all files of the cache", 10, 200, moveFileTimes},
}

// attack is one campaign as it runs: what it attacks, and what it found.
type attack struct {
	*subject
	random *rand.Rand
	trials int
	tally
}

// tally is what a campaign found.
type tally struct {
	done, wrong, hangs, leftovers int
	peak                          int64  // bytes
	largest                       string // what took the peak
	notes                         []string
}

// note keeps the first findings for the end of the output.
func (t *tally) note(format string, args ...any) {
	if len(t.notes) < 20 {
		t.notes = append(t.notes, fmt.Sprintf(format, args...))
	}
}

func (t *tally) found() int { return t.wrong + t.hangs + t.leftovers }

func main() {
	if len(os.Args) > 1 && os.Args[1] == launchVerb {
		launch(os.Args[2:])
	}

	if len(os.Args) > 1 && os.Args[1] == traceVerb {
		traceMain(os.Args[2:])
	}

	if len(os.Args) > 1 && os.Args[1] == serveVerb {
		serveMain(os.Args[2:])
	}

	long := flag.Bool("long", false, "run the numbers of trials that the documentation quotes")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random choices")
	as := flag.Int("as", -1, "run the program as this user, when started by root")
	flags := flag.String("flags", "", "flags of every run, separated by spaces, such as \"--executor dagger\"")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	found, err := runAll(ctx, options{long: *long, seed: *seed, as: *as, flags: strings.Fields(*flags)}, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "campaigns:", err)
		os.Exit(2)
	case found > 0:
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	long  bool
	seed  uint64
	as    int
	flags []string
}

// runAll runs the selected campaigns and prints what they found.
func runAll(ctx context.Context, o options, names []string) (found int, err error) {
	chosen, err := choose(o.long, names)
	if err != nil {
		return 0, err
	}

	dir, tool, err := timing.Workspace("campaigns")
	if err != nil {
		return 0, err
	}

	defer os.RemoveAll(dir)
	fmt.Printf("seed %d\n", o.seed)
	fmt.Printf("%-15s %8s %8s %8s %10s %10s %8s\n", "campaign", "trials", "wrong", "hangs", "leftovers", "peak MiB",
		"seconds")
	for i, c := range chosen {
		began := time.Now()
		s, err := newSubject(dir, tool, o.as, o.flags)
		if err != nil {
			return found, err
		}

		x := &attack{subject: s, random: rand.New(rand.NewPCG(o.seed, uint64(i))), trials: c.short}
		err = c.run(ctx, x)
		found += x.found()
		fmt.Printf("%-15s %8d %8d %8d %10d %10d %8.0f\n", c.name, x.done, x.wrong, x.hangs, x.leftovers, x.peak>>20,
			time.Since(began).Seconds())
		for _, n := range x.notes {
			fmt.Println("  " + n)
		}

		switch {
		case ctx.Err() != nil:
			return found, errors.New("interrupted")
		case err != nil:
			return found, fmt.Errorf("%s: %w", c.name, err)
		}

		if err := s.remove(); err != nil {
			return found, err
		}
	}

	return found, nil
}

// choose returns the campaigns of that names, with their trials in short.
func choose(long bool, names []string) ([]campaign, error) {
	chosen := slices.Clone(campaigns)
	if len(names) > 0 {
		chosen = nil
	}

	for _, arg := range names {
		name, count, counted := strings.Cut(arg, "=")
		i := slices.IndexFunc(campaigns, func(c campaign) bool { return c.name == name })
		if i < 0 {
			var known []string
			for _, c := range campaigns {
				known = append(known, fmt.Sprintf("  %s: %s", c.name, c.about))
			}

			return nil, fmt.Errorf("unknown campaign %q; the campaigns are\n%s", name, strings.Join(known, "\n"))
		}

		c := campaigns[i]
		if counted {
			n, err := strconv.Atoi(count)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("%q: give the number of trials as %s=100", arg, name)
			}

			c.short, c.long = n, n
		}

		chosen = append(chosen, c)
	}

	for i := range chosen {
		if long {
			chosen[i].short = cmp.Or(chosen[i].long, chosen[i].short)
		}
	}

	return chosen, nil
}
