package selection

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ConfidenceFrom is the requested source of an answer's confidence.
type ConfidenceFrom string

const (
	// ConfidenceAuto is that of the log-probabilities where the provider gives
	// those of the call, and else the one that the model states.
	ConfidenceAuto ConfidenceFrom = "auto"
	// ConfidenceAsked asks the model to state it in its answer.
	ConfidenceAsked ConfidenceFrom = "asked"
	// ConfidenceLogprobs is the mean probability of the answer's tokens, if the
	// provider returns log-probabilities.
	ConfidenceLogprobs ConfidenceFrom = "logprobs"
	// ConfidenceNone requests no confidence.
	ConfidenceNone ConfidenceFrom = "none"
)

// Settings are the model and how to query it. They are stored with each run and
// never contain a credential.
type Settings struct {
	Provider    string         `json:"provider"`
	Model       string         `json:"model"`
	Timeout     int            `json:"timeout"` // timeout of one request, in seconds
	Temperature float64        `json:"temperature"`
	MaxRetries  int            `json:"max_retries"`
	Confidence  ConfidenceFrom `json:"confidence"`
	BaseURL     string         `json:"base_url,omitempty"`
	// SystemPrompt replaces the default one. SystemPromptSHA256 is its digest, in
	// hexadecimal.
	SystemPrompt       string `json:"system_prompt,omitempty"`
	SystemPromptSHA256 string `json:"system_prompt_sha256,omitempty"`
	// ToolChoice is auto (the default), required or none, and ParallelToolCalls
	// whether the model may make several calls at once; nil leaves it to the
	// provider. Both are the same for all cases.
	ToolChoice        string `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool  `json:"parallel_tool_calls,omitempty"`
}

// ToolChoices are the values of Settings.ToolChoice.
var ToolChoices = []string{"auto", "required", "none"}

// MaxSystemPrompt is the length of the longest system prompt, in bytes.
const MaxSystemPrompt = 256 << 10

// Defaults of Settings.
const (
	DefaultTimeout     = 30
	DefaultTemperature = 0.4
	DefaultMaxRetries  = 3
)

// SettingsRequest are the Settings in a request. Nil or empty values come from
// the environment or the defaults.
type SettingsRequest struct {
	Provider     string   `json:"provider,omitempty"`
	Model        string   `json:"model,omitempty"`
	Timeout      *int     `json:"timeout,omitempty"`
	Temperature  *float64 `json:"temperature,omitempty"`
	MaxRetries   *int     `json:"max_retries,omitempty"`
	Confidence   string   `json:"confidence,omitempty"`
	BaseURL      string   `json:"base_url,omitempty"`
	SystemPrompt string   `json:"system_prompt,omitempty"`
	// ToolChoice is auto, required or none.
	ToolChoice        string `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool  `json:"parallel_tool_calls,omitempty"`
}

// Environment variables for Settings. There is none for an API key.
const (
	EnvProvider    = "TOUCHSTONE_MODEL_PROVIDER"
	EnvModel       = "TOUCHSTONE_MODEL"
	EnvTimeout     = "TOUCHSTONE_MODEL_TIMEOUT"
	EnvTemperature = "TOUCHSTONE_MODEL_TEMPERATURE"
	EnvMaxRetries  = "TOUCHSTONE_MODEL_MAX_RETRIES"
	EnvConfidence  = "TOUCHSTONE_MODEL_CONFIDENCE"
	EnvBaseURL     = "TOUCHSTONE_MODEL_BASE_URL"
)

// RequestFor is the request for a model that is named as provider/model.
func RequestFor(name string) (SettingsRequest, error) {
	provider, m, ok := strings.Cut(name, "/")
	if !ok || provider == "" || m == "" {
		return SettingsRequest{}, fmt.Errorf("%q is not of the form provider/model, such as ollama/qwen3:8b or "+
			"lexical/bm25", name)
	}
	return SettingsRequest{Provider: provider, Model: m}, nil
}

// Name is the name of the requested model as provider/model. What the request leaves
// out is that of the environment.
func (r SettingsRequest) Name(getenv func(string) string) string {
	return cmp.Or(r.Provider, getenv(EnvProvider)) + "/" + cmp.Or(r.Model, getenv(EnvModel))
}

// Address is the address of the provider, or "" for the provider's own.
func (r SettingsRequest) Address(getenv func(string) string) string {
	return cmp.Or(r.BaseURL, getenv(EnvBaseURL))
}

// Or returns the request with the values of another for what it leaves out, beside the
// model.
func (r SettingsRequest) Or(other SettingsRequest) SettingsRequest {
	other.Provider, other.Model = r.Provider, r.Model
	other.Timeout, other.Temperature = cmp.Or(r.Timeout, other.Timeout), cmp.Or(r.Temperature, other.Temperature)
	other.MaxRetries, other.Confidence = cmp.Or(r.MaxRetries, other.MaxRetries), cmp.Or(r.Confidence, other.Confidence)
	other.BaseURL, other.SystemPrompt = cmp.Or(r.BaseURL, other.BaseURL), cmp.Or(r.SystemPrompt, other.SystemPrompt)
	other.ToolChoice = cmp.Or(r.ToolChoice, other.ToolChoice)
	other.ParallelToolCalls = cmp.Or(r.ParallelToolCalls, other.ParallelToolCalls)
	return other
}

// Resolve returns the settings of a request: its own values, otherwise the
// environment's, otherwise the defaults. getenv is os.Getenv or a replacement.
func (r SettingsRequest) Resolve(getenv func(string) string) (Settings, error) {
	first := func(own, variable, otherwise string) string {
		if own != "" {
			return own
		}

		if v := getenv(variable); v != "" {
			return v
		}

		return otherwise
	}
	s := Settings{
		Provider:     first(r.Provider, EnvProvider, ""),
		Model:        first(r.Model, EnvModel, ""),
		Confidence:   ConfidenceFrom(first(r.Confidence, EnvConfidence, string(ConfidenceAuto))),
		BaseURL:      r.Address(getenv),
		SystemPrompt: r.SystemPrompt, ToolChoice: r.ToolChoice, ParallelToolCalls: r.ParallelToolCalls,
	}
	var err error
	if s.Timeout, err = number(r.Timeout, getenv, EnvTimeout, DefaultTimeout, strconv.Atoi); err != nil {
		return s, err
	}

	parse := func(v string) (float64, error) { return strconv.ParseFloat(v, 64) }
	if s.Temperature, err = number(r.Temperature, getenv, EnvTemperature, DefaultTemperature, parse); err != nil {
		return s, err
	}

	if s.MaxRetries, err = number(r.MaxRetries, getenv, EnvMaxRetries, DefaultMaxRetries, strconv.Atoi); err != nil {
		return s, err
	}

	return s, s.Validate()
}

func number[T int | float64](own *T, getenv func(string) string, variable string, otherwise T,
	parse func(string) (T, error)) (T, error) {
	if own != nil {
		return *own, nil
	}

	text := getenv(variable)
	if text == "" {
		return otherwise, nil
	}

	v, err := parse(text)
	if err != nil {
		return v, fmt.Errorf("the variable %s is %q, which is not a valid number for it: correct or unset it", variable,
			text)
	}

	return v, nil
}

// Validate checks the ranges. The database checks them, too.
func (s *Settings) Validate() error {
	for _, text := range []struct{ name, value, remedy string }{
		{"provider", s.Provider, "name one, such as openai, anthropic, ollama or lexical"},
		{"model", s.Model, "name one of the provider's models"},
	} {
		if n := utf8.RuneCountInString(text.value); n < 1 || n > 100 {
			return fmt.Errorf("the %s has %d characters, but 1 to 100 are allowed: %s", text.name, n, text.remedy)
		}
	}

	switch {
	case s.Timeout < 1 || s.Timeout > 300:
		return fmt.Errorf("a timeout of %d seconds is not between 1 and 300", s.Timeout)
	case math.IsNaN(s.Temperature) || s.Temperature < 0 || s.Temperature > 2:
		return fmt.Errorf("a temperature of %g is not between 0.0 and 2.0", s.Temperature)
	case s.MaxRetries < 0 || s.MaxRetries > 10:
		return fmt.Errorf("%d retries are not between 0 and 10", s.MaxRetries)
	}

	switch s.Confidence {
	case "":
		s.Confidence = ConfidenceAuto
	case ConfidenceAuto, ConfidenceAsked, ConfidenceLogprobs, ConfidenceNone:
	default:
		return fmt.Errorf("confidence %q is unknown: use auto, asked, logprobs or none", s.Confidence)
	}

	if s.ToolChoice == "auto" {
		s.ToolChoice = ""
	}

	if s.ToolChoice != "" && !slices.Contains(ToolChoices, s.ToolChoice) {
		return fmt.Errorf("tool choice %q is unknown: use auto, required or none", s.ToolChoice)
	}

	if len(s.SystemPrompt) > MaxSystemPrompt || !utf8.ValidString(s.SystemPrompt) {
		return fmt.Errorf("the system prompt is not UTF-8, or larger than %d KiB: correct or shorten it",
			MaxSystemPrompt>>10)
	}

	s.SystemPromptSHA256 = PromptDigest(s.SystemPrompt)
	if s.BaseURL == "" {
		return nil
	}

	u, err := url.Parse(s.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the base URL is not an http or https URL: write it as https://host/v1")
	}

	if u.User != nil || u.RawQuery != "" || strings.Contains(s.BaseURL, "#") {
		return fmt.Errorf("the base URL contains a user, a query or a fragment, which would be stored: remove it")
	}

	return nil
}

// PromptDigest is the SHA-256 digest of a system prompt in hexadecimal, or "" for
// the default prompt.
func PromptDigest(prompt string) string {
	if prompt == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}
