package undertest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// stopAfter is how long a proxy may take to end after SIGTERM.
const stopAfter = 3 * time.Second

// process is the proxy's process, which leads a process group.
type process struct {
	cmd    *exec.Cmd // its supervisor
	all    *subprocess.Supervised
	in     io.WriteCloser
	out    io.ReadCloser // nil unless the proxy speaks MCP on its output
	log    *logBuffer
	exited chan struct{} // closed once the process is reaped
	err    error         // the result of the process, once exited is closed

	stopWith  syscall.Signal
	stopAfter time.Duration
}

// signals maps the signals that an adapter can use to stop its proxy.
var signals = map[string]syscall.Signal{
	"": syscall.SIGTERM, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT,
	"HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL,
}

// startProcess starts the process that l describes in the directory home, with the
// environment env.
func startProcess(l adapter.Launch, home string, env []string) (*process, error) {
	p := &process{
		log: &logBuffer{}, exited: make(chan struct{}),
		stopWith: signals[l.StopSignal], stopAfter: cmp.Or(l.StopAfter, stopAfter),
	}
	p.cmd = exec.Command(l.Argv[0], l.Argv[1:]...)
	p.cmd.Dir = home
	p.cmd.Env = env
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	// Children that keep the log open must not block Wait.
	p.cmd.WaitDelay = stopAfter
	// The input stays open while the proxy is in use. A proxy that watches its
	// input then ends even if this process is killed.
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}

	p.in = in
	var childOut *os.File
	if l.Stdio {
		// Use a plain pipe: exec.Cmd closes its own pipe as soon as the process
		// ends, when the last answer may still be in it.
		if p.out, childOut, err = os.Pipe(); err != nil {
			return nil, fmt.Errorf("open a pipe: %w", err)
		}

		p.cmd.Stdout = childOut
	}

	p.all, err = subprocess.StartSupervised(p.cmd)
	if childOut != nil {
		childOut.Close()
	}

	if err != nil {
		return nil, err
	}

	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// homeVariable marks the processes of a proxy with its home directory.
const homeVariable = "TOUCHSTONE_PROXY_HOME"

// environment returns the environment of the proxy: that of this process, which an
// engine has reduced to what was declared, with all directories that a proxy may want
// to write to inside home, and with the additions of the adapter. An adapter may move
// such a directory, which environment then creates, to another place inside home. Any
// other place is an error, because the proxy would read files of the user.
func environment(home string, more map[string]string) ([]string, error) {
	dirs := map[string]string{
		homeVariable:      home,
		"HOME":            home,
		"TMPDIR":          home,
		"XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_CACHE_HOME":  filepath.Join(home, ".cache"),
		"XDG_DATA_HOME":   filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME":  filepath.Join(home, ".local", "state"),
	}
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		_, ours := dirs[name]
		if _, added := more[name]; !ours && !added {
			env = append(env, kv)
		}
	}

	for name, v := range more {
		_, ours := dirs[name]
		if !ours {
			env = append(env, name+"="+v)
			continue
		}

		below, err := filepath.Rel(home, v)
		if name == homeVariable || err != nil || !filepath.IsLocal(below) {
			return nil, fmt.Errorf("the adapter sets %s to %q, which is not inside the proxy's private directory: "+
				"leave it out, or use a path that starts with ${home}", name, v)
		}

		if err := os.MkdirAll(v, 0o700); err != nil {
			return nil, fmt.Errorf("create a directory for the proxy: %w", err)
		}

		dirs[name] = v
	}

	for name, dir := range dirs {
		env = append(env, name+"="+dir)
	}

	return env, nil
}

func (p *process) ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// how describes how the process ended. The process must have ended.
func (p *process) how() string {
	var exit *exec.ExitError
	switch {
	case p.err == nil:
		return "it exited with status 0"
	case errors.As(p.err, &exit):
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return fmt.Sprintf("it was killed by signal %q", ws.Signal())
		}
		return fmt.Sprintf("it exited with status %d", exit.ExitCode())
	}
	return p.err.Error()
}

// stop stops the process with SIGTERM, as an administrator would, and then kills
// everything that is left of its children.
func (p *process) stop() {
	if !p.ended() {
		_ = p.cmd.Process.Signal(p.stopWith)
		p.in.Close()
		select {
		case <-p.exited:
		case <-time.After(p.stopAfter):
		}
	}

	p.all.KillAll()
	<-p.exited
	killOrphans(p.cmd.Dir)
	if p.out != nil {
		p.out.Close()
	}
}
