// Program remote measures what a remote cache costs and saves, with bazel-remote on this machine:
//
//   - the gate of this repository in a fresh clone, computed, with a warm cache here, and with a warm
//     server and no cache
//   - lookups of results: one after the other, and many at once
//   - a run of short stages with and without uploads
//
// With -workers, it measures runs of sleeping instances on workers instead, beside local runs: those of the
// server that -executor names, or processes of this machine. With -memory, it measures what the program
// holds for many instances.
//
// Run it in the root of the repository, with CGO_ENABLED=0 for workers.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
)

func main() {
	gate := flag.Bool("gate", true, "measure the gate of this repository")
	results := flag.Int("results", 10_000, "the number of results that are looked up")
	stages := flag.Int("stages", 200, "the number of stages of the run that uploads")
	rounds := flag.Int("rounds", 5, "how often runs that upload are measured")
	workers := flag.String("workers", "", "measure runs on these numbers of workers, such as 2,4,8")
	executor := flag.String("executor", "", "with -workers: the address of a server that has that many")
	naps := flag.Int("naps", 1000, "with -workers: the number of instances that sleep")
	memory := flag.String("memory", "", "measure the memory of runs with these numbers of instances, such as "+
		"1000,100000")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *workers != "" || *memory != "" {
		err = measureWorkers(ctx, *workers, *executor, *naps, *memory)
	} else {
		err = measure(ctx, *gate, *results, *stages, *rounds)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "remote:", err)
		os.Exit(1)
	}
}

// bench is the place of all measurements.
type bench struct {
	dir, tool, key, allowed string
	program                 string             // of servers
	server                  *remotetest.Server // of all measurements but those of the gate
}

func measure(ctx context.Context, gate bool, results, stages, rounds int) error {
	dir, tool, err := timing.Workspace("remote")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	b := &bench{dir: dir, tool: tool, key: filepath.Join(dir, "key"), allowed: filepath.Join(dir, "allowed")}
	if out, err := exec.CommandContext(ctx, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f",
		b.key).CombinedOutput(); err != nil {
		return fmt.Errorf("making a key: %w: %s", err, out)
	}

	public, err := os.ReadFile(b.key + ".pub")
	if err != nil {
		return err
	}

	if err := os.WriteFile(b.allowed, append([]byte("ci "), public...), 0o644); err != nil {
		return err
	}

	if b.program, err = remotetest.Program(ctx, filepath.Join("bench", "remote", "server")); err != nil {
		return err
	}

	if b.server, err = b.empty(ctx, "server"); err != nil {
		return err
	}

	defer b.server.Kill()
	if gate {
		if err := b.gate(ctx, rounds); err != nil {
			return err
		}
	}

	if err := b.lookups(ctx, results); err != nil {
		return err
	}

	return b.uploads(ctx, stages, rounds)
}

// measureWorkers measures the remote executor.
func measureWorkers(ctx context.Context, workers, executor string, naps int, memory string) error {
	dir, tool, err := timing.Workspace("remote")
	if err != nil {
		return err
	}

	defer os.RemoveAll(dir)
	b := &bench{dir: dir, tool: tool, allowed: filepath.Join(dir, "allowed")}
	each := func(list string, measure func(int) error) error {
		for text := range strings.SplitSeq(list, ",") {
			if text == "" {
				continue
			}

			n, err := strconv.Atoi(text)
			if err == nil {
				err = measure(n)
			}

			if err != nil {
				return err
			}
		}

		return nil
	}
	if err := each(workers, func(n int) error { return b.naps(ctx, executor, n, naps) }); err != nil {
		return err
	}

	return each(memory, func(n int) error { return b.memory(ctx, n) })
}

// facts are the parts of run --json that are measured.
type facts struct {
	Hits     int `json:"hits"`
	Executed int `json:"executed"`
	Remote   struct {
		Lookups      int    `json:"lookups"`
		Found        int    `json:"found"`
		Fetched      int    `json:"fetched"`
		FetchedBytes int64  `json:"fetched_bytes"`
		Uploaded     int    `json:"uploaded"`
		Bytes        int64  `json:"uploaded_bytes"`
		Problem      string `json:"problem"`
	} `json:"remote"`
}

// run runs the program in a directory and returns how long it took.
func (b *bench) run(ctx context.Context, work, store string, args ...string) (facts, time.Duration, error) {
	return b.runWith(ctx, work, store, nil, args...)
}

// runWith also sets variables, NAME=VALUE.
func (b *bench) runWith(ctx context.Context, work, store string, variables []string, args ...string) (facts,
	time.Duration, error) {
	cmd := exec.CommandContext(ctx, b.tool, append(args, "--json", "--progress", "quiet")...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+filepath.Join(b.dir, store), "TOUCHSTONE_ALLOWED_SIGNERS="+
		b.allowed)
	cmd.Env = append(cmd.Env, variables...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	var f facts
	if err != nil {
		return f, took, fmt.Errorf("%s %s: %w", b.tool, strings.Join(args, " "), err)
	}

	if slices.Contains(args, "gate") {
		var g struct{ Run facts }
		err, f = json.Unmarshal(out, &g), g.Run
	} else {
		err = json.Unmarshal(out, &f)
	}

	if err == nil && f.Remote.Problem != "" {
		err = errors.New(f.Remote.Problem)
	}

	return f, took, err
}

// empty starts a server without content.
func (b *bench) empty(ctx context.Context, name string) (*remotetest.Server, error) {
	return remotetest.Start(ctx, b.program, filepath.Join(b.dir, name), "--enable_ac_key_instance_mangling")
}

// remote are the variables of a run with a server.
func (b *bench) remote(server *remotetest.Server, mode string) []string {
	return []string{"TOUCHSTONE_REMOTE_CACHE=" + server.Address, "TOUCHSTONE_REMOTE_MODE=" + mode,
		"TOUCHSTONE_REMOTE_SIGN=" + b.key}
}

func (b *bench) gate(ctx context.Context, rounds int) error {
	fmt.Println("the gate of this repository, in a fresh clone:")
	clone := func(name string) (string, error) {
		to := filepath.Join(b.dir, name)
		out, err := exec.CommandContext(ctx, "git", "clone", "-q", ".", to).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("git clone: %w: %s", err, out)
		}

		return to, err
	}
	one, err := clone("one")
	if err != nil {
		return err
	}

	var f facts
	var took time.Duration
	var without, with []time.Duration
	var server *remotetest.Server
	for i := range rounds {
		if _, took, err = b.run(ctx, one, fmt.Sprint("one-store-", i), "gate"); err != nil {
			return err
		}

		without = append(without, took)
		// A server of its own: instances of one server share their content.
		if server, err = b.empty(ctx, fmt.Sprint("server-", i)); err != nil {
			return err
		}

		defer server.Kill()
		if f, took, err = b.runWith(ctx, one, fmt.Sprint("one-store-with-", i), b.remote(server, "read-write"),
			"gate"); err != nil {
			return err
		}

		if f.Remote.Uploaded != f.Executed {
			return fmt.Errorf("%d of %d results uploaded", f.Remote.Uploaded, f.Executed)
		}

		with = append(with, took)
	}

	a, c := median(without), median(with)
	fmt.Printf("  computed                    %8.3f s  %3d executed, median of %d\n", a.Seconds(), f.Executed, rounds)
	fmt.Printf("  computed, and uploaded      %8.3f s  %3d executed, %s of content, %+.1f%%\n", c.Seconds(), f.Executed,
		kib(f.Remote.Bytes), 100*(c.Seconds()/a.Seconds()-1))
	if f, took, err = b.run(ctx, one, "one-store-0", "gate"); err != nil {
		return err
	}

	fmt.Printf("  again, from the cache here  %8.3f s  %3d executed\n", took.Seconds(), f.Executed)
	for i := range 3 {
		fresh, err := clone(fmt.Sprint("fresh-", i))
		if err != nil {
			return err
		}

		if f, took, err = b.runWith(ctx, fresh, fmt.Sprint("fresh-store-", i), b.remote(server, "read"),
			"gate"); err != nil {
			return err
		}

		fmt.Printf("  no cache, from the server   %8.3f s  %3d executed, %d lookups, %d contents fetched, %s\n",
			took.Seconds(), f.Executed, f.Remote.Lookups, f.Remote.Fetched, kib(f.Remote.FetchedBytes))
	}

	return nil
}

func kib(n int64) string { return fmt.Sprintf("%.1f KiB", float64(n)/1024) }

// uploads compares a run of short stages with and without uploads.
func (b *bench) uploads(ctx context.Context, stages, rounds int) error {
	work := filepath.Join(b.dir, "stages")
	if err := os.Mkdir(work, 0o755); err != nil {
		return err
	}

	pipeline := fmt.Sprintf(`variable "round" {}
stage "short" {
  matrix  { n = range(%d) }
  outputs = { result = "out/result" }
  command = ["sh", "-c", "sleep .05; seq ${matrix.n} 20000 > out/result; echo ${var.round} >> out/result"]
}
`, stages)
	if err := os.WriteFile(filepath.Join(work, "pipeline.hcl"), []byte(pipeline), 0o644); err != nil {
		return err
	}

	var without, with []time.Duration
	for i := range rounds {
		f, took, err := b.run(ctx, work, fmt.Sprint("without-", i), "run", "--var", fmt.Sprintf("round=%d", i))
		if err != nil {
			return err
		}

		without = append(without, took)
		if f.Executed != stages {
			return fmt.Errorf("%d stages executed, not %d", f.Executed, stages)
		}

		f, took, err = b.runWith(ctx, work, fmt.Sprint("with-", i), b.remote(b.server, "read-write"), "run", "--var",
			fmt.Sprintf("round=%d", i))
		if err != nil {
			return err
		}

		if f.Remote.Uploaded != stages {
			return fmt.Errorf("%d results uploaded, not %d", f.Remote.Uploaded, stages)
		}

		with = append(with, took)
	}

	a, c := median(without), median(with)
	fmt.Printf("a run of %d stages of 50 ms, median of %d:\n", stages, rounds)
	fmt.Printf("  without a server            %8.3f s\n", a.Seconds())
	fmt.Printf("  with uploads of all results %8.3f s  %+.1f%%, with the wait at the end\n", c.Seconds(),
		100*(c.Seconds()/a.Seconds()-1))
	return nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}
