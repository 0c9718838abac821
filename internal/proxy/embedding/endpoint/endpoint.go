// Package endpoint computes vectors with a service: any that implements POST
// /v1/embeddings as OpenAI does.
//
// The service's key is sent only to the service. It never appears in an error,
// an identity or a log.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options configures the requests to a service. Zero values mean the defaults.
type Options struct {
	URL     string        // the address before /embeddings, such as https://host/v1
	Model   string        // the service's name of the model
	Key     string        // sent as a bearer token; may be empty
	Batch   int           // texts in one request; default 64
	Timeout time.Duration // of one request; default one minute
	Tries   int           // maximum for one request; default 4
}

const (
	defaultBatch   = 64
	defaultTimeout = time.Minute
	defaultTries   = 4
	// firstWait is the wait before the second try. Each further wait is twice
	// as long. longestWait limits all waits, including those that a service
	// requests.
	firstWait   = time.Second
	longestWait = 30 * time.Second
)

// Service is a model at an address. Several goroutines may use it at once.
type Service struct {
	opts     Options
	address  string
	identity string
	client   *http.Client
	wait     func(context.Context, time.Duration) error
}

// New checks the options. It sends no request.
func New(opts Options) (*Service, error) {
	u, err := url.Parse(opts.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("the address of the embeddings service must start with http:// or " +
			"https:// and name a host")
	}

	if opts.Model == "" {
		return nil, errors.New("the embeddings service requires the name of a model")
	}

	if u.User != nil {
		return nil, errors.New("the address of the embeddings service holds a user name: give the " +
			"key apart from the address")
	}

	if opts.Batch <= 0 {
		opts.Batch = defaultBatch
	}

	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}

	if opts.Tries <= 0 {
		opts.Tries = defaultTries
	}

	u.RawQuery, u.Fragment = "", ""
	base := strings.TrimSuffix(u.String(), "/")
	return &Service{
		opts: opts, address: base + "/embeddings", identity: opts.Model + " at " + base, wait: wait,
		client: &http.Client{Timeout: opts.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the key is only for this address
		}},
	}, nil
}

// Identity names the model and the service's address. Services do not report
// the version of a model.
func (s *Service) Identity() string { return s.identity }

// Embed returns the vectors of texts, of length 1, in their order. It sends
// them in batches, one after the other. If the service answers with status 429
// or 5xx, Embed sends the request again, after a wait that doubles each time or
// that the service requests. It returns any other failure.
func (s *Service) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); from += s.opts.Batch {
		batch, err := s.try(ctx, texts[from:min(from+s.opts.Batch, len(texts))])
		if err != nil {
			return nil, err
		}

		vectors = append(vectors, batch...)
		if len(vectors[0]) != len(batch[0]) {
			return nil, fmt.Errorf("the embeddings service returned vectors of %d and of %d numbers", len(vectors[0]),
				len(batch[0]))
		}
	}

	return vectors, nil
}

// try sends one request until it succeeds, fails permanently, or was tried too
// often.
func (s *Service) try(ctx context.Context, texts []string) ([][]float32, error) {
	pause := firstWait
	for try := 1; ; try++ {
		vectors, err := s.ask(ctx, texts)
		var busy *busyError
		if !errors.As(err, &busy) || try == s.opts.Tries {
			return vectors, err
		}

		// The jitter prevents clients that failed together from retrying
		// together.
		after := max(pause+rand.N(pause/2), busy.after)
		if err := s.wait(ctx, min(after, longestWait)); err != nil {
			return nil, err
		}

		pause *= 2
	}
}

// busyError is a temporary failure.
type busyError struct {
	err   error
	after time.Duration // the wait that the service requests; may be 0
}

func (e *busyError) Error() string { return e.err.Error() }

func (e *busyError) Unwrap() error { return e.err }

// retryAfter returns the seconds of a Retry-After header. It ignores dates.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > int(longestWait/time.Second) {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
