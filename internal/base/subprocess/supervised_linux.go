package subprocess

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Supervised is a program that ends with everything that it started.
type Supervised struct {
	// Pid is the id of the program, which leads a process group. cmd.Process is the
	// supervisor, which passes on SIGTERM, SIGINT, SIGHUP and SIGQUIT, and ends like the
	// program.
	Pid     int
	control *os.File
}

// StartSupervised starts cmd, like Start, with a supervisor. When the program ends, when
// this process ends, or when KillAll is called, everything that the program started is
// killed, also a daemon that has left its group, its session and its environment. cmd must
// not have ExtraFiles and SysProcAttr.
func StartSupervised(cmd *exec.Cmd) (*Supervised, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}

	file := cmd.Path
	childControl, control, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}

	status, childStatus, err := os.Pipe()
	if err != nil {
		childControl.Close()
		control.Close()
		return nil, fmt.Errorf("open a pipe: %w", err)
	}

	defer status.Close()
	cmd.Args = append([]string{supervisorWord, file}, cmd.Args...)
	cmd.Path = "/proc/self/exe"
	cmd.ExtraFiles = []*os.File{childControl, childStatus}
	Lead(cmd)
	err = cmd.Start()
	childControl.Close()
	childStatus.Close()
	if err != nil {
		control.Close()
		return nil, err
	}

	line, _ := bufio.NewReader(status).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err == nil && pid > 0 {
		return &Supervised{Pid: pid, control: control}, nil
	}

	control.Close()
	_ = cmd.Wait()
	if err != nil {
		return nil, fmt.Errorf("the supervisor of %s ended", file)
	}

	return nil, Explained(&os.PathError{Op: "fork/exec", Path: file, Err: syscall.Errno(-pid)}, absolute(file, cmd.Dir))
}

// KillAll kills the program and everything that it started. It does not wait.
func (s *Supervised) KillAll() { s.control.Close() }
