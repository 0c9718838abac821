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

	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/subprocess"
)

// stopAfter is how long a proxy may take to end after SIGTERM.
const stopAfter = 3 * time.Second

// process is the proxy's process. It leads a process group.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser // of a proxy that speaks MCP on it; nil otherwise
	log    *logBuffer
	exited chan struct{} // closed once it is reaped
	err    error         // how it ended, once exited is closed

	stopWith  syscall.Signal
	stopAfter time.Duration
}

// signals are those that an adapter can stop its proxy with.
var signals = map[string]syscall.Signal{
	"": syscall.SIGTERM, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT,
	"HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL,
}

// startProcess starts what l says with home as working directory and home
// directory.
func startProcess(l adapter.Launch, home string) (*process, error) {
	p := &process{
		log: &logBuffer{}, exited: make(chan struct{}),
		stopWith: signals[l.StopSignal], stopAfter: cmp.Or(l.StopAfter, stopAfter),
	}
	p.cmd = exec.Command(l.Argv[0], l.Argv[1:]...)
	p.cmd.Dir = home
	p.cmd.Env = environment(home, l.Env)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	// Children that keep the log open must not keep us waiting.
	p.cmd.WaitDelay = stopAfter
	subprocess.LeadBound(p.cmd)
	// The input stays open for as long as the proxy is wanted, so that one
	// that watches it ends even when we are killed.
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.in = in
	var childOut *os.File
	if l.Stdio {
		// A plain pipe and not that of exec.Cmd, which closes its own as soon
		// as the process ends, with the last answer perhaps still in it.
		if p.out, childOut, err = os.Pipe(); err != nil {
			return nil, fmt.Errorf("open a pipe: %w", err)
		}
		p.cmd.Stdout = childOut
	}
	err = subprocess.Start(p.cmd)
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

// environment is this process's own, which an engine has already reduced to
// what was declared, with every directory that a proxy may want to write to
// inside home, and with what the adapter adds.
func environment(home string, more map[string]string) []string {
	dirs := map[string]string{
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
		if _, ours := dirs[name]; !ours {
			env = append(env, name+"="+v)
		}
	}
	for name, dir := range dirs {
		env = append(env, name+"="+dir)
	}
	return env
}

func (p *process) ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// how says how the process ended; it must have.
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

// stop ends the process as an administrator would, with SIGTERM, and then
// everything that is left of what it started.
func (p *process) stop() {
	if !p.ended() {
		_ = p.cmd.Process.Signal(p.stopWith)
		p.in.Close()
		select {
		case <-p.exited:
		case <-time.After(p.stopAfter):
		}
	}
	subprocess.KillGroup(p.cmd.Process.Pid)
	<-p.exited
	killStrays(p.cmd.Dir)
	if p.out != nil {
		p.out.Close()
	}
}
