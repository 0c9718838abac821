package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// openAI implements the chat completions of OpenAI's API, version 1.
type openAI struct {
	endpoint
	// withoutLogprobs is set once the provider has refused to return
	// log-probabilities.
	withoutLogprobs *atomic.Bool
}

func newOpenAI(s selection.Settings, o Options) openAI {
	header := http.Header{}
	if !o.Key.Empty() {
		header.Set("Authorization", "Bearer "+o.Key.value)
	}
	return openAI{endpoint{s.Provider, strings.TrimSuffix(s.BaseURL, "/") + "/chat/completions", header, s, o},
		new(atomic.Bool)}
}

type openAIRequest struct {
	Model       string          `json:"model"`
	Messages    []openAIMessage `json:"messages"`
	Tools       []openAITool    `json:"tools,omitempty"`
	ToolChoice  string          `json:"tool_choice,omitempty"`
	Parallel    *bool           `json:"parallel_tool_calls,omitempty"`
	Temperature float64         `json:"temperature"`
	Logprobs    bool            `json:"logprobs,omitempty"`
}

type openAIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type openAITool struct {
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type openAIResponse struct {
	Choices []struct {
		Message struct {
			Content *string `json:"content"`
			Refusal *string `json:"refusal"`
			// Servers of open models have one of these names for what a model thinks.
			ReasoningContent *string `json:"reasoning_content"`
			Reasoning        *string `json:"reasoning"`
			ToolCalls        []struct {
				Function struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
		Logprobs     *struct {
			Content []token `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int      `json:"prompt_tokens"`
		CompletionTokens int      `json:"completion_tokens"`
		Cost             *float64 `json:"cost"` // from OpenRouter, in US dollars
	} `json:"usage"`
}

func (m openAI) request(r Request, o offer, logprobs bool) openAIRequest {
	body := openAIRequest{
		Model:       m.settings.Model,
		Messages:    []openAIMessage{{"system", systemPrompt(r.Settings)}, {"user", r.Query}},
		Temperature: m.settings.Temperature,
		Logprobs:    logprobs,
	}
	for i, t := range o.tools {
		body.Tools = append(body.Tools,
			openAITool{"function", openAIFunction{o.names[i], t.Description, t.InputSchema}})
	}

	if len(body.Tools) > 0 {
		body.ToolChoice, body.Parallel = toolChoice(r.Settings), r.Settings.ParallelToolCalls
	}

	return body
}

func toolChoice(s selection.Settings) string { return cmp.Or(s.ToolChoice, "auto") }

// ask sends a request. If log-probabilities are wanted but not required, and the
// provider refuses a request for them, it asks without them from then on.
func (m openAI) ask(ctx context.Context, r Request, o offer) (raw []byte, attempts int, err error) {
	auto := m.settings.Confidence == selection.ConfidenceAuto
	wanted := m.settings.Confidence == selection.ConfidenceLogprobs || auto && !m.withoutLogprobs.Load()
	raw, attempts, err = m.post(ctx, m.request(r, o, wanted))
	var refused *StatusError
	if !auto || !wanted || !errors.As(err, &refused) || refused.Status != http.StatusBadRequest &&
		refused.Status != http.StatusUnprocessableEntity {
		return raw, attempts, err
	}

	raw, more, again := m.post(ctx, m.request(r, o, false))
	if again != nil {
		return raw, attempts + more, err // the first refusal tells more
	}

	m.withoutLogprobs.Store(true)
	return raw, attempts + more, nil
}

func (m openAI) Ask(ctx context.Context, r Request) (selection.Answer, error) {
	o := newOffer(r.Tools)
	raw, attempts, err := m.ask(ctx, r, o)
	a := selection.Answer{Attempts: attempts, Calls: []selection.MadeCall{}}
	if err != nil {
		return a, err
	}

	var resp openAIResponse
	if err := m.decode(raw, &resp); err != nil {
		return a, err
	}

	a.Raw = raw
	if len(resp.Choices) == 0 {
		return a, fmt.Errorf("the answer of provider %s has no choices: %s", m.provider,
			selection.Clip(errorText(raw), 300))
	}

	a.Usage = selection.Usage{InputTokens: max(0, resp.Usage.PromptTokens),
		OutputTokens: max(0, resp.Usage.CompletionTokens)}
	if a.Usage.CostUSD = m.options.Price.cost(a.Usage); a.Usage.CostUSD == nil {
		a.Usage.CostUSD = nonNegative(resp.Usage.Cost)
	}

	choice := resp.Choices[0]
	said := choice.Message
	a.Text, a.Refusal, a.FinishReason = textOf(said.Content), textOf(said.Refusal), choice.FinishReason
	a.Reasoning = cmp.Or(textOf(said.ReasoningContent), textOf(said.Reasoning))
	first := ""
	for i, c := range said.ToolCalls {
		if i == 0 {
			first = c.Function.Name
		}

		a.Calls = append(a.Calls, withParameters(o.call(c.Function.Name), c.Function.Arguments))
	}

	var tokens []token
	if choice.Logprobs != nil {
		tokens = choice.Logprobs.Content
	}

	setConfidence(&a, m.settings.Confidence, first, tokens)
	o.recogniseText(&a)
	switch choice.FinishReason {
	case "length":
		return a, cutOff(a.Usage)
	case "content_filter":
		return a, fmt.Errorf("a content filter of provider %s stopped the model's answer: %s", m.provider,
			shortly(a.Text))
	}

	return a, nil
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func nonNegative(v *float64) *float64 {
	if v == nil || *v < 0 {
		return nil
	}
	return v
}
