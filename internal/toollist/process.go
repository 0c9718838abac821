package toollist

import (
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/internal/subprocess"
)

// terminateAfter is how long a server may take to end after its input was
// closed, before it is killed with all that it started.
const terminateAfter = time.Second

// process is a server on standard input and output, and the end of what it
// writes to its standard error.
type process struct {
	*subprocess.Stdio
	errors *subprocess.Tail
}

// tailSize is how much of its standard error is kept, in bytes.
const tailSize = 2 << 10

// startProcess starts the command of s with a small environment and what its
// entry adds: the other secrets in our own are none of the server's business.
func startProcess(s Server) (*process, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir = s.Dir
	for _, name := range []string{"PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM", "SystemRoot", "APPDATA", "LOCALAPPDATA"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for name, v := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	slices.Sort(cmd.Env)
	errors := subprocess.NewTail(tailSize)
	cmd.Stderr = errors
	// Not bound: servers are started from many goroutines. A scan that dies
	// closes their input, which ends them.
	subprocess.Lead(cmd)
	p, err := subprocess.StartStdio(cmd, terminateAfter)
	if err != nil {
		return nil, err
	}
	return &process{p, errors}, nil
}
