//go:build unix

// Command memory prints the resident memory and the time of runs over large files: one that executes, publishes and
// copies, and one that finds the results in the store.
//
//	bench/run memory [-mib 512,3072]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

// pipeline writes a file of a number of bytes and publishes it.
const pipeline = `pipeline {
  name    = "memory"
  publish = { published = stage.big.d }
}
stage "big" {
  outputs = { d = "out/d/" }
  command = ["sh", "-c", "mkdir \"$1\"; head -c %d /dev/urandom > \"$1/file\"", "sh", output.d]
}
`

func main() {
	sizes := flag.String("mib", "512", "sizes of the file in MiB, separated by commas")
	flag.Parse()
	if err := bench(*sizes); err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

func bench(sizes string) error {
	dir, tool, err := timing.Workspace("memory")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	for _, field := range strings.Split(sizes, ",") {
		mib, err := strconv.ParseInt(strings.TrimSpace(field), 10, 32)
		if err != nil {
			return fmt.Errorf("-mib %q: %w", sizes, err)
		}

		at := filepath.Join(dir, field)
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}

		if err := os.WriteFile(filepath.Join(at, "pipeline.hcl"), fmt.Appendf(nil, pipeline, mib<<20),
			0o644); err != nil {
			return err
		}

		for _, what := range []string{"executed", "a hit"} {
			out := strings.ReplaceAll(what, " ", "-")
			cmd := exec.Command(tool, "run", "--progress", "quiet", "--cache-dir", filepath.Join(at, "store"), "-o",
				out)
			cmd.Dir, cmd.Stderr = at, os.Stderr
			began := time.Now()
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}

			usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			fmt.Printf("%5d MiB, %-8s  %4d MiB resident, %s\n", mib, what, usage.Maxrss>>10,
				time.Since(began).Round(time.Millisecond))
		}

		if err := os.RemoveAll(at); err != nil {
			return err
		}
	}

	return nil
}
