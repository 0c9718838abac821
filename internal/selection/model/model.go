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

// Request is one query with the offered tools.
type Request struct {
	Query    string
	Tools    []selection.Tool
	Settings selection.Settings
	// Repeat counts the repeats of one request from 1. It distinguishes their
	// recordings.
	Repeat int
}

// Model answers requests. The text of an error contains no secrets and is meant
// for people.
type Model interface {
	Ask(ctx context.Context, r Request) (selection.Answer, error)
}

// Options are the inputs of a model besides its settings.
type Options struct {
	Key Key
	// Client sends the requests. Nil means a client that follows no redirects.
	Client *http.Client
	// Cassette holds the recordings of the provider replay.
	Cassette *Cassette
	Price    Price
	Limit    *Limit
	// Waiting is called before each wait for a provider that answered with the
	// status 429 or 5xx. Several goroutines may call it. Optional.
	Waiting func(provider string, status int, wait time.Duration)
	// Tests replace sleep and jitter.
	sleep  func(context.Context, time.Duration) error
	jitter func() float64
}

// Price is in US dollars for a million tokens. Zero means unknown.
type Price struct{ Input, Output float64 }

// Limit limits the rate of requests to a model. All runs of a process share the
// Limit of a model. A nil Limit has no limit.
type Limit struct{ rate *rate.Limiter }

// NewLimit returns a limit in requests per minute. 0 is no limit.
func NewLimit(perMinute float64) *Limit {
	if perMinute <= 0 {
		return nil
	}
	return &Limit{rate.NewLimiter(rate.Limit(perMinute/60), max(1, int(perMinute/60)))}
}

func (l *Limit) wait(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if err := l.rate.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the limit of requests per minute: %w", err)
	}
	return nil
}

// giveKey tells the user how to give an API key.
const giveKey = "give it by reference, with --api-key env:NAME or --api-key file:PATH, in the file of --settings, or " +
	"over REST in the header X-Model-API-Key"

// replay is the provider of recorded answers.
const replay = "replay"

// provider describes a known provider.
type provider struct {
	baseURL  string
	needsKey bool
	wire     string // "openai", "anthropic", or empty
}

var providers = map[string]provider{
	"openai":     {"https://api.openai.com/v1", true, "openai"},
	"openrouter": {"https://openrouter.ai/api/v1", true, "openai"},
	"anthropic":  {"https://api.anthropic.com", true, "anthropic"},
	"ollama":     {"http://localhost:11434/v1", false, "openai"},
	"vllm":       {"http://localhost:8000/v1", false, "openai"},
	"llamacpp":   {"http://localhost:8080/v1", false, "openai"},
	"compatible": {"", false, "openai"},
	replay:       {},
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

// Asked reports whether requests to a provider are sent, to an address and with a key.
func Asked(provider string) bool { return providers[provider].wire != "" }

// Recorded returns the name of the model whose recorded answers a model named
// replay/PROVIDER/MODEL gives.
func Recorded(name string) (recorded string, ok bool) { return strings.CutPrefix(name, replay+"/") }

// New returns the model for the settings. It fails immediately if a cloud
// provider has no key.
func New(s selection.Settings, o Options) (Model, error) {
	p, ok := providers[s.Provider]
	if !ok {
		return nil, fmt.Errorf("provider %q is unknown: use %s; use \"compatible\" with a base URL for any server "+
			"that implements OpenAI's chat completions",
			s.Provider, strings.Join(Providers(), ", "))
	}

	if s.BaseURL == "" {
		s.BaseURL = p.baseURL
	}

	// A key is only for the provider's own host. Another base URL is the user's
	// own server and may need none.
	if p.needsKey && o.Key.Empty() && s.BaseURL == p.baseURL {
		return nil, fmt.Errorf("provider %s needs an API key: %s", s.Provider, giveKey)
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
		return &lexical{}, nil
	case s.Provider == replay:
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
