package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// acts are what this program does as the command of a stage: each tries to reach something
// outside of the stage, and fails if it cannot.
var acts map[string]func(arg string) error

func init() {
	acts = map[string]func(arg string) error{
		"connect": connect,
		"unix": func(path string) error {
			c, err := net.Dial("unix", path)
			if err != nil {
				return err
			}
			return c.Close()
		},
		"socketpair": func(string) error {
			_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			return err
		},
		"socket": func(family string) error {
			n, err := strconv.Atoi(family)
			if err != nil {
				return err
			}
			_, err = unix.Socket(n, unix.SOCK_STREAM, 0)
			return err
		},
		"ring": func(string) error {
			var params [120]byte
			if _, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 4, addr(params[:]), 0); errno != 0 {
				return errno
			}
			return nil
		},
		"chmod": func(file string) error { return os.Chmod(file, 0o604) },
		"chown": func(file string) error { return os.Chown(file, os.Getuid(), os.Getgid()) },
		"times": func(file string) error { return os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0)) },
		"xattr": func(file string) error { return unix.Setxattr(file, "user.mark", []byte("1"), 0) },
		"limit": func(pid string) error {
			n, err := strconv.Atoi(pid)
			if err != nil {
				return err
			}
			var now unix.Rlimit
			if err := unix.Prlimit(n, unix.RLIMIT_CORE, nil, &now); err != nil {
				return err
			}
			return unix.Prlimit(n, unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: now.Max}, nil)
		},
		// segment and queue look for what this test created outside.
		"segment": func(key string) error {
			n, err := strconv.Atoi(key)
			if err != nil {
				return err
			}
			_, err = unix.SysvShmGet(n, 1, 0)
			return err
		},
		"memory": func(name string) error {
			_, err := os.ReadFile("/dev/shm/" + name)
			return err
		},
		"own-memory": func(name string) error {
			if err := os.WriteFile("/dev/shm/"+name, []byte("x"), 0o600); err != nil {
				return err
			}
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 1, unix.IPC_CREAT|0o600)
			if err == nil {
				_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
			}
			return err
		},
		"own-limit": func(string) error {
			return errors.Join(unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}), unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{}, nil))
		},
		// daemon leaves a process without parent, group, session, environment and open
		// files, whose name is the argument.
		"daemon": func(name string) error {
			cmd := exec.Command("/proc/self/exe", "act", "daemon-2", name)
			cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
			return cmd.Run()
		},
		"daemon-2": func(name string) error {
			cmd := exec.Command("/proc/self/exe", "act", "sleep", name)
			cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
			cmd.Env = []string{}
			return cmd.Start()
		},
		"sleep": func(string) error {
			time.Sleep(5 * time.Minute)
			return nil
		},
		// stage runs a stage that leaves a daemon and waits.
		"stage": func(name string) error {
			dir, err := os.MkdirTemp("", "touchstone-acts-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			self, err := os.Executable()
			if err != nil {
				return err
			}
			s := New()
			job := declares(NoNetwork, "/bin/sh", "-c", `"$0" act daemon "$1"; sleep 300`, self, name)
			job.Command.Dir, job.Command.TempDir = dir, dir
			job.Command.Env = []string{"PATH=" + filepath.Dir(self) + ":" + systemPath}
			job.Command.Stdout, job.Command.Stderr = filepath.Join(dir, "stdout"), filepath.Join(dir, "stderr")
			_, err = s.Run(context.Background(), job)
			return err
		},
		"pid": func(string) error {
			if pid := os.Getpid(); pid == 1 {
				return errors.New("a stage must not be the first process, which ignores signals")
			}
			self, err := os.Readlink("/proc/self")
			if err == nil && self != strconv.Itoa(os.Getpid()) {
				err = fmt.Errorf("/proc/self is %s, and the process %d", self, os.Getpid())
			}
			return err
		},
	}
}

// act does what the arguments say, if this program is the command of a stage.
func act() {
	if len(os.Args) == 3 && os.Args[1] == "connect" {
		os.Args = []string{os.Args[0], "act", "connect", os.Args[2]}
	}
	if len(os.Args) != 4 || os.Args[1] != "act" {
		return
	}
	if err := acts[os.Args[2]](os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
