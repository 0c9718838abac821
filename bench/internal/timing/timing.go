// Package timing times whole processes. It runs several contenders in turn, so that a
// change in the speed of the machine affects all of them alike.
package timing

import (
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Contender is one command. Before, if set, runs untimed before each run.
type Contender struct {
	Name   string
	Argv   []string
	Dir    string
	Before func() error
}

// usage holds the costs of one run: wall time, processor time of all threads and
// children, and the peak memory in bytes of the process itself.
type usage struct {
	wall, cpu time.Duration
	peak      int64
}

// run runs the command once.
func (c Contender) run() (usage, error) {
	if c.Before != nil {
		if err := c.Before(); err != nil {
			return usage{}, err
		}
	}

	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir = c.Dir
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	u := usage{wall: time.Since(start)}
	if err != nil {
		return u, fmt.Errorf("%s: %w\n%s", c.Name, err, out.String())
	}

	u.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	u.peak = peakOf(cmd.ProcessState)
	return u, nil
}

// Sample holds the measurements of one contender.
type Sample struct {
	Name  string
	Times []time.Duration // ascending
	CPU   []time.Duration // processor time, ascending
	Peak  int64           // bytes
}

// Median returns the median wall time.
func (s Sample) Median() time.Duration { return s.Times[len(s.Times)/2] }

// Compare runs all contenders in turn, after a warm-up. It leaves out a contender whose
// program is not installed, and prints a line that says so.
func Compare(w io.Writer, warmup, runs int, contenders ...Contender) ([]Sample, error) {
	var present []Contender
	for _, c := range contenders {
		if _, err := exec.LookPath(c.Argv[0]); err != nil {
			fmt.Fprintf(w, "%s is not installed and is left out\n", c.Name)
			continue
		}

		present = append(present, c)
	}

	samples := make([]Sample, len(present))
	for round := range warmup + runs {
		for i, c := range present {
			u, err := c.run()
			if err != nil {
				return nil, err
			}

			samples[i].Name = c.Name
			if round >= warmup {
				samples[i].Times = append(samples[i].Times, u.wall)
				samples[i].CPU = append(samples[i].CPU, u.cpu)
				samples[i].Peak = max(samples[i].Peak, u.peak)
			}
		}
	}

	for i := range samples {
		slices.Sort(samples[i].Times)
		slices.Sort(samples[i].CPU)
	}

	return samples, nil
}

// MedianCPU returns the median processor time.
func (s Sample) MedianCPU() time.Duration { return s.CPU[len(s.CPU)/2] }

// Print writes a row for each sample: wall times, the median processor time,
// and the ratio of the first sample to it.
func Print(w io.Writer, title string, samples []Sample) {
	fmt.Fprintf(w, "%s\n  %-12s %10s %10s %10s %10s %9s\n", title, "", "min", "median", "max", "processor", "peak")
	for i, s := range samples {
		fmt.Fprintf(w, "  %-12s %10s %10s %10s %10s %5d MiB", s.Name,
			short(s.Times[0]), short(s.Median()), short(s.Times[len(s.Times)-1]), short(s.MedianCPU()), s.Peak>>20)
		if i > 0 {
			fmt.Fprintf(w, "   %s / %s = %.2f, of processor time %.2f", samples[0].Name, s.Name,
				float64(samples[0].Median())/float64(s.Median()),
				float64(samples[0].MedianCPU())/float64(s.MedianCPU()))
		}
		fmt.Fprintln(w)
	}
}

func short(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
