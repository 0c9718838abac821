package timing

import (
	"bytes"
	"errors"
	"fmt"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// TreeUsage holds the costs of a process and all its descendants together, on Linux.
// Memory is the sum of the proportional set sizes (PSS), which counts a shared page
// once. It is sampled, so peaks shorter than the interval are missed.
type TreeUsage struct {
	Wall, CPU time.Duration
	Peak      int64 // bytes, the largest sampled sum
	Largest   int64 // bytes, the largest resident set of a single process, from the kernel
	Processes int   // the most at one time
	// Parts holds the costs of parts of the tree, by label.
	Parts map[string]*PartUsage
}

// PartUsage is the cost of one part of the tree. CPU is the last sampled value of each
// process, so it may be up to one interval short for each of them.
type PartUsage struct {
	CPU  time.Duration
	Peak int64 // bytes of PSS
}

// clockTick is the unit of processor time in /proc: 1/100 s on every Linux
// that Go runs on.
const clockTick = 10 * time.Millisecond

// RunTree runs cmd and samples all its descendants at the given interval. label returns
// the part to which a process belongs, from its arguments, or "" for the part of its
// parent.
func RunTree(cmd *exec.Cmd, interval time.Duration, label func(argv []string) string) (TreeUsage, error) {
	tree := TreeUsage{Parts: map[string]*PartUsage{}}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return tree, err
	}

	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	look := &looker{root: cmd.Process.Pid, label: label, tree: &tree, members: map[int]*member{}}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case err := <-done:
			tree.Wall = time.Since(start)
			tree.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			tree.Largest = peakOf(cmd.ProcessState)
			for _, m := range look.members {
				tree.part(m.part).CPU += m.cpu
			}

			return tree, err
		case <-ticks.C:
			if err := look.once(); err != nil {
				_ = cmd.Process.Kill()
				return tree, errors.Join(err, <-done)
			}
		}
	}
}

func (t *TreeUsage) part(name string) *PartUsage {
	if t.Parts[name] == nil {
		t.Parts[name] = &PartUsage{}
	}
	return t.Parts[name]
}

// member is a process of the tree. It stays a member if its parent ends first.
type member struct {
	started string // distinguishes it from a later process with the same id
	part    string
	cpu     time.Duration
}

type looker struct {
	root    int
	label   func([]string) string
	tree    *TreeUsage
	members map[int]*member
	gone    int
}

// stat is the content of /proc/PID/stat.
type stat struct {
	parent  int
	started string
	cpu     time.Duration
}

// once takes one sample.
func (l *looker) once() error {
	stats, err := readStats()
	if err != nil {
		return err
	}

	for pid := range l.members {
		if s, ok := stats[pid]; !ok || s.started != l.members[pid].started {
			// Keep its time, under an id that no process has.
			l.gone--
			l.members[l.gone] = l.members[pid]
			delete(l.members, pid)
		}
	}

	parts := map[string]int64{}
	var sum int64
	processes := 0
	for pid, s := range stats {
		m := l.member(pid, stats)
		if m == nil {
			continue
		}

		processes++
		m.cpu = s.cpu
		size := subprocess.SizeField(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss")
		sum += size
		parts[m.part] += size
	}

	l.tree.Peak = max(l.tree.Peak, sum)
	l.tree.Processes = max(l.tree.Processes, processes)
	for name, size := range parts {
		p := l.tree.part(name)
		p.Peak = max(p.Peak, size)
	}

	return nil
}

// member returns the entry of a process that belongs to the tree, and nil for any other.
func (l *looker) member(pid int, stats map[int]stat) *member {
	s, ok := stats[pid]
	if !ok {
		return nil
	}

	m := l.members[pid]
	part := ""
	if pid != l.root {
		parent := l.members[s.parent]
		if parent == nil && m == nil {
			parent = l.member(s.parent, stats)
		}

		switch {
		case m != nil:
			part = m.part
		case parent != nil:
			part = parent.part
		default:
			return nil
		}
	}

	if m == nil {
		m = &member{started: s.started, part: part}
		l.members[pid] = m
	}

	// A process that has just been forked may still have its parent's arguments.
	if own := l.label(arguments(pid)); own != "" {
		m.part = own
	}

	return m
}

func readStats() (map[int]stat, error) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(files) == 0 {
		return nil, errors.New("there is no /proc to read the memory of processes from: this " +
			"measurement requires Linux")
	}

	stats := make(map[int]stat, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // the process has ended
		}

		if err != nil {
			return nil, fmt.Errorf("read the state of a process: %w", err)
		}

		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		// The name of the program is in parentheses and may contain anything.
		// proc(5) counts fields from 1, and these start with the third.
		f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(f) < 20 {
			continue
		}

		user, _ := strconv.Atoi(string(f[14-3]))
		system, _ := strconv.Atoi(string(f[15-3]))
		parent, _ := strconv.Atoi(string(f[4-3]))
		stats[pid] = stat{parent: parent, started: string(f[22-3]), cpu: time.Duration(user+system) * clockTick}
	}

	return stats, nil
}

// arguments returns the arguments of a process, or nil if it has ended.
func arguments(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}
