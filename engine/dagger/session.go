package dagger

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"time"

	sdk "dagger.io/dagger"
)

// Version is the engine and command line that this executor is made for.
const Version = "v0.21.8"

// What the environment says about the engine, by Dagger's own names.
const (
	envSession = "DAGGER_SESSION_PORT"              // set where a Dagger function or dagger run started us
	envRunner  = "_EXPERIMENTAL_DAGGER_RUNNER_HOST" // where an engine listens
	envCLI     = "_EXPERIMENTAL_DAGGER_CLI_BIN"     // the dagger program
)

const howTo = "see docs/dagger.md, or use --executor local"

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
		// The dagger program starts an engine by itself where it finds a
		// container runtime.
		for _, name := range []string{"docker", "podman", "nerdctl", "container"} {
			if _, err := exec.LookPath(name); err == nil {
				return nil
			}
		}
		return fmt.Errorf("no Dagger engine: %s names none, and there is no docker, podman, nerdctl or container to start one with; %s", envRunner, howTo)
	}
	return dial(ctx, host)
}

// dial knocks at addresses that can be knocked at; the others are left to the
// dagger program.
func dial(ctx context.Context, host string) error {
	u, err := url.Parse(host)
	if err != nil {
		return fmt.Errorf("%s=%q is not an address: %w; %s", envRunner, host, err, howTo)
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
	return conn.Close()
}

// cli finds the dagger program. Nothing is ever downloaded in its place.
func cli() (string, error) {
	name := os.Getenv(envCLI)
	if name == "" {
		name = "dagger"
	}
	file, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the dagger program is missing (%q is not in PATH): install Dagger %s, or name it with %s; %s", name, Version, envCLI, howTo)
	}
	return file, nil
}

// connect begins the session, once. It outlives the job that asked first and
// ends with Close.
func (e *Executor) connect(ctx context.Context) (*sdk.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client != nil {
		return e.client, nil
	}
	if err := Reach(ctx); err != nil {
		return nil, err
	}
	if os.Getenv(envSession) == "" {
		// The SDK takes the program from this variable or downloads one.
		file, err := cli()
		if err != nil {
			return nil, err
		}
		if err := os.Setenv(envCLI, file); err != nil {
			return nil, err
		}
	}
	// Nobody reads the dagger program's account of the session: without this
	// it asks the engine for every span of every container.
	client, err := sdk.Connect(context.WithoutCancel(ctx), sdk.WithEnvironmentVariable("DAGGER_SILENT", "1"))
	if err != nil {
		return nil, fmt.Errorf("no session with the Dagger engine: %w; %s", shortened(err), howTo)
	}
	version, err := client.Version(ctx)
	if err != nil {
		_ = client.Close()
		return nil, fmt.Errorf("asking the Dagger engine for its version: %w; %s", shortened(err), howTo)
	}
	if version != Version {
		_ = client.Close()
		return nil, fmt.Errorf("the Dagger engine is %s, and touchstone is made for %s: run that version; %s", version, Version, howTo)
	}
	e.client = client
	return client, nil
}
