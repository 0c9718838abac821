//go:build unix

package process

import (
	"syscall"
	"time"
)

// maxPipe is larger than the capacity of a pipe, unless it was increased.
const maxPipe = 1 << 20

// finish reads the rest of the pipe, without waiting for more.
func (s *stream) finish() {
	_ = s.r.SetReadDeadline(time.Unix(0, 1))
	<-s.done
	s.drain()
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
