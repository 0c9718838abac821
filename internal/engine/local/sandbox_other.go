//go:build !linux

package local

import (
	"context"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

type sandboxState struct{}

// NewSandbox returns a sandbox, which cannot restrict stages on this system.
func NewSandbox(hidden ...string) *Sandbox { return &Sandbox{hidden: hidden} }

type confinement struct {
	words  []string
	grants []grant
}

func (s *Sandbox) confine(job *engine.Job, _ string) (*confinement, error) {
	words := unheld(job.Instance)
	if s.off {
		words = append(words, askedFor)
	}
	return &confinement{words: words}, nil
}

// elsewhere runs no job: this system has no namespaces.
func (s *Sandbox) elsewhere(context.Context, *engine.Job, time.Duration) (*engine.Result, error, bool) {
	return nil, nil, false
}

func (s *Sandbox) release(_ *confinement, ended bool) bool { return ended }

// ownProcesses returns false: this system has no PID namespaces.
func (c *confinement) ownProcesses() bool { return false }

// Close does nothing on this system.
func (s *Sandbox) Close() error { return nil }
