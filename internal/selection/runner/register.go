package runner

import (
	"context"
	"errors"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Checker checks whether a server can be reached.
type Checker interface {
	Check(context.Context, selection.Server) error
}

// Register stores a new server, checks that it can be reached and records the
// result. It ingests no tools. A server that cannot be reached is stored as
// failed, with the reason. A program that may not be started without consent
// stays inactive.
func Register(ctx context.Context, s *store.Store, checker Checker, server selection.Server) (stored selection.Server,
	reason error, err error) {
	if stored, err = s.CreateServer(ctx, server); err != nil {
		return stored, nil, err
	}
	return CheckAgain(ctx, s, checker, stored)
}

// Change stores a server's new name, URL and transport, and checks it like
// Register.
func Change(ctx context.Context, s *store.Store, checker Checker, server selection.Server) (stored selection.Server,
	reason error, err error) {
	if stored, err = s.UpdateServer(ctx, server); err != nil {
		return stored, nil, err
	}
	return CheckAgain(ctx, s, checker, stored)
}

// CheckAgain checks a stored server and records the result. A slow one keeps its
// status, since it did not fail.
func CheckAgain(ctx context.Context, s *store.Store, checker Checker, server selection.Server) (selection.Server, error,
	error) {
	reason := checker.Check(ctx, server)
	if errors.Is(reason, ErrNoConsent) || errors.Is(reason, ErrSlow) {
		return server, reason, nil
	}

	status := selection.ServerActive
	if reason != nil {
		status = selection.ServerFailed
	}

	if err := s.SetServerStatus(context.WithoutCancel(ctx), server.ID, status, time.Now()); err != nil {
		return server, reason, err
	}

	server, err := s.Server(context.WithoutCancel(ctx), server.ID)
	return server, reason, err
}
