package process

// finish reads the rest of the pipe. All processes that could write to it were in the job
// object and have ended, so the pipe ends too.
func (s *stream) finish() { <-s.done }
