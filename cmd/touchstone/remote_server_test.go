package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/touchstone-eval/touchstone/internal/engine/remote/remotetest"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// serverModule is the module that requires bazel-remote.
const serverModule = "../../bench/remote/server"

// hasBazelRemote reports whether bazel-remote is there.
func hasBazelRemote() (bool, error) {
	_, err := remotetest.ForTest(context.Background(), serverModule, level.IsThorough())
	if errors.Is(err, remotetest.ErrNoServer) {
		return false, nil
	}
	return err == nil, err
}

// remoteServers are the servers of the scripts, by the value of REMOTE.
type remoteServers map[string]*remotetest.Server

// command is "server start", which starts a server of the Remote Execution API and sets REMOTE to its
// address, "server kill", "server restart", and "server forget FOLDER", which removes what it keeps in
// cas.v2 or ac.v2.
func (r remoteServers) command(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: server start|kill|restart|forget FOLDER")
	}
	ctx := context.Background()
	s := r[ts.Getenv("REMOTE")]
	switch args[0] {
	case "start":
		program, err := remotetest.ForTest(ctx, serverModule, level.IsThorough())
		ts.Check(err)
		s, err := remotetest.Start(ctx, program, ts.MkAbs(".server"))
		ts.Check(err)
		ts.Defer(s.Kill)
		r[s.Address] = s
		ts.Setenv("REMOTE", s.Address)
	case "kill":
		s.Kill()
	case "restart":
		ts.Check(s.Restart(ctx))
	case "forget":
		s.Kill()
		ts.Check(os.RemoveAll(filepath.Join(s.Dir, args[1])))
		ts.Check(s.Restart(ctx))
	}
}

// startWorkers is "workers N", which starts a server with N workers in this process and sets REMOTE to its
// address. With 0, the server is only a cache.
func startWorkers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: workers N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	m, err := remotetest.StartMemory()
	ts.Check(err)
	m.Workers = n
	ts.Defer(m.Stop)
	ts.Setenv("REMOTE", m.Address)
}
