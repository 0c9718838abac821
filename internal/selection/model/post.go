package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Limits of a request to a provider.
const (
	maxResponse = 16 << 20
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	mostAfter   = 60 * time.Second // the longest Retry-After that a run waits for
)

// endpoint posts JSON to one address of a provider.
type endpoint struct {
	provider string
	address  string
	header   http.Header
	settings selection.Settings
	options  Options
}

// StatusError is an error status of a provider.
type StatusError struct {
	Provider string
	Status   int
	Message  string // the provider's message, shortened and without secrets
	Keyless  bool   // the request had no API key
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("provider %s answered %d %s", e.Provider, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}

	refused := e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	switch {
	case refused && e.Keyless:
		text += ": the request had no API key: " + giveKey
	case refused:
		text += ": check the API key"
	case e.Status == http.StatusNotFound:
		text += ": check the model's name and the base URL"
	case e.Status == http.StatusTooManyRequests:
		text += ": ask less often, or allow more retries"
	case e.Status >= 300 && e.Status < 400:
		text += ": redirects are not followed, since the key is for one host: correct the base URL"
	}

	return text
}

// post sends a request until it is answered. It retries, after a growing wait
// with jitter, only if the provider answers 429 or 5xx.
func (e endpoint) post(ctx context.Context, body any) (answer []byte, attempts int, err error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, 0, fmt.Errorf("write the request: %w", err)
	}

	for {
		if err := e.options.Limit.wait(ctx); err != nil {
			return nil, attempts, err
		}

		attempts++
		answer, after, err := e.once(ctx, sent)
		var status *StatusError
		if err == nil || !errors.As(err, &status) || !retriable(status.Status) || attempts > e.settings.MaxRetries {
			return answer, attempts, err
		}

		if after > mostAfter {
			return nil, attempts, fmt.Errorf("%w; it asks for a wait of %s, but a run waits for %s at most: retry "+
				"the run later",
				err, after.Round(time.Second), mostAfter)
		}

		wait := e.wait(attempts, after)
		if e.options.Waiting != nil {
			e.options.Waiting(e.provider, status.Status, wait)
		}

		if err := e.options.sleep(ctx, wait); err != nil {
			return nil, attempts, err
		}
	}
}

func retriable(status int) bool { return status == http.StatusTooManyRequests || status >= 500 }

// wait is the time before the next attempt: the provider's request, or
// otherwise a random part of a doubling interval ("full jitter": Brooker,
// Exponential Backoff And Jitter, AWS Architecture Blog, 2015).
func (e endpoint) wait(attempts int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	longest := min(longestWait, firstWait<<min(attempts-1, 10))
	return time.Duration(e.options.jitter() * float64(longest))
}

// once sends the request once, within the timeout of the settings.
func (e endpoint) once(ctx context.Context, body []byte) (answer []byte, after time.Duration, err error) {
	timeout := time.Duration(e.settings.Timeout) * time.Second
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, e.address, bytes.NewReader(body))
	if err != nil {
		return nil, 0, fmt.Errorf("provider %s: %s", e.provider, e.options.Key.remove(err.Error()))
	}

	req.Header = e.header.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	client := *e.options.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, e.failed(ctx, within, err, timeout)
	}

	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case err != nil && within.Err() == nil:
		return nil, 0, fmt.Errorf("provider %s broke off its answer after %d bytes: %s: retry the run", e.provider,
			len(answer), e.options.Key.remove(err.Error()))
	case err != nil:
		return nil, 0, e.failed(ctx, within, err, timeout)
	case len(answer) > maxResponse:
		return nil, 0, fmt.Errorf("provider %s answered with more than %d MiB", e.provider, maxResponse>>20)
	case resp.StatusCode != http.StatusOK:
		message := selection.Clip(e.options.Key.remove(errorText(answer)), 500)
		return nil, retryAfter(resp.Header),
			&StatusError{Provider: e.provider, Status: resp.StatusCode, Message: message,
				Keyless: e.options.Key.Empty()}
	}

	return e.options.Key.removeJSON(bytes.ToValidUTF8(answer, []byte("\uFFFD"))), 0, nil
}

func (e endpoint) failed(ctx, within context.Context, err error, timeout time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil:
		return fmt.Errorf("provider %s did not answer within %s: allow a longer timeout", e.provider, timeout)
	}
	return fmt.Errorf("provider %s cannot be reached: %s: check that it runs, and the base URL", e.provider,
		e.options.Key.remove(err.Error()))
}

// retryAfter returns the wait that a provider requests.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

// errorText returns the message of a provider's error: {"error": {"message":
// ...}}, {"error": "..."}, {"message": ...}, or the text itself.
func errorText(body []byte) string {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &outer) == nil {
		var inner struct {
			Message string `json:"message"`
		}
		var text string
		switch {
		case json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "":
			return inner.Message
		case json.Unmarshal(outer.Error, &text) == nil && text != "":
			return text
		case outer.Message != "":
			return outer.Message
		}
	}

	return strings.TrimSpace(string(body))
}

// cost is the price of the used tokens, or nil if no price is known.
func (p Price) cost(u selection.Usage) *float64 {
	if p.Input == 0 && p.Output == 0 {
		return nil
	}
	c := (p.Input*float64(u.InputTokens) + p.Output*float64(u.OutputTokens)) / 1e6
	return &c
}
