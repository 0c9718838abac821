package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// helper asks a program for headers, in the protocol of Bazel's credential helpers: "PROGRAM get"
// reads {"uri": "https://HOST:PORT"} and writes {"headers": {NAME: [VALUE]}, "expires": TIME}.
type helper struct {
	settings *Settings

	mu      sync.Mutex
	headers map[string]string
	expires time.Time // zero: never
}

type helperAnswer struct {
	Headers map[string][]string `json:"headers"`
	Expires time.Time           `json:"expires"`
}

// helperTime is how long a helper may take. It may ask a person or another server.
const helperTime = 30 * time.Second

// refreshBefore is how long before their end headers are asked for again.
const refreshBefore = 30 * time.Second

func (h *helper) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.headers != nil && (h.expires.IsZero() || time.Until(h.expires) > refreshBefore) {
		return h.headers, nil
	}

	// The answer also serves the requests after this one, so it does not end with it.
	ctx, cancel := context.WithTimeout(context.Background(), helperTime)
	defer cancel()
	a, err := h.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("the credential helper %s: %w", h.settings.CredentialHelper, err)
	}

	sent := map[string]string{}
	for name, values := range a.Headers {
		v := strings.Join(values, ",")
		if !validHeader(name, v) {
			return nil, fmt.Errorf("the credential helper %s answered with a header that cannot be sent",
				h.settings.CredentialHelper)
		}

		if h.settings.Hide != nil {
			h.settings.Hide(v)
		}

		sent[strings.ToLower(name)] = v
	}

	h.headers, h.expires = sent, a.Expires
	return sent, nil
}

func (h *helper) RequireTransportSecurity() bool { return false } // as fixedHeaders

func (h *helper) ask(ctx context.Context) (a helperAnswer, err error) {
	program := h.settings.CredentialHelper
	if strings.ContainsAny(program, `/\`) {
		program = h.settings.path(program)
	}

	cmd := exec.CommandContext(ctx, program, "get")
	question, err := json.Marshal(map[string]string{"uri": "https://" + h.settings.Address.hostPort()})
	if err != nil {
		return a, err
	}

	cmd.Stdin = bytes.NewReader(question)
	var out bytes.Buffer
	cmd.Stdout = &limitedBuffer{&out}
	if err := subprocess.Run(ctx, cmd); err != nil {
		return a, err // what it printed may hold a secret
	}

	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		return a, fmt.Errorf("its answer is not {\"headers\": {NAME: [VALUE]}}")
	}

	return a, nil
}

// limitedBuffer holds no more than a secret may have.
type limitedBuffer struct{ to *bytes.Buffer }

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if l.to.Len()+len(p) > readlimit.MaxSecret {
		return 0, fmt.Errorf("its answer has more than %d bytes", readlimit.MaxSecret)
	}
	return l.to.Write(p)
}
