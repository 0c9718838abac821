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

const howTo = "see docs/how-to/run-on-dagger.md, or use --executor local"

// reachTimeout bounds how long an address may take to answer.
const reachTimeout = 3 * time.Second

// Reach tells at once, without beginning a session, why no engine can be
// reached; nil means that one seems to be there.
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

// runtimes are what the dagger program starts an engine with, and how it asks
// whether they work. It takes the first that is installed, also where that one
// does not work and a later one would.
var runtimes = [][]string{
	{"docker", "version"}, {"container", "system", "status"}, {"podman", "version"}, {"finch", "version"}, {"nerdctl", "version"},
}

// runtime asks the container runtime that would start an engine.
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
		return fmt.Errorf("no Dagger engine: %s would start one, and %q fails: %w; start its daemon, or name an engine with %s; %s",
			argv[0], strings.Join(argv, " "), err, envRunner, howTo)
	}
	return fmt.Errorf("no Dagger engine: %s names none, and there is no docker, podman, finch, nerdctl or container to start one with; %s", envRunner, howTo)
}

// dial knocks at addresses that can be knocked at; the others are left to the
// dagger program.
func dial(ctx context.Context, host string) error {
	u, err := url.Parse(host)
	if err != nil || !strings.Contains(host, "://") {
		return fmt.Errorf("%s=%q is not an address: write tcp://HOST:PORT, unix:///PATH, docker-container://NAME or kube-pod://POD; %s", envRunner, host, howTo)
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
		return fmt.Errorf("no Dagger engine at %s: %w; start one there or correct %s; %s", host, errors.Unwrap(err), envRunner, howTo)
	}
	err = answers(conn)
	_ = conn.Close()
	if err != nil {
		return fmt.Errorf("no Dagger engine at %s: %w; start one there, look at the log of the one that is there, or correct %s; %s", host, err, envRunner, howTo)
	}
	return nil
}

// answerTimeout bounds how long an engine that has taken the connection may say
// nothing. The dagger program would wait for more than nine minutes.
var answerTimeout = 10 * time.Second

// greeting begins a connection of HTTP/2, which engines speak: what the client
// says first, and a frame of settings without any. A server answers with its own.
const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// answers tells a connection on which somebody speaks from one that the system
// took because nobody else did: that of an engine that hangs. Who says
// something else, or hangs up, is left to the dagger program.
func answers(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	_, err := conn.Write([]byte(greeting))
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it takes connections and does not answer within %s", answerTimeout)
	}
	return nil
}

// cli finds the dagger program. Nothing is ever downloaded in its place.
func cli() (string, error) {
	name := os.Getenv(envCLI)
	if name == "" {
		name = "dagger"
	}
	file, err := exec.LookPath(name)
	if err != nil {
		where := fmt.Sprintf("%q is not in PATH", name)
		if strings.ContainsRune(name, filepath.Separator) {
			where = fmt.Sprintf("%s names %s, which cannot be run", envCLI, name)
		}
		return "", fmt.Errorf("the dagger program is missing (%s): install Dagger %s, or name it with %s; %s", where, Version, envCLI, howTo)
	}
	return file, nil
}
