// Package timing times whole processes from outside, several contenders in
// turn, so that a drifting machine slows all of them alike.
package timing

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Contender is one command. Before, when set, runs untimed before each run.
type Contender struct {
	Name   string
	Argv   []string
	Dir    string
	Before func() error
}

// Run runs it once and returns the wall time and the peak memory in bytes of
// the process itself.
func (c Contender) Run() (time.Duration, int64, error) {
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return 0, 0, err
		}
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir = c.Dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	d := time.Since(start)
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", c.Name, err, out.String())
	}
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return d, usage.Maxrss << 10, nil
}

// Sample is what one contender took.
type Sample struct {
	Name  string
	Times []time.Duration // ascending
	Peak  int64           // bytes
}

// Median is the middle time.
func (s Sample) Median() time.Duration { return s.Times[len(s.Times)/2] }

// Compare runs all contenders in turn, warm-up first. A contender whose
// program is not installed is left out, with a line that says so.
func Compare(w io.Writer, warmup, runs int, contenders ...Contender) ([]Sample, error) {
	var present []Contender
	for _, c := range contenders {
		if _, err := exec.LookPath(c.Argv[0]); err != nil {
			fmt.Fprintf(w, "%s is not installed and left out\n", c.Name)
			continue
		}
		present = append(present, c)
	}
	samples := make([]Sample, len(present))
	for round := range warmup + runs {
		for i, c := range present {
			d, peak, err := c.Run()
			if err != nil {
				return nil, err
			}
			samples[i].Name = c.Name
			if round >= warmup {
				samples[i].Times = append(samples[i].Times, d)
				samples[i].Peak = max(samples[i].Peak, peak)
			}
		}
	}
	for i := range samples {
		slices.Sort(samples[i].Times)
	}
	return samples, nil
}

// Print writes a row for each sample, with the first one's ratio to it.
func Print(w io.Writer, title string, samples []Sample) {
	fmt.Fprintf(w, "%s\n  %-12s %10s %10s %10s %9s\n", title, "", "min", "median", "max", "peak")
	for i, s := range samples {
		fmt.Fprintf(w, "  %-12s %10s %10s %10s %5d MiB", s.Name,
			short(s.Times[0]), short(s.Median()), short(s.Times[len(s.Times)-1]), s.Peak>>20)
		if i > 0 {
			fmt.Fprintf(w, "   %s / %s = %.2f", samples[0].Name, s.Name, float64(samples[0].Median())/float64(s.Median()))
		}
		fmt.Fprintln(w)
	}
}

func short(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
