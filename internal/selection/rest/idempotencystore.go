package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// idempotencyStore keeps the answers to requests with an Idempotency-Key in the database,
// for a client that repeats a request after the service was started again. Only
// answers to requests that change something are kept, and only successes: other
// requests may be executed again.
type idempotencyStore struct {
	store *store.Store
	now   func() time.Time
	log   *slog.Logger
}

// handle is called for the first request with a key that this process sees.
func (l idempotencyStore) handle(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if r.Method != http.MethodPost || key == "" || maxBodyOf(r.URL.Path) == maxToolList {
			next.ServeHTTP(w, r)
			return
		}

		print, err := fingerprint(r)
		if err != nil {
			writeProblem(w, http.StatusBadRequest, "the body cannot be read")
			return
		}

		sum := sha256.Sum256([]byte(key))
		digest, wanted := hex.EncodeToString(sum[:]), hex.EncodeToString(print[:])
		now := l.now()
		entry, first, err := l.store.BeginReplay(r.Context(), digest, wanted, now, now.Add(-keptFor))
		switch {
		case err != nil:
			l.refuse(w, err)
		case entry.Fingerprint != wanted:
			writeProblem(w, http.StatusUnprocessableEntity, usedForAnother)
		case !first && entry.Status == 0:
			writeProblem(w, http.StatusConflict, "the service ended while it executed the first request with this "+
				"Idempotency-Key: look whether it was done, and choose a new key")
		case !first:
			replayed(w, entry.Status, entry.Header, entry.Body)
		default:
			kept := &answerRecorder{ResponseWriter: w, status: http.StatusOK}
			finished := false
			defer func() { l.end(context.WithoutCancel(r.Context()), digest, kept, finished) }()
			next.ServeHTTP(kept, r)
			finished = true
		}
	})
}

// end keeps a success. One that is too long stays without its answer, so that it is
// not done twice.
func (l idempotencyStore) end(ctx context.Context, digest string, kept *answerRecorder, finished bool) {
	var err error
	switch {
	case !finished || kept.status < 200 || kept.status > 299:
		err = l.store.DropReplay(ctx, digest)
	case kept.body.Len() <= longAnswer:
		err = l.store.EndReplay(ctx, digest,
			store.Replay{Status: kept.status, Header: kept.replayHeader(), Body: kept.body.Bytes()})
	}
	if err != nil {
		l.log.Error("the answer to a request with an Idempotency-Key was not stored", "error", err)
	}
}

func (l idempotencyStore) refuse(w http.ResponseWriter, err error) {
	err = problem(l.log, err)
	status := http.StatusInternalServerError
	var known huma.StatusError
	if errors.As(err, &known) {
		status = known.GetStatus()
	}
	writeProblem(w, status, err.Error())
}

const usedForAnother = "the Idempotency-Key was used for another request: choose a new one"

// replayed answers a repeated request.
func replayed(w http.ResponseWriter, status int, header http.Header, body []byte) {
	for name, values := range header {
		w.Header()[name] = values
	}
	w.Header().Set("Idempotency-Replayed", "true")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone where it fails
}

// fingerprint tells requests with one key apart. The body of r is in memory and can
// be read again.
func fingerprint(r *http.Request) ([sha256.Size]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return sha256.Sum256(append([]byte(r.URL.RequestURI()+"\n"), body...)), nil
}
