package process

import (
	"os"
	"syscall"
	"time"
)

// stream copies the output of a process from a pipe to a file. It creates the file when
// the first byte arrives, because most stages print nothing and creating a file takes
// time. A process that escaped from its stage and still has the pipe open cannot write
// to the file after the stage has ended.
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

// start starts to read. The process must already have its end of the pipe.
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

// maxPipe is larger than the capacity of a pipe, unless it was increased.
const maxPipe = 1 << 20

// end reads the rest of the pipe, without waiting for more, and closes everything. It
// returns the error of writing the file.
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

// drain reads at most what the pipe could contain when the process ended, because an
// escaped process could write forever.
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

// write records the first error and ignores further output, so that a write error does
// not block the process.
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
