package scoresecurity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// session is a detector that answers requests, one after the other. After an error it is in an unknown state.
type session interface {
	// ask sends a request and waits for the verdict.
	ask(ctx context.Context, r contracts.DetectorRequest, timeout time.Duration) (contracts.DetectorVerdict, error)
	// finish ends a detector that has answered every request, and waits at most for grace.
	finish(grace time.Duration) error
	// stop ends a detector in any state.
	stop()
}

// begin starts the detector. A built-in detector judges in this process. It sees what another detector would read from
// a request, without the start of a program, the encoding and checking of each message, and two switches between
// processes for each entry, which took longer than to judge. Its panics become verdicts with an error.
func begin(opts Options, stderr *subprocess.Tail) (session, error) {
	if len(opts.Argv) == 0 {
		judge, err := detectors.Judge(opts.Detector)
		return builtin{judge}, err
	}

	p, err := start(opts.Argv, stderr)
	if err != nil {
		return nil, fmt.Errorf("start it: %w: give a command that can be run after --", err)
	}

	return p, nil
}

// builtin is a session of a built-in detector.
type builtin struct {
	judge func(contracts.DetectorRequest) contracts.DetectorVerdict
}

func (b builtin) ask(ctx context.Context, r contracts.DetectorRequest, timeout time.Duration) (
	v contracts.DetectorVerdict, err error) {
	if r, err = encoded(r); err != nil {
		return v, err
	}

	answered := make(chan contracts.DetectorVerdict, 1)
	go func() { answered <- b.judge(r) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case v = <-answered:
		return v, nil
	case <-timer.C:
		return v, fmt.Errorf("%w within %v", errNoVerdict, timeout)
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
}

func (builtin) finish(time.Duration) error { return nil }

func (builtin) stop() {}

// encoded returns a request whose JSON values are as an encoder writes them, without insignificant space.
func encoded(r contracts.DetectorRequest) (contracts.DetectorRequest, error) {
	r.Peers = slices.Clone(r.Peers)
	values := []*json.RawMessage{&r.Tool.InputSchema, &r.Tool.OutputSchema, &r.Tool.Annotations}
	for i := range r.Peers {
		values = append(values, &r.Peers[i].InputSchema)
	}

	if r.Approved != nil {
		approved := *r.Approved
		r.Approved = &approved
		values = append(values, &approved.InputSchema, &approved.OutputSchema)
	}

	for _, v := range values {
		if len(*v) == 0 {
			continue
		}

		var b bytes.Buffer
		if err := json.Compact(&b, *v); err != nil {
			return r, err
		}

		*v = b.Bytes()
	}

	return r, nil
}
