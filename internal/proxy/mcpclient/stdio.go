package mcpclient

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// terminateAfter is the time for a server to end after its input was closed. Then it is
// killed with everything that it started.
const terminateAfter = time.Second

// inheritedEnv are the environment variables of this process that are passed to a server.
// Other variables may contain secrets that are not meant for it.
var inheritedEnv = []string{"PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM", "SystemRoot", "APPDATA", "LOCALAPPDATA"}

// start starts the command of t. Its standard error goes to stderr.
func start(t Target, stderr io.Writer) (*subprocess.Stdio, error) {
	cmd := exec.Command(t.Command[0], t.Command[1:]...)
	cmd.Dir = t.Dir
	for _, name := range inheritedEnv {
		if _, own := t.Env[name]; own {
			continue // of two values of one variable, the order decides
		}

		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}

	for name, v := range t.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}

	slices.Sort(cmd.Env)
	cmd.Stderr = stderr
	return subprocess.StartSupervisedStdio(cmd, terminateAfter)
}
