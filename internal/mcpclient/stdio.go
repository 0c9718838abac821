package mcpclient

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/internal/subprocess"
)

// terminateAfter is how long a server may take to end after its input was
// closed. After that it is killed with everything that it started.
const terminateAfter = time.Second

// inherited are the variables of our environment that a server gets. Other
// variables may hold secrets that are not meant for it.
var inherited = []string{"PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM", "SystemRoot", "APPDATA", "LOCALAPPDATA"}

// start starts the command of t. Its standard error goes to stderr.
func start(t Target, stderr io.Writer) (*subprocess.Stdio, error) {
	cmd := exec.Command(t.Command[0], t.Command[1:]...)
	cmd.Dir = t.Dir
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for name, v := range t.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	slices.Sort(cmd.Env)
	cmd.Stderr = stderr
	// The group is not bound to this process, because servers are started
	// from many goroutines. A client that dies closes their input, which ends
	// them.
	subprocess.Lead(cmd)
	return subprocess.StartStdio(cmd, terminateAfter)
}
