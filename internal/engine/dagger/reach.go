package dagger

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const remedyText = "see docs/how-to/run-on-dagger.md, or use --executor local"

// reachTimeout limits the time for an address to answer.
const reachTimeout = 3 * time.Second

// Prepare is Reach: it ends a run before its first execution if there is no engine.
func (*Executor) Prepare(ctx context.Context) error { return Reach(ctx) }

// Reach quickly checks, without a session, whether an engine can be reached. If it
// returns nil, an engine is probably available.
func Reach(ctx context.Context) error {
	if os.Getenv(envSession) != "" {
		return nil
	}
	if _, err := cli(); err != nil {
		return err
	}
	host := os.Getenv(envRunner)
	if host == "" {
		return runtime(ctx)
	}
	return dial(ctx, host)
}

// runtimes are the container runtimes that the dagger program uses to start an
// engine, with the commands that check them. The dagger program uses the first one
// that is installed, even if only a later one works.
var runtimes = [][]string{
	{"docker", "version"}, {"container", "system", "status"}, {"podman", "version"}, {"finch", "version"},
	{"nerdctl", "version"},
}

// runtime checks the container runtime that would start an engine.
func runtime(ctx context.Context) error {
	for _, argv := range runtimes {
		if _, err := exec.LookPath(argv[0]); err != nil {
			continue
		}

		ctx, cancel := context.WithTimeout(ctx, reachTimeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		switch said := strings.TrimSpace(string(out)); {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			err = fmt.Errorf("no answer within %s", reachTimeout)
		case said != "":
			err = errors.New(said[strings.LastIndexByte(said, '\n')+1:])
		}

		return fmt.Errorf("no Dagger engine: %s would start one, but %q fails: %w; start its daemon, or give the "+
			"address of an engine in %s; %s",
			argv[0], strings.Join(argv, " "), err, envRunner, remedyText)
	}

	return fmt.Errorf("no Dagger engine: %s is not set, and no docker, podman, finch, nerdctl or container is "+
		"installed to start one; %s", envRunner, remedyText)
}

// dial connects to the engine if its address is a network address or a socket. It
// does not check other addresses, which only the dagger program can use.
func dial(ctx context.Context, host string) error {
	u, err := url.Parse(host)
	if err != nil || !strings.Contains(host, "://") {
		return fmt.Errorf("%s=%q is not an address: write tcp://HOST:PORT, unix:///PATH, docker-container://NAME or "+
			"kube-pod://POD; %s", envRunner, host, remedyText)
	}

	network, address := u.Scheme, u.Host
	switch u.Scheme {
	case "unix":
		address = u.Path
	case "tcp":
	default:
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return fmt.Errorf("no Dagger engine at %s: %w; start one there or correct %s; %s", host, errors.Unwrap(err),
			envRunner, remedyText)
	}

	err = answers(conn)
	_ = conn.Close()
	if err != nil {
		return fmt.Errorf("no Dagger engine at %s: %w; start one there, check the log of the running one, or "+
			"correct %s; %s", host, err, envRunner, remedyText)
	}

	return nil
}

// answerTimeout limits the time for the first answer of an engine after it accepted
// the connection. The dagger program would wait for more than nine minutes.
var answerTimeout = 10 * time.Second

// greeting is the start of an HTTP/2 connection, which engines use: the client
// preface and an empty SETTINGS frame. A server answers with its own SETTINGS frame.
const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// answers returns an error if nothing answers on a connection. The kernel accepts
// connections also for an engine that hangs. Any answer is accepted here, because
// the dagger program reports a wrong one.
func answers(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	_, err := conn.Write([]byte(greeting))
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it accepts connections but does not answer within %s", answerTimeout)
	}
	return nil
}

// cli finds the dagger program. It never downloads one.
func cli() (string, error) {
	name := os.Getenv(envCLI)
	if name == "" {
		name = "dagger"
	}

	file, err := exec.LookPath(name)
	if err != nil {
		where := fmt.Sprintf("%q is not in PATH", name)
		if strings.ContainsRune(name, filepath.Separator) {
			where = fmt.Sprintf("%s is %s, which is not an executable file", envCLI, name)
		}

		return "", fmt.Errorf("the dagger program is missing (%s): install Dagger %s, or set its path in %s; %s", where,
			Version, envCLI, remedyText)
	}

	return file, nil
}
