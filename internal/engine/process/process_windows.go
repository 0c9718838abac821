package process

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The processes of a command are in a job object, which the kernel ends with all of them
// when this process ends. Windows has neither process groups that can be killed nor
// signals: SIGTERM becomes Ctrl-Break, which Go programs receive as an interrupt.

// jobs holds the job object of each running command by the id of its first process.
var jobs struct {
	sync.Mutex
	of map[int]windows.Handle
}

func unbind(*syscall.SysProcAttr) {}

func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED}
}

// peakBytes returns 0, unknown: the times of a process are all that Windows reports here.
func peakBytes(*syscall.Rusage) int64 { return 0 }

// starting starts the first process of a command. The process is suspended until it is in
// the job, so that it cannot start another process outside.
func starting(cmd *exec.Cmd) error {
	job, err := newJob()
	if err != nil {
		return err
	}

	if err := cmd.Start(); err != nil {
		return closeAfter(job, err)
	}

	pid := cmd.Process.Pid
	if err := enter(job, pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return closeAfter(job, fmt.Errorf("adding process %d to a job object: %w", pid, err))
	}

	jobs.Lock()
	defer jobs.Unlock()
	if jobs.of == nil {
		jobs.of = map[int]windows.Handle{}
	}

	jobs.of[pid] = job
	return nil
}

// newJob returns a job object whose processes end when its handle is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("creating a job object: %w", err)
	}

	var limit windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limit.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limit)), uint32(unsafe.Sizeof(limit)))
	if err != nil {
		return 0, closeAfter(job, fmt.Errorf("setting up a job object: %w", err))
	}

	return job, nil
}

func closeAfter(job windows.Handle, err error) error {
	_ = windows.CloseHandle(job)
	return err
}

// enter adds a suspended process to the job and resumes it.
func enter(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // nothing can be done about it
	if err := windows.AssignProcessToJobObject(job, process); err != nil {
		return err
	}
	return resume(uint32(pid))
}

// resume resumes the threads of a process. Package os closes the handle of the first
// thread, so resume finds it in the list of all threads.
func resume(pid uint32) error {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}

	defer windows.CloseHandle(list) //nolint:errcheck // nothing can be done about it
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(list, &entry); err == nil; err = windows.Thread32Next(list, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}

		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}

		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return err
		}
	}

	if err != windows.ERROR_NO_MORE_FILES {
		return err
	}

	return nil
}

// killGroup asks the processes of a command to end, or ends them.
func killGroup(pid int, sig syscall.Signal) {
	if sig == syscall.SIGTERM {
		_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid))
		return
	}
	jobs.Lock()
	defer jobs.Unlock()
	if job, ok := jobs.of[pid]; ok {
		_ = windows.TerminateJobObject(job, 128+uint32(sig))
	}
}

func waitAndKillGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid, syscall.SIGKILL)
	return err
}

// leftNothing releases the job of a command that has ended. It does not wait for the
// processes that were killed, and so cannot be certain that they have ended.
func leftNothing(pid int, _ string) bool {
	jobs.Lock()
	defer jobs.Unlock()
	_ = windows.CloseHandle(jobs.of[pid])
	delete(jobs.of, pid)
	return false
}

func isFirstThread() bool { return false }
