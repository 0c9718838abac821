package remotetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// execution is the part of Memory that runs actions, as processes of this machine.
type execution struct {
	repb.UnimplementedExecutionServer
	longrunningpb.UnimplementedOperationsServer

	// Workers is the number of actions that run at once. With 0, the server is only a cache. Set it
	// before the server is used.
	Workers int
	// Before is called before the nth action is run, from 0. An error is the end of that action. With
	// errLost, it runs to its end and is lost then.
	Before func(n int, a *repb.Action) error
	// Instead replaces the run of a command, if it is set.
	Instead func(instance string, c *repb.Command) (*repb.ActionResult, error)
	// After may change the answer of the nth action.
	After func(n int, r *repb.ExecuteResponse)

	memory  *Memory
	dir     string // of actions and programs
	mu      sync.Mutex
	slots   chan struct{}
	started int
	running map[string]*operation
}

type operation struct {
	name     string
	instance string
	cancel   context.CancelFunc

	mu      sync.Mutex
	stage   repb.ExecutionStage_Value
	done    *repb.ExecuteResponse
	changed chan struct{} // closed at the next change
}

func (o *operation) set(stage repb.ExecutionStage_Value, done *repb.ExecuteResponse) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stage, o.done = stage, done
	close(o.changed)
	o.changed = make(chan struct{})
}

// stop ends all actions and removes what they left.
func (x *execution) stop() {
	x.Forget()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.slots == nil {
		return
	}
	for range cap(x.slots) {
		x.slots <- struct{}{} // until the running ones have ended
	}
	os.RemoveAll(x.dir)
}

// Started returns how many actions were started.
func (x *execution) Started() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.started
}

// Forget makes the server forget all actions that it runs.
func (x *execution) Forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.running {
		o.cancel()
	}
	x.running = nil
}

// Execute implements the protocol.
func (x *execution) Execute(r *repb.ExecuteRequest, to repb.Execution_ExecuteServer) error {
	x.mu.Lock()
	if x.slots == nil {
		var err error
		if x.dir, err = os.MkdirTemp("", "remotetest-"); err != nil {
			x.mu.Unlock()
			return err
		}

		x.slots = make(chan struct{}, x.Workers)
	}

	if x.running == nil {
		x.running = map[string]*operation{}
	}

	n := x.started
	x.started++
	ctx, cancel := context.WithCancel(context.Background())
	o := &operation{name: fmt.Sprint("operations/", n), instance: r.InstanceName, cancel: cancel,
		stage: repb.ExecutionStage_QUEUED, changed: make(chan struct{})}
	x.running[o.name] = o
	x.mu.Unlock()
	go func() {
		defer cancel()
		response := x.perform(ctx, n, o, r.ActionDigest)
		if x.After != nil {
			x.After(n, response)
		}

		o.set(repb.ExecutionStage_COMPLETED, response)
	}()
	return o.watch(to)
}

// WaitExecution implements the protocol.
func (x *execution) WaitExecution(r *repb.WaitExecutionRequest, to repb.Execution_WaitExecutionServer) error {
	x.mu.Lock()
	o := x.running[r.Name]
	x.mu.Unlock()
	if o == nil {
		return status.Error(codes.NotFound, "no such operation")
	}
	return o.watch(to)
}

// CancelOperation implements the protocol.
func (x *execution) CancelOperation(_ context.Context, r *longrunningpb.CancelOperationRequest) (*emptypb.Empty,
	error) {
	x.mu.Lock()
	o := x.running[r.Name]
	x.mu.Unlock()
	if o == nil {
		return nil, status.Error(codes.NotFound, "no such operation")
	}
	o.cancel()
	return &emptypb.Empty{}, nil
}

func (o *operation) watch(to interface {
	Send(*longrunningpb.Operation) error
	Context() context.Context
}) error {
	for {
		o.mu.Lock()
		stage, done, changed := o.stage, o.done, o.changed
		o.mu.Unlock()
		metadata, err := anypb.New(&repb.ExecuteOperationMetadata{Stage: stage})
		if err != nil {
			return err
		}

		m := &longrunningpb.Operation{Name: o.name, Metadata: metadata, Done: done != nil}
		if done != nil {
			response, err := anypb.New(done)
			if err != nil {
				return err
			}

			m.Result = &longrunningpb.Operation_Response{Response: response}
		}

		if err := to.Send(m); err != nil || done != nil {
			return err
		}

		select {
		case <-changed:
		case <-to.Context().Done():
			return to.Context().Err()
		}
	}
}

// ErrLost is returned by Before for an action whose worker is lost after it has run.
var ErrLost = errors.New("lost")

func failed(err error) *repb.ExecuteResponse {
	return &repb.ExecuteResponse{Status: status.Convert(err).Proto()}
}

func (x *execution) perform(ctx context.Context, n int, o *operation, d *repb.Digest) *repb.ExecuteResponse {
	select {
	case x.slots <- struct{}{}:
		defer func() { <-x.slots }()
	case <-ctx.Done():
		return failed(status.Error(codes.Canceled, "canceled"))
	}

	var action repb.Action
	var command repb.Command
	if err := x.message(o.instance, d, &action); err != nil {
		return failed(err)
	}

	if err := x.message(o.instance, action.CommandDigest, &command); err != nil {
		return failed(err)
	}

	var lost bool
	if x.Before != nil {
		err := x.Before(n, &action)
		if lost = errors.Is(err, ErrLost); err != nil && !lost {
			return failed(err)
		}
	}

	o.set(repb.ExecutionStage_EXECUTING, nil)
	dir, err := os.MkdirTemp(x.dir, "action-")
	if err != nil {
		return failed(err)
	}

	defer os.RemoveAll(dir)
	result, err := x.run(ctx, o.instance, dir, &action, &command)
	switch {
	case err != nil:
		return failed(err)
	case lost:
		return failed(status.Error(codes.Unavailable, "the worker disappeared"))
	}

	return &repb.ExecuteResponse{Result: result, Status: &rpc.Status{}}
}

func (x *execution) run(ctx context.Context, instance, dir string, action *repb.Action,
	command *repb.Command) (*repb.ActionResult, error) {
	if x.Instead != nil {
		return x.Instead(instance, command)
	}

	if err := x.lay(instance, action.InputRootDigest, dir); err != nil {
		return nil, err
	}

	if t := action.GetTimeout(); t != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t.AsDuration())
		defer cancel()
	}

	for _, p := range command.OutputPaths {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o755); err != nil {
			return nil, err
		}
	}

	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(dir, command.Arguments[0]), command.Arguments[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, []string{}, &stdout, &stderr
	for _, v := range command.EnvironmentVariables {
		cmd.Env = append(cmd.Env, v.Name+"="+v.Value)
	}

	err := subprocess.Run(ctx, cmd)
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, status.Error(codes.DeadlineExceeded, "the time limit was reached")
	case ctx.Err() != nil:
		return nil, status.Error(codes.Canceled, "canceled")
	case err != nil && !errors.As(err, &exit):
		return nil, err
	}

	result := &repb.ActionResult{
		ExitCode: int32(cmd.ProcessState.ExitCode()), StdoutRaw: stdout.Bytes(), StderrRaw: stderr.Bytes(),
		ExecutionMetadata: &repb.ExecutedActionMetadata{Worker: "worker"},
	}
	for _, p := range command.OutputPaths {
		if err := x.output(instance, dir, p, result); err != nil {
			return nil, err
		}
	}

	return result, nil
}

// get returns content, or the error of a server that lacks it.
func (x *execution) get(instance string, d *repb.Digest) ([]byte, error) {
	x.memory.mu.Lock()
	defer x.memory.mu.Unlock()
	b, ok := x.memory.Blobs[instance+"|"+d.GetHash()]
	if !ok && d.GetSizeBytes() > 0 {
		s, err := status.New(codes.FailedPrecondition,
			"content is missing").WithDetails(&errdetails.PreconditionFailure{
			Violations: []*errdetails.PreconditionFailure_Violation{{Type: "MISSING", Subject: "blobs/" + d.GetHash()}},
		})
		if err != nil {
			return nil, err
		}

		return nil, s.Err()
	}

	return b, nil
}

// Put adds content and returns its digest.
func (x *execution) Put(instance string, b []byte) *repb.Digest {
	sum := sha256.Sum256(b)
	hash := hex.EncodeToString(sum[:])
	x.memory.mu.Lock()
	defer x.memory.mu.Unlock()
	x.memory.Blobs[instance+"|"+hash] = b
	return &repb.Digest{Hash: hash, SizeBytes: int64(len(b))}
}

func (x *execution) message(instance string, d *repb.Digest, m proto.Message) error {
	b, err := x.get(instance, d)
	if err != nil {
		return err
	}
	return proto.Unmarshal(b, m)
}

// lay writes a directory of the protocol.
func (x *execution) lay(instance string, d *repb.Digest, dir string) error {
	var m repb.Directory
	if err := x.message(instance, d, &m); err != nil {
		return err
	}

	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	for _, f := range m.Files {
		b, err := x.get(instance, f.Digest)
		if err != nil {
			return err
		}

		to := filepath.Join(dir, f.Name)
		if f.IsExecutable {
			err = x.program(f.Digest.GetHash(), b, to)
		} else {
			err = os.WriteFile(to, b, 0o444)
		}

		if err != nil {
			return err
		}
	}

	for _, l := range m.Symlinks {
		if err := os.Symlink(l.Target, filepath.Join(dir, l.Name)); err != nil {
			return err
		}
	}

	for _, n := range m.Directories {
		if err := x.lay(instance, n.Digest, filepath.Join(dir, n.Name)); err != nil {
			return err
		}
	}

	return nil
}

// program links a program, which is written once.
func (x *execution) program(hash string, content []byte, to string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	from := filepath.Join(x.dir, hash)
	if _, err := os.Stat(from); err != nil {
		// A process that is started now would hold the file open, and it could not be executed.
		syscall.ForkLock.RLock()
		err := os.WriteFile(from, content, 0o555)
		syscall.ForkLock.RUnlock()
		if err != nil {
			return err
		}
	}

	return os.Link(from, to)
}

// output adds what is at a path to a result.
func (x *execution) output(instance, dir, p string, r *repb.ActionResult) error {
	file := filepath.Join(dir, p)
	st, err := os.Lstat(file)
	switch {
	case os.IsNotExist(err):
		return nil
	case err != nil:
		return err
	case st.Mode().IsRegular():
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}

		r.OutputFiles = append(r.OutputFiles,
			&repb.OutputFile{Path: p, Digest: x.Put(instance, b), IsExecutable: st.Mode()&0o111 != 0})
	case st.IsDir():
		tree := &repb.Tree{}
		if tree.Root, err = x.tree(instance, file, tree); err != nil {
			return err
		}

		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(tree)
		if err != nil {
			return err
		}

		r.OutputDirectories = append(r.OutputDirectories,
			&repb.OutputDirectory{Path: p, TreeDigest: x.Put(instance, b)})
	case st.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(file)
		if err != nil {
			return err
		}

		r.OutputSymlinks = append(r.OutputSymlinks, &repb.OutputSymlink{Path: p, Target: target})
	}

	return nil
}

func (x *execution) tree(instance, dir string, t *repb.Tree) (*repb.Directory, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	d := &repb.Directory{}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			sub, err := x.tree(instance, file, t)
			if err != nil {
				return nil, err
			}

			t.Children = append(t.Children, sub)
			b, err := proto.MarshalOptions{Deterministic: true}.Marshal(sub)
			if err != nil {
				return nil, err
			}

			d.Directories = append(d.Directories, &repb.DirectoryNode{Name: e.Name(), Digest: x.Put(instance, b)})
		case e.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return nil, err
			}

			d.Symlinks = append(d.Symlinks, &repb.SymlinkNode{Name: e.Name(), Target: target})
		case e.Type().IsRegular():
			st, err := e.Info()
			if err != nil {
				return nil, err
			}

			b, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}

			d.Files = append(d.Files,
				&repb.FileNode{Name: e.Name(), Digest: x.Put(instance, b), IsExecutable: st.Mode()&0o111 != 0})
		}
	}

	return d, nil
}
