package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/touchstone-eval/touchstone/cache"
)

// A Phase is what happens to an action at the server.
type Phase int

// Phases of an action. An action whose worker was lost is queued again.
const (
	Queued Phase = iota + 1
	Executing
)

// Ended is the result of an action whose command ended.
type Ended struct {
	ExitCode int
	Worker   string // its name
	// Lost counts how often the action was started again, because its worker or its results were lost.
	Lost   int
	result *repb.ActionResult
}

const (
	// mostLost is how often an action is started again.
	mostLost = 6
	// mostBreaks is how often in a row a stream is resumed that broke soon.
	mostBreaks = 8
	longStream = time.Minute
	// mostFetches is how often outputs are fetched before the action is started again.
	mostFetches = 4
)

// lostError is the loss of a worker or of what it made.
type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// Run runs an action and writes its outputs into dir, which is created. upload sets the inputs of the action
// and uploads them, except for those that it returns. It is called again for each try, with again set, because
// the server may have lost them. phase is told of each change.
//
// If a worker is lost, the action is started again, so its command may run several times. The outputs
// are those of one of them.
func (w *Workers) Run(ctx context.Context, a *Action, dir string,
	upload func(ctx context.Context, again bool) ([]Blob, error), phase func(Phase)) (*Ended, error) {
	ctx = w.described(ctx, a)
	for lost := 0; ; lost++ {
		ended, err := w.once(ctx, a, dir, func() ([]Blob, error) { return upload(ctx, lost > 0) }, phase)
		if err == nil {
			ended.Lost = lost
			return ended, nil
		}

		if ctx.Err() != nil {
			return nil, ctx.Err()
		}

		var again *lostError
		if !errors.As(err, &again) {
			return nil, fmt.Errorf("the %s %s: %w", w.what(), w.Address, err)
		}

		if lost == mostLost {
			return nil, fmt.Errorf("the %s %s has lost it %d times, the last time because %w; finished stages are "+
				"kept, run again to continue", w.what(), w.Address, lost+1, again.error)
		}

		w.Pause(ctx, lost+1)
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
}

// once runs an action once.
func (w *Workers) once(ctx context.Context, a *Action, dir string, upload func() ([]Blob, error),
	phase func(Phase)) (*Ended, error) {
	rest, err := upload()
	action, command := a.encode()
	if err == nil {
		err = w.Upload(ctx, append(rest, action.blob(), command.blob()))
	}

	if err != nil {
		return nil, transfer("uploading inputs", err)
	}

	response, err := w.execute(ctx, action, phase)
	if err != nil {
		return nil, err
	}

	if err := judged(response.GetStatus()); err != nil {
		return nil, err
	}

	result := response.GetResult()
	if result == nil {
		return nil, errors.New("its answer has no result")
	}

	e := &Ended{ExitCode: int(result.ExitCode), Worker: result.GetExecutionMetadata().GetWorker(), result: result}
	if !slices.ContainsFunc(result.OutputFiles, func(f *repb.OutputFile) bool { return f.GetPath() == a.Report }) {
		err := fmt.Errorf("the worker %s could not run it: exit status %d%s", e.Worker, e.ExitCode,
			w.stderrTail(ctx, result))
		if e.ExitCode < 0 || e.ExitCode > 128 { // a signal, such as those of a worker that is shut down
			return nil, &lostError{err}
		}

		return nil, err
	}

	for try := 1; ; try++ {
		err := w.take(ctx, result, dir)
		if err == nil {
			return e, nil
		}

		if try == mostFetches || !transient(err) || ctx.Err() != nil {
			return nil, transfer("fetching outputs", err)
		}

		w.Pause(ctx, try)
		if err := os.RemoveAll(dir); err != nil {
			return nil, &localError{err}
		}
	}
}

// stderrTail returns the end of what a command printed on standard error.
func (w *Workers) stderrTail(ctx context.Context, r *repb.ActionResult) string {
	text := r.StderrRaw
	if b, err := sized(r.GetStderrDigest()); len(text) == 0 && err == nil && b.Size <= chunk {
		_ = w.fetch(ctx, []cache.SizedDigest{b}, func(b cache.SizedDigest, in io.Reader) (err error) {
			text, err = io.ReadAll(io.LimitReader(in, b.Size))
			return err
		})
	}

	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + truncate(last)
	}

	return ""
}

// transient reports whether the error of a transfer may go away. Those of this machine, answers that are
// wrong and content that is lost do not.
func transient(err error) bool {
	var local *localError
	var lost *lostError
	return !errors.As(err, &local) && !errors.As(err, &lost) && !errors.Is(err, errFalse) &&
		!errors.Is(err, errMalformed)
}

// transfer returns the error of a transfer.
func transfer(what string, err error) error {
	text := fmt.Errorf("%s: %w", what, readableError(err))
	if transient(err) {
		return &lostError{text}
	}
	return text
}

// judged returns the error of a status of an action, or nil.
func judged(s *rpc.Status) error {
	if s.GetCode() == int32(codes.OK) {
		return nil
	}

	st := status.FromProto(s)
	for _, d := range st.Details() {
		if p, ok := d.(*errdetails.PreconditionFailure); ok {
			for _, v := range p.Violations {
				if v.Type == "MISSING" {
					return &lostError{errNotUploaded}
				}
			}
		}
	}

	text := truncate(st.Message())
	switch st.Code() {
	case codes.Unavailable, codes.Aborted, codes.Internal, codes.ResourceExhausted:
		return &lostError{fmt.Errorf("%s: %s", st.Code(), text)}
	case codes.DeadlineExceeded:
		return fmt.Errorf("it ended the stage at a time limit (%s); give the stage a timeout that is below the "+
			"server's limit, or raise that", text)
	case codes.FailedPrecondition:
		return fmt.Errorf("it has no worker for the stage (%s); start one with these properties, or change them "+
			"with TOUCHSTONE_REMOTE_PROPERTY", text)
	}

	return fmt.Errorf("it did not run the stage: %s: %s", st.Code(), text)
}

// execute runs an action whose inputs are uploaded, and follows it until it is done. A stream that breaks
// is resumed.
func (w *Workers) execute(ctx context.Context, action message, phase func(Phase)) (*repb.ExecuteResponse, error) {
	f := follower{phase: phase}
	for breaks := 0; ; {
		began := time.Now()
		response, err := w.follow(ctx, action, &f)
		if response != nil {
			return response, nil
		}

		if ctx.Err() != nil {
			w.cancel(ctx, f.name)
			return nil, ctx.Err()
		}

		code := status.Code(err)
		switch {
		case f.name != "" && code == codes.NotFound:
			return nil, &lostError{errors.New("it no longer has the action")}
		case errors.Is(err, io.EOF), code == codes.Unavailable, code == codes.Internal, code == codes.DeadlineExceeded,
			code == codes.Canceled, code == codes.Aborted:
		default:
			if s, ok := status.FromError(err); ok {
				return nil, judged(s.Proto())
			}

			return nil, err
		}

		if time.Since(began) > longStream {
			breaks = 0
		}

		if breaks++; breaks > mostBreaks {
			if errors.Is(err, io.EOF) {
				err = errors.New("it ends the stream before the action is done")
			}

			return nil, fmt.Errorf("%w; finished stages are kept, run again when it is back", readableError(err))
		}

		w.Pause(ctx, breaks)
	}
}

// follower follows one execution.
type follower struct {
	name  string // of the operation, once it is known
	at    Phase
	phase func(Phase)
}

// follow starts an action, or resumes waiting for it. It returns its response, or the error of the stream.
func (w *Workers) follow(ctx context.Context, action message, f *follower) (*repb.ExecuteResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var stream interface {
		Recv() (*longrunningpb.Operation, error)
	}
	var err error
	if f.name == "" {
		stream, err = w.executions.Execute(ctx, &repb.ExecuteRequest{
			InstanceName: w.Address.Instance, ActionDigest: digest(action.SizedDigest), SkipCacheLookup: true,
		})
	} else {
		stream, err = w.executions.WaitExecution(ctx, &repb.WaitExecutionRequest{Name: f.name})
	}

	if err != nil {
		return nil, err
	}

	for {
		op, err := stream.Recv()
		if err != nil {
			return nil, err
		}

		if op.GetName() != "" {
			f.name = op.GetName()
		}

		f.observe(op)
		if !op.GetDone() {
			continue
		}

		if s := op.GetError(); s != nil {
			return &repb.ExecuteResponse{Status: s}, nil
		}

		var response repb.ExecuteResponse
		if op.GetResponse() == nil || op.GetResponse().UnmarshalTo(&response) != nil {
			return &repb.ExecuteResponse{}, nil
		}

		return &response, nil
	}
}

// observe tells of a change of phase.
func (f *follower) observe(op *longrunningpb.Operation) {
	var m repb.ExecuteOperationMetadata
	if op.GetMetadata() == nil || op.GetMetadata().UnmarshalTo(&m) != nil {
		return
	}

	var now Phase
	switch m.Stage {
	case repb.ExecutionStage_QUEUED:
		now = Queued
	case repb.ExecutionStage_EXECUTING:
		now = Executing
	default:
		return
	}

	if now != f.at {
		f.at = now
		f.phase(now)
	}
}

// cancelTime is how long a server may take to accept that an action is not needed anymore.
const cancelTime = 2 * time.Second

// cancel asks the server to end an action after ctx has ended. Servers that cannot do so end it when
// nobody has waited for it for some time.
func (w *Workers) cancel(ctx context.Context, name string) {
	if name == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancel()
	_, _ = w.operations.CancelOperation(ctx, &longrunningpb.CancelOperationRequest{Name: name})
}
