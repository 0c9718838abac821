package remotetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// EnvProgram names the program of bazel-remote. Where it is set, as in CI, a test that cannot start
// the server fails. Elsewhere it is skipped.
const EnvProgram = "TOUCHSTONE_BAZEL_REMOTE"

// program is the import path of bazel-remote, which the module in serverModule requires.
const program = "github.com/buchgr/bazel-remote/v2"

// ErrNoServer means that bazel-remote is not there and was not built.
var ErrNoServer = errors.New("bazel-remote is not built")

// ForTest returns the path of bazel-remote as Program does, but builds it for thorough tests only: that takes minutes
// of processor time, more than all the tests that need it.
func ForTest(ctx context.Context, module string, thorough bool) (string, error) {
	if path := built(); path != "" {
		return path, nil
	}
	if !thorough {
		return "", fmt.Errorf("%w: CONTRIBUTING.md says how to build it", ErrNoServer)
	}
	return Program(ctx, module)
}

// buildPath is where Program builds it.
func buildPath() string { return filepath.Join(os.TempDir(), "touchstone-tools", "bazel-remote") }

// built returns the path of a program that is there, or nothing.
func built() string {
	if path := os.Getenv(EnvProgram); path != "" {
		return path
	}
	path := buildPath()
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Program returns the path of bazel-remote: that of EnvProgram, or of an earlier build, or of one that
// it makes. module is the directory bench/remote/server of this repository.
func Program(ctx context.Context, module string) (string, error) {
	if path := built(); path != "" {
		return path, nil
	}

	path := buildPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}

	// Two tests may build it at once.
	next := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(next)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", next, program)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %w\n%s", ErrNoServer, err, out)
	}

	return path, os.Rename(next, path)
}

// Server is a running bazel-remote.
type Server struct {
	Address string
	Dir     string // of its content
	cmd     *exec.Cmd
	args    []string
	program string
	port    int
}

// Start starts bazel-remote on a free port of this machine, with its content in dir. more are arguments
// of the server.
func Start(ctx context.Context, program, dir string, more ...string) (*Server, error) {
	s := &Server{Dir: dir, program: program, args: more}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s.port = port
	s.Address = fmt.Sprintf("grpc://127.0.0.1:%d", port)
	return s, s.Restart(ctx)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Restart starts the server again after Kill, at the same address, and waits until it answers.
func (s *Server) Restart(ctx context.Context) error {
	for try := 0; ; try++ {
		err := s.start(ctx)
		if err == nil || try == 5 || ctx.Err() != nil {
			return err
		}
		s.Kill() // another process may have taken the port for HTTP
	}
}

func (s *Server) start(ctx context.Context) error {
	http, err := freePort()
	if err != nil {
		return err
	}

	s.cmd = exec.Command(s.program, append([]string{
		"--dir", s.Dir, "--max_size", "1", "--access_log_level", "none",
		"--grpc_address", fmt.Sprintf("127.0.0.1:%d", s.port), "--http_address", fmt.Sprintf("127.0.0.1:%d", http),
	}, s.args...)...)
	if err := s.cmd.Start(); err != nil {
		return err
	}

	// It listens once it can answer.
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
		if err == nil {
			return conn.Close()
		}

		if ctx.Err() != nil {
			return err
		}

		time.Sleep(20 * time.Millisecond)
	}
}

// Kill ends the server as kill -9 does.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()
	}
}
