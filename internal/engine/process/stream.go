package process

import (
	"os"
	"syscall"
	"time"
)

// stream takes what a process prints through a pipe into a file that is made
// when the first byte arrives: most stages print nothing, and a file less in a
// stage is time saved. A process that has got away from its stage and still
// holds the pipe can no longer write anywhere once the stage has ended.
type stream struct {
	path string
	r, w *os.File
	done chan struct{}
	file *os.File // nil until something was printed
	err  error
}

func newStream(path string) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{path: path, r: r, w: w}, nil
}

// start begins to read. The process holds its end of the pipe by now.
func (s *stream) start() {
	s.w.Close()
	s.done = make(chan struct{})
	go func() {
		defer close(s.done)
		b := make([]byte, 32<<10)
		for {
			n, err := s.r.Read(b)
			s.write(b[:n])
			if err != nil {
				return
			}
		}
	}()
}

// maxPipe is more than a pipe holds unless somebody has enlarged it.
const maxPipe = 1 << 20

// end takes what is still in the pipe, without waiting for more, and closes
// everything. The error is that of writing the file.
func (s *stream) end() error {
	if s.done == nil {
		s.w.Close()
	} else {
		_ = s.r.SetReadDeadline(time.Unix(0, 1))
		<-s.done
		s.drain()
	}
	s.r.Close()
	if s.file != nil {
		if err := s.file.Close(); s.err == nil {
			s.err = err
		}
	}
	return s.err
}

// drain reads as much as can have been there when the process ended: one that
// got away could go on for ever.
func (s *stream) drain() {
	raw, err := s.r.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		b := make([]byte, 64<<10)
		for left := maxPipe; left > 0; {
			n, err := syscall.Read(int(fd), b)
			if err == syscall.EINTR {
				continue
			}
			if err != nil || n <= 0 {
				return
			}
			s.write(b[:n])
			left -= n
		}
	})
}

// write goes on reading after an error: the process must not be held up by it.
func (s *stream) write(b []byte) {
	if len(b) == 0 || s.err != nil {
		return
	}
	if s.file == nil {
		if s.file, s.err = os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); s.err != nil {
			return
		}
	}
	_, s.err = s.file.Write(b)
}
