package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// anthropic implements Anthropic's messages API.
type anthropic struct{ endpoint }

// anthropicMaxTokens bounds an answer: enough for a call and a line of text.
const anthropicMaxTokens = 4096

func newAnthropic(s selection.Settings, o Options) (anthropic, error) {
	switch {
	case s.Confidence == selection.ConfidenceLogprobs:
		return anthropic{}, errors.New("provider anthropic returns no log-probabilities: set " +
			"confidence to asked or none")
	case s.Temperature > 1:
		return anthropic{}, fmt.Errorf("provider anthropic accepts temperatures up to 1, but this is %g: lower it",
			s.Temperature)
	}

	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if !o.Key.Empty() {
		header.Set("X-Api-Key", o.Key.value)
	}

	base := strings.TrimSuffix(strings.TrimSuffix(s.BaseURL, "/"), "/v1")
	return anthropic{endpoint{s.Provider, base + "/v1/messages", header, s, o}}, nil
}

type anthropicRequest struct {
	Model       string               `json:"model"`
	MaxTokens   int                  `json:"max_tokens"`
	System      string               `json:"system"`
	Messages    []openAIMessage      `json:"messages"` // role and content, as OpenAI's
	Tools       []anthropicTool      `json:"tools,omitempty"`
	ToolChoice  *anthropicToolChoice `json:"tool_choice,omitempty"`
	Temperature float64              `json:"temperature"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type anthropicToolChoice struct {
	Type            string `json:"type"`
	DisableParallel *bool  `json:"disable_parallel_tool_use,omitempty"`
}

type anthropicResponse struct {
	Type    string `json:"type"`
	Content []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking string          `json:"thinking"`
		Name     string          `json:"name"`
		Input    json.RawMessage `json:"input"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		InputTokens   int `json:"input_tokens"`
		OutputTokens  int `json:"output_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
	} `json:"usage"`
}

func (m anthropic) request(r Request, o offer) anthropicRequest {
	body := anthropicRequest{
		Model:       m.settings.Model,
		MaxTokens:   anthropicMaxTokens,
		System:      systemPrompt(r.Settings),
		Messages:    []openAIMessage{{"user", r.Query}},
		Temperature: m.settings.Temperature,
	}
	for i, t := range o.tools {
		body.Tools = append(body.Tools, anthropicTool{o.names[i], t.Description, t.InputSchema})
	}

	if len(body.Tools) > 0 {
		body.ToolChoice = &anthropicToolChoice{Type: toolChoice(r.Settings)}
		if body.ToolChoice.Type == "required" {
			body.ToolChoice.Type = "any"
		}

		if parallel := r.Settings.ParallelToolCalls; parallel != nil && body.ToolChoice.Type != "none" {
			disabled := !*parallel
			body.ToolChoice.DisableParallel = &disabled
		}
	}

	return body
}

func (m anthropic) Ask(ctx context.Context, r Request) (selection.Answer, error) {
	o := newOffer(r.Tools)
	raw, attempts, err := m.post(ctx, m.request(r, o))
	a := selection.Answer{Attempts: attempts, Calls: []selection.MadeCall{}}
	if err != nil {
		return a, err
	}

	var resp anthropicResponse
	if err := m.decode(raw, &resp); err != nil {
		return a, err
	}

	a.Raw = raw
	if resp.Type != "message" {
		return a, fmt.Errorf("the answer of provider %s is not a message: %s", m.provider,
			selection.Clip(errorText(raw), 300))
	}

	u := resp.Usage
	a.Usage = selection.Usage{InputTokens: max(0, u.InputTokens+u.CacheCreation+u.CacheRead),
		OutputTokens: max(0, u.OutputTokens)}
	a.Usage.CostUSD = m.options.Price.cost(a.Usage)
	var texts, thoughts []string
	for _, c := range resp.Content {
		switch c.Type {
		case "text":
			texts = append(texts, c.Text)
		case "thinking":
			thoughts = append(thoughts, c.Thinking)
		case "tool_use":
			a.Calls = append(a.Calls, withParameters(o.call(c.Name), c.Input))
		}
	}

	a.Text, a.Reasoning = strings.Join(texts, "\n"), strings.Join(thoughts, "\n")
	a.FinishReason = resp.StopReason
	if resp.StopReason == "refusal" {
		a.Refusal, a.Text = shortly(a.Text), ""
	}

	setConfidence(&a, m.settings.Confidence, "", nil)
	o.recogniseText(&a)
	switch resp.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		return a, cutOff(a.Usage)
	}

	return a, nil
}
