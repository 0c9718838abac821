package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Isolation runs a command as a stage without network, in a temporary directory, and
// returns the words of Result.Isolation: what this system enforces. It reports an error if
// the command cannot run or fails.
func (e Executor) Isolation(ctx context.Context, program string, args ...string) ([]string, error) {
	dir, err := os.MkdirTemp("", "touchstone-probe-")
	if err != nil {
		return nil, err
	}

	defer os.RemoveAll(dir)
	job := &engine.Job{
		Instance: &pipeline.Instance{
			Stage: "probe", Command: append([]string{program}, args...),
			Network: pipeline.NetworkNone, Timeout: 30 * time.Second,
		},
		Dir: filepath.Join(dir, "work"), TempDir: filepath.Join(dir, "tmp"), Program: program,
		Env:    []string{"PATH=" + engine.DefaultPath, "HOME=/nonexistent"},
		Record: true,
		Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"),
	}
	for _, d := range []string{job.Dir, job.TempDir} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return nil, err
		}
	}

	result, err := e.Run(ctx, job)
	switch {
	case err != nil:
		return nil, err
	case result.ExitCode != 0 || result.TimedOut:
		said, _ := os.ReadFile(job.Stderr)
		return result.Isolation, errors.New(strings.TrimSpace(program + " failed: " + string(said)))
	}

	if result.Recorded {
		return append(result.Isolation, engine.ReadsInKey), nil
	}

	return append(result.Isolation, engine.ReadsNotInKey), nil
}

// NotEnforced returns those words of Result.Isolation that name what the system could not enforce.
func NotEnforced(isolation []string) []string {
	var words []string
	for _, word := range isolation {
		if strings.HasSuffix(word, "-not-enforced") {
			words = append(words, word)
		}
	}
	return words
}
