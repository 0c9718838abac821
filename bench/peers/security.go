package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// stopsVerb runs this program as a detector that flags what fails a build.
const stopsVerb = "as-stops"

func serveStops() error {
	judge, err := detectors.Stops()
	if err != nil {
		return err
	}
	return detectors.ServeFunc(judge, os.Stdin, os.Stdout)
}

// peer is a scanner as a detector.
type peer struct {
	name string
	// flags end the command line of score-security, and select the detector.
	flags []string
	// strict selects the detector that flags only what fails a build. Nil means that the
	// scanner has one level.
	strict []string
}

// find prints what each scanner finds in each corpus.
func (o options) find(dir, tool string) error {
	if len(o.security) == 0 {
		return nil
	}

	peers, err := o.peers(dir)
	if err != nil {
		return err
	}

	for _, file := range o.security {
		fmt.Printf("%s:\n%-12s %18s %18s %22s %22s %8s\n", file, "", "attacks caught", "attacks stopped",
			"hard negatives", "plain tools", "errors")
		for _, p := range peers {
			report, err := score(dir, tool, file, p.name, p.flags)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}

			caught := count(report.PerEntry)
			stopped := caught
			if p.strict != nil {
				strict, err := score(dir, tool, file, p.name, p.strict)
				if err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}

				stopped = count(strict.PerEntry)
			}

			fmt.Printf("%-12s %18s %18s %22s %22s %8d\n", p.name, share(caught.attacks), share(stopped.attacks),
				flaggedAndStopped(caught.hard, stopped.hard), flaggedAndStopped(caught.plain, stopped.plain),
				report.Detector.Errored)
		}
	}

	return nil
}

// peers returns the scanners that flags name, and two of Touchstone's detectors.
func (o options) peers(dir string) ([]peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}

	list := []peer{
		{name: "touchstone", flags: []string{"--detector", "scanner"},
			strict: []string{"--detector", "touchstone", "--", self, stopsVerb}},
		{name: "keywords", flags: []string{"--detector", "keywords"}},
	}
	if o.aguara != "" {
		adapter := filepath.Join(dir, "aguara-adapter")
		build := exec.Command("go", "build", "-o", adapter, "./examples/detectors/aguara")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("building the adapter of aguara: %w", err)
		}

		at := func(severity string) []string {
			return []string{"--detector", "aguara", "--entry-timeout", "1m", "--", adapter, "-aguara", o.aguara,
				"-severity", severity}
		}
		list = append(list, peer{name: "aguara", flags: at("medium"), strict: at("high")})
	}

	if o.pipelock != "" {
		list = append(list, peer{name: "pipelock",
			flags: []string{"--detector", "pipelock", "--entry-timeout", "1m", "--", self, pipelockVerb, o.pipelock}})
	}

	if o.mcpproxy != "" {
		detectors, err := o.adapted(dir)
		if err != nil {
			return nil, err
		}

		list = append(list, peer{name: "mcpproxy-go",
			flags:  []string{"--detector", "mcpproxy-scanner-warnings", "--adapted", detectors},
			strict: []string{"--detector", "mcpproxy-scanner", "--adapted", detectors}})
	}

	return list, nil
}

// adapted builds the detectors of the adapter for mcpproxy-go.
func (o options) adapted(dir string) (string, error) {
	detectors := filepath.Join(dir, "detectors")
	return detectors, run(filepath.Join(dir, "touchstone"), "stage", "build-proxy", "--adapter",
		"adapters/mcpproxy.hcl", "--source", o.mcpproxy, "--detectors", detectors, "--out", filepath.Join(dir, "proxy"))
}

// score runs a detector over a corpus.
func score(dir, tool, file, name string, flags []string) (contracts.SecurityReport, error) {
	out := filepath.Join(dir, "security.json")
	args := append([]string{"stage", "score-security", "--security", file, "--run", "1", "--out", out}, flags...)
	if err := run(tool, args...); err != nil {
		return contracts.SecurityReport{}, err
	}
	return contracts.Read[contracts.SecurityReport](out)
}

func run(program string, args ...string) error {
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

// found counts the entries of a class that a scanner flags.
type found struct{ flagged, total int }

// figures are the counts of one scanner on one corpus.
type figures struct{ attacks, hard, plain found }

// count counts the flagged entries of each class.
func count(entries []contracts.EntryResult) figures {
	var f figures
	for _, e := range entries {
		class := &f.attacks
		switch e.Category {
		case contracts.CategoryHardNegative:
			class = &f.hard
		case contracts.CategoryBenign:
			class = &f.plain
		}

		class.total++
		if e.Verdict == contracts.VerdictFlagged {
			class.flagged++
		}
	}

	return f
}

func share(f found) string {
	if f.total == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f (%d of %d)", float64(f.flagged)/float64(f.total), f.flagged, f.total)
}

func flaggedAndStopped(flagged, stopped found) string {
	if flagged.total == 0 {
		return "-"
	}
	return fmt.Sprintf("%d, %d stopped, of %d", flagged.flagged, stopped.flagged, flagged.total)
}
