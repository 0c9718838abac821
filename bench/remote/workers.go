package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
)

// napping is how long each instance of the runs on workers sleeps.
const napping = 200 * time.Millisecond

// matrix writes a pipeline with a matrix of instances that run a script, in a directory of its own.
func (b *bench) matrix(name, script string, instances int) (string, error) {
	work := filepath.Join(b.dir, name)
	if err := os.MkdirAll(work, 0o755); err != nil {
		return "", err
	}
	text := fmt.Sprintf(`stage "nap" {
  matrix  { n = range(%d) }
  outputs = { result = "out/result" }
  command = ["sh", "-c", %q, matrix.n]
}
`, instances, script)
	return work, os.WriteFile(filepath.Join(work, "pipeline.hcl"), []byte(text), 0o644)
}

// naps measures a run of sleeping instances on workers. at is a server with this number of workers, or empty
// for one of this process.
func (b *bench) naps(ctx context.Context, at string, workers, instances int) error {
	var own *remotetest.Memory
	if at == "" {
		var err error
		if own, err = remotetest.StartMemory(); err != nil {
			return err
		}

		defer own.Stop()
		own.Workers, at = workers, own.Address
	}

	work, err := b.matrix("naps", fmt.Sprintf("sleep %g; echo $0 > out/result", napping.Seconds()), instances)
	if err != nil {
		return err
	}

	ideal := napping * time.Duration(instances) / time.Duration(workers)
	fmt.Printf("%d instances of %s on %d workers, ideal %.1f s:\n", instances, napping, workers, ideal.Seconds())
	for _, c := range []struct {
		name string
		args []string
	}{
		{"local", []string{"run", "-j", strconv.Itoa(workers)}},
		{"remote", []string{"run", "--executor", "remote", "-j", strconv.Itoa(4 * workers)}},
	} {
		f, took, err := b.runWith(ctx, work, fmt.Sprintf("naps-%s-%d", c.name, workers),
			[]string{"TOUCHSTONE_REMOTE_EXECUTOR=" + at}, c.args...)
		if err != nil {
			return err
		}

		if f.Executed != instances {
			return fmt.Errorf("%d of %d instances executed", f.Executed, instances)
		}

		over := (took - ideal) * time.Duration(workers) / time.Duration(instances)
		fmt.Printf("  %-8s %8.3f s  %.2f of ideal, %.1f ms of a worker an instance beyond its sleep\n", c.name,
			took.Seconds(), took.Seconds()/ideal.Seconds(), ms(over))
	}

	if own != nil {
		own.Locked(func() {
			var bytes int
			for _, b := range own.Blobs {
				if len(b) < 1<<20 { // without the program
					bytes += len(b)
				}
			}

			fmt.Printf("  the server holds %.1f contents and %d bytes an instance, besides the program\n",
				float64(len(own.Blobs))/float64(instances), bytes/instances)
		})
	}

	return nil
}

// memory measures what the program holds for many instances that a server answers at once: it executes
// nothing, so that only the client works.
func (b *bench) memory(ctx context.Context, instances int) error {
	m, err := remotetest.StartMemory()
	if err != nil {
		return err
	}

	defer m.Stop()
	m.Workers = 64
	m.Instead = func(instance string, _ *repb.Command) (*repb.ActionResult, error) {
		return &repb.ActionResult{OutputFiles: []*repb.OutputFile{
			{Path: "report.json", Digest: m.Put(instance, []byte(`{"ExitCode":0,"Duration":200000000}`))},
			{Path: "stage/out/result", Digest: m.Put(instance, []byte("result\n"))},
		}}, nil
	}
	work, err := b.matrix(fmt.Sprint("memory-", instances), "echo $0 > out/result", instances)
	if err != nil {
		return err
	}

	store := filepath.Join(b.dir, fmt.Sprint("memory-store-", instances))
	for _, what := range []string{"executed", "up to date"} {
		cmd := exec.CommandContext(ctx, b.tool, "run", "--executor", "remote", "--progress", "quiet", "--cache-dir",
			store)
		cmd.Dir, cmd.Stderr = work, os.Stderr
		cmd.Env = append(os.Environ(), "TOUCHSTONE_REMOTE_EXECUTOR="+m.Address)
		began := time.Now()
		if err := cmd.Start(); err != nil {
			return err
		}

		most := watched(cmd)
		if err := cmd.Wait(); err != nil {
			return err
		}

		took := time.Since(began)
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		fmt.Printf("  %7d instances, %-10s %8.1f MiB, %8.3f s, %8.3f s of processor time\n", instances, what,
			float64(<-most)/(1<<20), took.Seconds(), cpu.Seconds())
	}

	return nil
}

// watched returns the largest resident size of a process in bytes, once it has ended. What the system reports
// at its end is that of this process, if that is larger.
func watched(cmd *exec.Cmd) <-chan int64 {
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	result := make(chan int64, 1)
	go func() {
		var most int64
		for {
			now := subprocess.SizeField(status, "VmHWM")
			if now <= 0 {
				result <- most
				return
			}

			most = max(most, now)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return result
}
