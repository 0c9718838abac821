package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// What a stage leaves behind is found by kinship: this process adopts its
// descendants whose parents have ended, so that also those which left their
// process group, as daemons do, are still its children and not init's.

var adopt = sync.OnceValue(func() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
})

// stages are the first processes of the stages that are being run. Held for
// reading while one is started, so that whoever holds it knows all of them.
var stages struct {
	sync.RWMutex
	mu   sync.Mutex
	pids map[int]bool
}

// starting starts the first process of a stage.
func starting(cmd *exec.Cmd) error {
	adopt()
	stages.RLock()
	defer stages.RUnlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	stages.mu.Lock()
	defer stages.mu.Unlock()
	if stages.pids == nil {
		stages.pids = map[int]bool{}
	}
	stages.pids[cmd.Process.Pid] = true
	return nil
}

// waitAndKillGroup waits for a process and kills its group before the process
// is reaped: until then its number, which is the group's too, is nobody else's.
func waitAndKillGroup(cmd *exec.Cmd) error {
	pid := cmd.Process.Pid
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	killGroup(pid, unix.SIGKILL)
	return cmd.Wait()
}

// patience bounds the wait for processes that were killed; one that hangs in
// the kernel may never end.
const patience = 2 * time.Second

// leftNothing ends what a stage has left running, once its first process has
// been reaped and its group killed, and reports whether it is certain that
// none of its processes lives. A process outside the group is known as the
// stage's by the TMPDIR that only this stage was given.
func leftNothing(pid int, tempDir string) bool {
	stages.mu.Lock()
	delete(stages.pids, pid)
	stages.mu.Unlock()
	if !adopt() || !reapGroup(pid) {
		return false
	}
	// The rule: this process has no child at all, or only other stages.
	if errors.Is(unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil), unix.ECHILD) {
		return true
	}
	its := func(variable []byte) bool { return string(variable) == "TMPDIR="+tempDir }
	for end := time.Now().Add(patience); ; {
		strangers, err := strangers()
		if err != nil {
			return false
		}
		known := false
		for _, p := range strangers {
			if startedWith(p, its) {
				known = true
				_ = unix.Kill(p, unix.SIGKILL)
				_, _ = unix.Wait4(p, nil, unix.WNOHANG, nil)
			}
		}
		if !known || time.Now().After(end) {
			return len(strangers) == 0
		}
		time.Sleep(time.Millisecond)
	}
}

// reapGroup reaps the members of a killed group that were adopted.
func reapGroup(group int) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		switch p, err := unix.Wait4(-group, nil, unix.WNOHANG, nil); {
		case errors.Is(err, unix.ECHILD):
			return true
		case err == nil && p == 0:
			time.Sleep(100 * time.Microsecond)
		}
	}
	return false
}

// strangers are the living children of this process that are no stage's first
// process: orphans of some stage, or another package's.
func strangers() ([]int, error) {
	found, err := otherChildren()
	if err != nil || len(found) == 0 {
		return nil, err
	}
	// One may be a stage that was just being started.
	stages.Lock()
	defer stages.Unlock()
	return otherChildren()
}

func otherChildren() ([]int, error) {
	// Adopted processes become children of the first thread, which lives as
	// long as the process; its list is all that is asked for.
	self := os.Getpid()
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", self, self))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, field := range strings.Fields(string(list)) {
		p, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		stages.mu.Lock()
		known := stages.pids[p]
		stages.mu.Unlock()
		if !known && alive(p) {
			pids = append(pids, p)
		}
	}
	return pids, nil
}

// alive tells a process from one that has ended and was not reaped.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The state follows the name, which may hold anything but a newline.
	_, state, _ := strings.Cut(string(stat[max(0, bytes.LastIndexByte(stat, ')')):]), " ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// EndLeftovers ends what a run that was killed has left running. The kernel
// has killed the first process of each of its stages by then, and tells nobody
// of the others; their TMPDIR is below the dead run's directory.
func EndLeftovers(dir string) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		pid, err := strconv.Atoi(filepath.Base(p))
		if err != nil {
			continue
		}
		// Held by this, the number cannot become another process's
		// between the look and the signal.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if startedWith(pid, func(v []byte) bool { return bytes.HasPrefix(v, []byte("TMPDIR="+dir+"/")) }) {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		_ = unix.Close(fd)
	}
}

// startedWith tells whether a process was started with such an environment
// variable. One that this process may not look at was not.
func startedWith(pid int, is func(variable []byte) bool) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), is)
}
