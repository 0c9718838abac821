package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/touchstone-eval/touchstone/cache"
)

// Workers runs actions on the workers of a server. It is safe for concurrent use.
type Workers struct {
	Settings
	// Pause waits before the nth try, from 1. It is only set by tests.
	Pause func(ctx context.Context, n int)

	client     *client
	executions repb.ExecutionClient
	operations longrunningpb.OperationsClient
	invocation string // identifies this run for the server

	mu        sync.Mutex
	connected bool
}

// WorkerLimits are the limits for a server that executes. Such a run cannot go on without it, so it
// waits longer than for a cache.
var WorkerLimits = Limits{Connect: 15 * time.Second, Answer: time.Minute, Stall: time.Minute, PerMiB: 10 * time.Second}

// OpenWorkers prepares to use a server, and does not connect to it. It returns an error for settings that
// cannot work.
func OpenWorkers(ctx context.Context, s Settings) (*Workers, error) {
	if s.Limits == (Limits{}) {
		s.Limits = WorkerLimits
	}

	w := &Workers{Settings: s, Pause: pause, invocation: rand.Text()}
	c, err := newClient(ctx, &w.Settings)
	if err != nil {
		return nil, err
	}

	w.client = c
	w.executions = repb.NewExecutionClient(c.conn)
	w.operations = longrunningpb.NewOperationsClient(c.conn)
	return w, nil
}

// Close ends the connection.
func (w *Workers) Close() { w.client.close() }

// Connect asks the server what it offers. It returns an error if the server cannot be reached or does
// not execute actions.
func (w *Workers) Connect(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.connected {
		return nil
	}

	if err := w.client.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}

		return fmt.Errorf("the %s %s: %w; check the address and that the server runs, or %s", w.what(), w.Address, err,
			w.off())
	}

	if !w.client.executes {
		return fmt.Errorf("the %s %s: the server is only a cache and executes nothing; name a server that has "+
			"workers with TOUCHSTONE_REMOTE_EXECUTOR, or %s", w.what(), w.Address, w.off())
	}

	w.connected = true
	return nil
}

// executes reports whether a server runs actions whose digests are SHA-256.
func executes(c *repb.ExecutionCapabilities) bool {
	return c.GetExecEnabled() &&
		(len(c.DigestFunctions) == 0 &&
			(c.DigestFunction == repb.DigestFunction_SHA256 || c.DigestFunction == repb.DigestFunction_UNKNOWN) ||
			slices.Contains(c.DigestFunctions, repb.DigestFunction_SHA256))
}

// pause doubles with each try.
func pause(ctx context.Context, n int) {
	select {
	case <-ctx.Done():
	case <-time.After(min(100*time.Millisecond<<min(n, 10), 10*time.Second)):
	}
}

// Upload uploads what of blobs the server lacks.
func (w *Workers) Upload(ctx context.Context, blobs []Blob) error {
	sources := map[cache.Digest]Blob{}
	var asked []cache.SizedDigest
	var total int64
	for _, b := range blobs {
		if _, twice := sources[b.Digest]; twice || b.Size == 0 {
			continue
		}

		if limit := w.client.largest; limit > 0 && b.Size > limit {
			return fmt.Errorf("a file of %d bytes has to be uploaded, but the server takes none of more than %d; "+
				"raise its limit", b.Size, limit)
		}

		sources[b.Digest] = b
		asked = append(asked, b.SizedDigest)
		total += b.Size
	}

	lacks := asked
	if len(asked) > few || total > smallBlob {
		var err error
		if lacks, err = w.client.missing(ctx, asked); err != nil {
			return readableError(err)
		}
	}

	read := func(b cache.SizedDigest) io.ReadCloser {
		r, err := sources[b.Digest].open()
		if err != nil {
			return io.NopCloser(failing{err})
		}

		return r
	}
	batches, large := w.client.batches(lacks)
	var g errgroup.Group
	g.SetLimit(uploaders)
	for _, batch := range batches {
		g.Go(func() error { return w.client.writeBatch(ctx, batch, read) })
	}

	for _, b := range large {
		g.Go(func() error { return w.client.writeStream(ctx, b, read) })
	}

	return readableError(g.Wait())
}

// few is the number of small contents that are uploaded without asking whether the server has them.
const few = 8

// failing is a file that could not be opened.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// An Action is a command with its files.
type Action struct {
	// Stage and Instance are names for the pages of the server.
	Stage, Instance string
	Command         []string
	Env             map[string]string // of the command
	// Properties select the worker.
	Properties map[string]string
	// Inputs is the Directory in which the command runs.
	Inputs cache.SizedDigest
	// Outputs are the paths that are taken back, relative to that directory.
	Outputs []string
	// Report is the one of Outputs that every command writes, unless it could not start or was killed.
	Report string
	// Timeout is how long the server lets the command run, or 0 for the server's own limit.
	Timeout time.Duration
}

// encode returns the messages of an action. The first one is the action.
func (a *Action) encode() (action, command message) {
	platform := &repb.Platform{}
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		platform.Properties = append(platform.Properties,
			&repb.Platform_Property{Name: name, Value: a.Properties[name]})
	}

	c := &repb.Command{Arguments: a.Command, OutputPaths: slices.Sorted(slices.Values(a.Outputs))}
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		c.EnvironmentVariables = append(c.EnvironmentVariables,
			&repb.Command_EnvironmentVariable{Name: name, Value: a.Env[name]})
	}

	command = encode(c)
	m := &repb.Action{
		CommandDigest: digest(command.SizedDigest), InputRootDigest: digest(a.Inputs), Platform: platform,
		// What counts as done is not for the server to say: it may run the same action again.
		DoNotCache: true,
	}
	if a.Timeout > 0 {
		m.Timeout = durationpb.New(a.Timeout)
	}

	return encode(m), command
}

// described adds what the server shows about an action.
func (w *Workers) described(ctx context.Context, a *Action) context.Context {
	m := &repb.RequestMetadata{
		ToolDetails:      &repb.ToolDetails{ToolName: "touchstone", ToolVersion: w.Agent},
		ToolInvocationId: w.invocation, ActionMnemonic: a.Stage, TargetId: a.Instance,
	}
	b, err := proto.Marshal(m)
	if err != nil {
		return ctx // a name that is not UTF-8
	}
	return metadata.AppendToOutgoingContext(ctx, "build.bazel.remote.execution.v2.requestmetadata-bin", string(b))
}

var errNotUploaded = errors.New("it has lost inputs of the action")
