package reads

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// While a process starts a command, its Go runtime cannot stop one of its threads, so no other of its goroutines can be
// relied on, and one that answers calls of the command might wait forever. Another process, the starter, therefore
// answers the calls up to the one that executes the command's program, and then gives the listener back.

// starterWord is the only argument of a starter, and the name by which ps shows it.
const starterWord = "touchstone: starts stages whose reads are recorded"

func init() {
	if len(os.Args) == 1 && os.Args[0] == starterWord {
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
		serve(0)
		os.Exit(0)
	}
}

// serve is what a starter does. It ends when nobody holds the other end of the socket.
func serve(socket int) {
	for {
		// The first file is a listener, the second one the socket to give it back.
		fds, ok := receive(socket, 2)
		if !ok {
			return
		}

		go func() {
			defer closeFiles(fds...)
			l := listener(fds[0])
			var n notice
			for l.wait() {
				if l.next(&n) != 0 {
					continue // it no longer waits, and is repeated
				}

				l.proceed(&n)
				if n.number == unix.SYS_EXECVE && n.arch == architecture {
					_ = send(fds[1], fds[0])
					return
				}
			}
		}()
	}
}

// starter is a running starter, or one that is not started yet.
type starter struct {
	mu     sync.Mutex
	cmd    *exec.Cmd // nil if it does not run
	socket int
}

// start starts it unless it runs.
func (s *starter) start(run func(*exec.Cmd) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		return nil
	}

	ends, err := pair()
	if err != nil {
		return err
	}

	theirs := os.NewFile(uintptr(ends[1]), "socket")
	defer theirs.Close()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{starterWord}, Dir: "/", Env: []string{"GOMAXPROCS=2"}, Stdin: theirs,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, // a signal of the terminal is not for it
	}
	if err := run(cmd); err != nil {
		closeFiles(ends[0])
		return err
	}

	s.cmd, s.socket = cmd, ends[0]
	return nil
}

// hand gives a listener to the starter, and the socket to give it back. After an error, the starter has ended.
func (s *starter) hand(listener, giveBack int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return os.NewSyscallError("sendmsg", unix.EPIPE)
	}

	err := send(s.socket, listener, giveBack)
	if err != nil {
		s.end()
	}

	return os.NewSyscallError("sendmsg", err)
}

func (s *starter) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		s.end()
	}
}

func (s *starter) end() {
	closeFiles(s.socket)
	_ = s.cmd.Wait()
	s.cmd = nil
}

func pair() ([2]int, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	return fds, os.NewSyscallError("socketpair", err)
}

// send sends open files.
func send(socket int, fds ...int) error {
	return unix.Sendmsg(socket, []byte{0}, unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL)
}

// receive waits for a number of open files. It returns false if none will come.
func receive(socket, count int) ([]int, bool) {
	data, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4*count))
	for {
		n, length, _, _, err := unix.Recvmsg(socket, data, rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}

		if err != nil || n == 0 {
			return nil, false
		}

		messages, err := unix.ParseSocketControlMessage(rights[:length])
		if err != nil || len(messages) != 1 {
			return nil, false
		}

		fds, err := unix.ParseUnixRights(&messages[0])
		return fds, err == nil && len(fds) == count
	}
}
