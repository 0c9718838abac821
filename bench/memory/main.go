//go:build unix

// Command memory prints the resident memory and the time of runs over large files and over many files: one that
// executes, publishes and copies, and one that finds the results in the store. With many files, it also exports and
// imports the results.
//
//	bench/run memory [-mib 512,3072] [-files 100000]
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

// largePipeline writes a file of a number of bytes and publishes it.
const largePipeline = `pipeline {
  name    = "memory"
  publish = { published = stage.big.d }
}
stage "big" {
  outputs = { d = "out/d/" }
  command = ["sh", "-c", "mkdir \"$1\"; head -c %d /dev/urandom > \"$1/file\"", "sh", output.d]
}
`

// manyPipeline copies a directory and publishes it.
const manyPipeline = `pipeline {
  name    = "memory"
  publish = { published = stage.many.d }
}
stage "many" {
  inputs  = { source = "many/" }
  outputs = { d = "out/d/" }
  command = ["sh", "-c", "cp -R \"$1\" \"$2\"", "sh", input.source, output.d]
}
`

func main() {
	sizes := flag.String("mib", "512", "sizes of the file in MiB, separated by commas")
	files := flag.String("files", "100000", "numbers of files, separated by commas")
	flag.Parse()
	if err := bench(*sizes, *files); err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

func bench(sizes, files string) error {
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

		p := project{tool, filepath.Join(dir, "large"), fmt.Sprintf("%d MiB", mib)}
		if err := p.measure(fmt.Sprintf(largePipeline, mib<<20), 0); err != nil {
			return err
		}
	}

	for _, field := range strings.Split(files, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return fmt.Errorf("-files %q: %w", files, err)
		}

		p := project{tool, filepath.Join(dir, "many"), fmt.Sprintf("%d files", n)}
		if err := p.measure(manyPipeline, n); err != nil {
			return err
		}
	}

	return nil
}

// project is a pipeline in a directory. of says what it works on.
type project struct{ tool, dir, of string }

// measure prints the memory of the commands over a pipeline whose source has a number of files. It removes the project
// at the end.
func (p *project) measure(pipeline string, files int) error {
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return err
	}

	defer os.RemoveAll(p.dir)
	if err := os.WriteFile(filepath.Join(p.dir, "pipeline.hcl"), []byte(pipeline), 0o644); err != nil {
		return err
	}

	for i := range files {
		below := filepath.Join(p.dir, "many", strconv.Itoa(i/1000))
		if i%1000 == 0 {
			if err := os.MkdirAll(below, 0o755); err != nil {
				return err
			}
		}

		if err := os.WriteFile(filepath.Join(below, strconv.Itoa(i)), fmt.Appendln(nil, "file", i), 0o644); err != nil {
			return err
		}
	}

	commands := []struct{ what, args string }{
		{"executed", "run --progress quiet --cache-dir store -o executed"},
		{"a hit", "run --progress quiet --cache-dir store -o hit"},
	}
	if files > 0 {
		commands = append(commands, []struct{ what, args string }{
			{"exported", "cache export --cache-dir store archive"},
			{"imported", "cache import --trust --cache-dir imported archive"},
		}...)
	}

	for _, c := range commands {
		cmd := exec.Command(p.tool, strings.Fields(c.args)...)
		cmd.Dir, cmd.Stderr = p.dir, os.Stderr
		began := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s, %s: %w", p.of, c.what, err)
		}

		usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		fmt.Printf("%12s, %-8s  %4d MiB resident, %s\n", p.of, c.what, usage.Maxrss>>10,
			time.Since(began).Round(time.Millisecond))
	}

	return nil
}
