package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// subject is the program under attack, with a pipeline whose results are known.
type subject struct {
	tool, dir, work, store, tmp string
	want                        map[string]string // content of each published file
	as                          int               // user, or -1
	flags                       []string          // of every run
	trust                       []string          // flags with which cache import trusts an archive
}

// The pipeline has what a cache stores: files and directories, small and large, that
// compress well and not at all, shared by stages, passed on and published.
const subjectPipeline = `
pipeline {
  name    = "subject"
  publish = { result = stage.join.dir }
}
variable "salt" { default = "0" }
stage "sort" {
  inputs  = { words = "words.txt", noise = "noise.bin" }
  outputs = { sorted = "out/sorted", noise = "out/noise" }
  command = ["sh", "-ec", "sort in/words.txt > out/sorted; cat in/noise.bin in/words.txt > out/noise"]
}
stage "part" {
  matrix  { n = ["1", "2", "3"] }
  inputs  = { sorted = stage.sort.sorted }
  outputs = { tree = "out/tree/" }
  command = ["sh", "-ec", <<-END
    mkdir -p out/tree/deep; echo ${matrix.n} ${var.salt} > out/tree/deep/own; cp in/sorted out/tree/sorted
  END
  ]
}
stage "join" {
  inputs  = { parts = stage.part.tree, noise = stage.sort.noise }
  outputs = { dir = "out/dir/" }
  command = ["sh", "-ec", <<-END
    mkdir -p out/dir; cat in/parts/*/tree/deep/own > out/dir/own; cat in/parts/*/tree/sorted > out/dir/sorted; cp in/noise out/dir/noise
  END
  ]
}
`

// runLimit is the time after which a run hangs.
const runLimit = time.Minute

// newSubject makes a workspace and notes the right results.
func newSubject(parent, tool string, as int, flags []string) (*subject, error) {
	dir, err := os.MkdirTemp(parent, "subject-")
	if err != nil {
		return nil, err
	}

	s := &subject{tool: tool, trust: []string{"--trust"}, dir: dir, work: filepath.Join(dir, "work"),
		store: filepath.Join(dir, "store"), tmp: filepath.Join(dir, "tmp"), as: as, flags: flags}
	var words bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&words, "%x word %d\n", i*7919%1000, i)
	}

	for _, d := range []string{s.work, s.tmp} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}

	noise := make([]byte, 100_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise) // it never fails
	files := map[string][]byte{"pipeline.hcl": []byte(subjectPipeline), "words.txt": words.Bytes(), "noise.bin": noise}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(s.work, name), content, 0o644); err != nil {
			return nil, err
		}
	}

	if err := errors.Join(os.Chmod(parent, 0o755), os.Chmod(dir, 0o755), s.own()); err != nil {
		return nil, err
	}

	if r := s.run(context.Background(), s.runArgs()...); r.err != nil {
		return nil, fmt.Errorf("the first run failed: %w\n%s", r.err, r.output)
	}

	s.want, err = content(filepath.Join(s.work, "result"))
	return s, err
}

func (s *subject) remove() error { return os.RemoveAll(s.dir) }

// own gives all files to the user that runs the program.
func (s *subject) own() error {
	if s.as < 0 {
		return nil
	}
	return filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, s.as, s.as))
	})
}

// result is the end of a command.
type result struct {
	output string
	err    error
	hung   bool
	peak   int64 // of the largest process, in bytes
}

// run runs the program in the workspace.
func (s *subject) run(ctx context.Context, args ...string) result {
	return s.finish(ctx, s.tool, args...)
}

// finish runs a program in the workspace until it ends or hangs.
func (s *subject) finish(ctx context.Context, name string, args ...string) result {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = s.work, s.environ()
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = s.attributes()
	out, err := cmd.CombinedOutput()
	r := result{output: string(out), err: err, hung: ctx.Err() == context.DeadlineExceeded}
	if cmd.ProcessState == nil {
		return r // it was not started, because of an interruption
	}

	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = usage.Maxrss << 10
	}

	return r
}

func (s *subject) attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if s.as >= 0 {
		a.Credential = &syscall.Credential{Uid: uint32(s.as), Gid: uint32(s.as)}
	}
	return a
}

// environ is the environment of the program. The temporary directory is the subject's own,
// so that what is left behind shows.
func (s *subject) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.tmp, "TMPDIR=" + s.tmp, "TOUCHSTONE_CACHE=" + s.store}
}

// content reads all files of a directory, but the list of what was published there.
func content(dir string) (map[string]string, error) {
	files, err := copyOf(dir)
	named := map[string]string{}
	for path, b := range files {
		if !strings.HasPrefix(filepath.Base(path), ".") {
			named[strings.TrimPrefix(path, dir)] = string(b)
		}
	}
	return named, err
}

// differs returns the first difference of the published files from the right ones, or "".
func (s *subject) differs() string {
	got, err := content(filepath.Join(s.work, "result"))
	if err != nil {
		return err.Error()
	}

	for name, want := range s.want {
		if have, ok := got[name]; !ok || have != want {
			return fmt.Sprintf("%s has %d bytes instead of %d, or others", name, len(have), len(want))
		}
	}

	if len(got) != len(s.want) {
		return fmt.Sprintf("%d files instead of %d", len(got), len(s.want))
	}

	return ""
}

// empty removes the store and what was published, as on a new machine.
func (s *subject) empty() error {
	return errors.Join(os.RemoveAll(s.store), os.RemoveAll(filepath.Join(s.work, "result")))
}

// recovers runs the program without an attack and counts what is wrong afterwards: a run
// that fails, other bytes, damage in the cache, and files that are left behind.
func (a *attack) recovers(ctx context.Context, after string) error {
	a.runsWell(ctx, after)
	if r := a.run(ctx, "cache", "verify"); r.err != nil && ctx.Err() == nil {
		a.wrong++
		a.note("%s: the cache is damaged: %s", after, r.output)
	}
	a.lookForLeftovers(ctx, after)
	return ctx.Err()
}

// runArgs is the command that brings the pipeline up to date.
func (s *subject) runArgs(more ...string) []string {
	return slices.Concat([]string{"run", "--progress", "quiet"}, s.flags, more)
}

// runsWell runs the program without an attack. It must succeed and publish the right bytes.
func (a *attack) runsWell(ctx context.Context, after string) {
	r := a.run(ctx, a.runArgs()...)
	a.peak = max(a.peak, r.peak)
	switch {
	case ctx.Err() != nil:
	case r.hung:
		a.hangs++
		a.note("%s: the next run hangs", after)
	case r.err != nil:
		a.wrong++
		a.note("%s: the next run fails: %s", after, r.output)
	default:
		if d := a.differs(); d != "" {
			a.wrong++
			a.note("%s: after the next run, %s", after, d)
		}
	}
}

// workInProgress lists the files of runs that have not ended.
func (s *subject) workInProgress() (found []string) {
	for _, dir := range []string{filepath.Join(s.store, "work"), filepath.Join(s.store, "tmp"), s.tmp} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				found = append(found, filepath.Join(dir, e.Name()))
			}
		}
	}
	return found
}

// lookForLeftovers counts files of work in progress. A run that executes a stage removes
// those of runs that were killed, and so does a collection. Temporary files of writers
// are kept for an hour, in which their writer could still be alive.
func (a *attack) lookForLeftovers(ctx context.Context, after string) {
	found := a.workInProgress()
	if len(found) == 0 {
		return
	}

	old := time.Now().Add(-2 * time.Hour)
	for _, path := range found {
		_ = os.Chtimes(path, old, old)
	}

	if r := a.run(ctx, "cache", "gc"); r.err != nil && ctx.Err() == nil {
		a.wrong++
		a.note("%s: cache gc fails: %s", after, r.output)
	}

	if ctx.Err() != nil {
		return // the collection was interrupted too
	}

	for _, path := range a.workInProgress() {
		a.leftovers++
		a.note("%s: %s is left behind", after, strings.TrimPrefix(path, a.dir))
		os.RemoveAll(path)
	}
}
