package rest

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// errInvalid is a request that cannot be done as it stands.
func errInvalid(text string) error { return huma.Error422UnprocessableEntity(text) }

// problem turns an error into an answer of application/problem+json (RFC 9457).
// An error that no user can mend is logged and not shown.
func problem(log *slog.Logger, err error) error {
	var known huma.StatusError
	if errors.As(err, &known) {
		return err
	}

	for _, kind := range []struct {
		err    error
		status int
	}{
		{store.ErrNotFound, http.StatusNotFound},
		{store.ErrConflict, http.StatusConflict},
		{store.ErrInvalid, http.StatusUnprocessableEntity},
		{similarity.ErrTooFew, http.StatusUnprocessableEntity},
		{store.ErrUnavailable, http.StatusServiceUnavailable},
		{runner.ErrClosed, http.StatusServiceUnavailable},
		{context.Canceled, http.StatusServiceUnavailable},
		{context.DeadlineExceeded, http.StatusGatewayTimeout},
	} {
		if errors.Is(err, kind.err) {
			return huma.NewError(kind.status, err.Error())
		}
	}

	log.Error("a request failed", "error", err)
	return huma.Error500InternalServerError("an internal error: see the log of the service")
}

// hideValues takes rejected values out of the details of an error: they may be
// confidential, and the sender knows them.
func hideValues(_ huma.Context, _ string, v any) (any, error) {
	if e, ok := v.(*huma.ErrorModel); ok {
		for _, detail := range e.Errors {
			detail.Value = nil
		}
	}
	return v, nil
}

// writeProblem answers a request that does not reach the API.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	// the client is gone where it fails
	_ = json.NewEncoder(w).Encode(huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail})
}
