package model

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Request is one query with the tools that are offered for it.
type Request struct {
	Query    string
	Tools    []selection.Tool
	Settings selection.Settings
	// Several lets the model make more than one call.
	Several bool
	// Repeat counts the repeats of one request from 1. It tells their recordings
	// apart.
	Repeat int
}

// Model answers requests. An error's text is free of secrets and fit for people
// to read.
type Model interface {
	Ask(ctx context.Context, r Request) (selection.Answer, error)
}

// Options are what a model needs beside its settings.
type Options struct {
	Key Key
	// Client sends the requests; nil is a client that follows no redirect.
	Client *http.Client
	// Cassette holds the recordings of the provider replay.
	Cassette *Cassette
	Price    Price
	Limits   *Limits
	// sleep and jitter are replaced by tests.
	sleep  func(context.Context, time.Duration) error
	jitter func() float64
}

// Price is in US dollars for a million tokens. Zero means unknown.
type Price struct{ Input, Output float64 }

// Limits hold requests to a rate, each provider's by itself. One Limits serves
// all runs of a process. A nil Limits limits nothing.
type Limits struct{ perProvider map[string]*rate.Limiter }

// NewLimits takes requests a minute by provider.
func NewLimits(perMinute map[string]float64) *Limits {
	l := &Limits{perProvider: map[string]*rate.Limiter{}}
	for provider, n := range perMinute {
		if n > 0 {
			l.perProvider[provider] = rate.NewLimiter(rate.Limit(n/60), max(1, int(n/60)))
		}
	}
	return l
}

func (l *Limits) wait(ctx context.Context, provider string) error {
	if l == nil || l.perProvider[provider] == nil {
		return nil
	}
	if err := l.perProvider[provider].Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the rate limit of provider %s: %w", provider, err)
	}
	return nil
}

// provider is what is known of one.
type provider struct {
	baseURL  string
	needsKey bool
	wire     string // "openai", "anthropic", or none
}

var providers = map[string]provider{
	"openai":     {"https://api.openai.com/v1", true, "openai"},
	"openrouter": {"https://openrouter.ai/api/v1", true, "openai"},
	"anthropic":  {"https://api.anthropic.com", true, "anthropic"},
	"ollama":     {"http://localhost:11434/v1", false, "openai"},
	"vllm":       {"http://localhost:8000/v1", false, "openai"},
	"llamacpp":   {"http://localhost:8080/v1", false, "openai"},
	"compatible": {"", false, "openai"},
	"replay":     {},
	"lexical":    {},
}

// Providers lists the known providers.
func Providers() []string {
	var names []string
	for name := range providers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New gives the model of some settings. It fails at once where a cloud provider
// has no key.
func New(s selection.Settings, o Options) (Model, error) {
	p, ok := providers[s.Provider]
	if !ok {
		return nil, fmt.Errorf("provider %q is unknown: use %s; any server that speaks OpenAI's chat completions is \"compatible\", with its base URL",
			s.Provider, strings.Join(Providers(), ", "))
	}
	if s.BaseURL == "" {
		s.BaseURL = p.baseURL
	}
	// A provider's own host is the one that its key is for: another base URL is a
	// server of one's own and may need none.
	if p.needsKey && o.Key.Empty() && s.BaseURL == p.baseURL {
		return nil, fmt.Errorf("provider %s needs an API key: give it by reference, as env:NAME or file:PATH, or in the header X-Model-API-Key", s.Provider)
	}
	if err := o.Key.check(); err != nil {
		return nil, err
	}
	if o.Client == nil {
		o.Client = &http.Client{}
	}
	if o.sleep == nil {
		o.sleep = sleep
	}
	if o.jitter == nil {
		o.jitter = rand.Float64
	}
	switch {
	case s.Provider == "lexical":
		return lexical{}, nil
	case s.Provider == "replay":
		if o.Cassette == nil {
			return nil, errors.New("provider replay needs a cassette: record one, and name its file")
		}
		return o.Cassette, nil
	case s.BaseURL == "":
		return nil, fmt.Errorf("provider %s needs a base URL, such as http://localhost:8000/v1", s.Provider)
	case p.wire == "anthropic":
		return newAnthropic(s, o)
	}
	return newOpenAI(s, o), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
