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

// This process finds the remaining processes of a stage among its children. It is a
// subreaper: descendants whose parents have ended become its children and not those of
// init, even if they left their process group like daemons.

var adopt = sync.OnceValue(func() bool {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
})

// stages holds the first processes of all running stages. Its lock is held for reading
// while such a process is started, so that the holder of the lock finds all of them.
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

// StartOwn starts a process of this program that belongs to no stage.
func StartOwn(cmd *exec.Cmd) error { return starting(cmd) }

// waitAndKillGroup waits for a process and kills its group before the process is
// reaped. Until then, no other process or group can have the same id.
func waitAndKillGroup(cmd *exec.Cmd) error {
	pid := cmd.Process.Pid
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	killGroup(pid, unix.SIGKILL)
	return cmd.Wait()
}

// killTimeout limits the time to wait for killed processes. A process that hangs in the
// kernel may never end.
const killTimeout = 2 * time.Second

// leftNothing kills the remaining processes of a stage, after its first process was
// reaped and its group killed. It reports whether it is certain that all processes of
// the stage have ended. A process outside the group belongs to the stage if it has the
// stage's TMPDIR.
func leftNothing(pid int, tempDir string) bool {
	stages.mu.Lock()
	delete(stages.pids, pid)
	stages.mu.Unlock()
	if !adopt() || !reapGroup(pid) {
		return false
	}

	// The usual case: this process has no children, or only other stages.
	if errors.Is(unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil), unix.ECHILD) {
		return true
	}

	its := func(variable []byte) bool { return string(variable) == "TMPDIR="+tempDir }
	for end := time.Now().Add(killTimeout); ; {
		strangers, err := unownedProcesses()
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
	for end := time.Now().Add(killTimeout); time.Now().Before(end); {
		switch p, err := unix.Wait4(-group, nil, unix.WNOHANG, nil); {
		case errors.Is(err, unix.ECHILD):
			return true
		case err == nil && p == 0:
			time.Sleep(100 * time.Microsecond)
		}
	}
	return false
}

// unownedProcesses lists the running children of this process that are not the first process
// of a stage: orphans of a stage, or processes of another package.
func unownedProcesses() ([]int, error) {
	found, err := otherChildren()
	if err != nil || len(found) == 0 {
		return nil, err
	}
	// One may be a stage that is being started.
	stages.Lock()
	defer stages.Unlock()
	return otherChildren()
}

func otherChildren() ([]int, error) {
	// Adopted processes become children of the first thread, which exists as
	// long as the process, so only its list is read.
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

// alive reports whether a process is running. A process that has ended but was not
// reaped is not running.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The state follows the name, which may contain any character but a newline.
	_, state, _ := strings.Cut(string(stat[max(0, bytes.LastIndexByte(stat, ')')):]), " ")
	return !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// EndLeftovers kills the remaining processes of a run that was killed. The kernel has
// already killed the first process of each stage. The other processes are identified by
// their TMPDIR, which is inside dir, the directory of that run.
func EndLeftovers(dir string) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		pid, err := strconv.Atoi(filepath.Base(p))
		if err != nil {
			continue
		}

		// While this is open, the id cannot be reused for another process
		// between the check and the signal.
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

// startedWith reports whether a process was started with an environment variable for
// which is returns true. It returns false if this process may not read the environment.
func startedWith(pid int, is func(variable []byte) bool) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), is)
}
