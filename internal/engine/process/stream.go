package process

import "os"

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

// end reads the rest of the pipe, without waiting for more, and closes everything. It
// returns the error of writing the file.
func (s *stream) end() error {
	if s.done == nil {
		s.w.Close()
	} else {
		s.finish()
	}

	s.r.Close()
	if s.file != nil {
		if err := s.file.Close(); s.err == nil {
			s.err = err
		}
	}

	return s.err
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
