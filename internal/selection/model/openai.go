package model

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// openAI implements the chat completions of OpenAI's API, version 1.
type openAI struct{ endpoint }

func newOpenAI(s selection.Settings, o Options) openAI {
	header := http.Header{}
	if !o.Key.Empty() {
		header.Set("Authorization", "Bearer "+o.Key.value)
	}
	return openAI{endpoint{s.Provider, strings.TrimSuffix(s.BaseURL, "/") + "/chat/completions", header, s, o}}
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
			Content   *string `json:"content"`
			Refusal   *string `json:"refusal"`
			ToolCalls []struct {
				Function struct {
					Name      string          `json:"name"`
					Arguments json.RawMessage `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
		Logprobs     *struct {
			Content []struct {
				Logprob float64 `json:"logprob"`
			} `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int      `json:"prompt_tokens"`
		CompletionTokens int      `json:"completion_tokens"`
		Cost             *float64 `json:"cost"` // from OpenRouter, in US dollars
	} `json:"usage"`
}

func (m openAI) request(r Request, o offer) openAIRequest {
	body := openAIRequest{
		Model:       m.settings.Model,
		Messages:    []openAIMessage{{"system", systemPrompt(r)}, {"user", r.Query}},
		Temperature: m.settings.Temperature,
		Logprobs:    m.settings.Confidence == selection.ConfidenceLogprobs,
	}
	for i, t := range o.tools {
		body.Tools = append(body.Tools,
			openAITool{"function", openAIFunction{o.names[i], t.Description, t.InputSchema}})
	}

	if len(body.Tools) > 0 {
		body.ToolChoice = "auto"
		if !r.Several {
			body.Parallel = new(bool)
		}
	}

	return body
}

func (m openAI) Ask(ctx context.Context, r Request) (selection.Answer, error) {
	o := newOffer(r.Tools)
	raw, attempts, err := m.post(ctx, m.request(r, o))
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
	if choice.Message.Content != nil {
		a.Text = *choice.Message.Content
	}

	for _, c := range choice.Message.ToolCalls {
		a.Calls = append(a.Calls, withParameters(o.call(c.Function.Name), c.Function.Arguments))
	}

	switch {
	case choice.FinishReason == "length":
		return a, cutOff(a.Usage)
	case choice.Message.Refusal != nil && *choice.Message.Refusal != "" && len(a.Calls) == 0:
		return a, refused(*choice.Message.Refusal)
	case choice.FinishReason == "content_filter":
		return a, fmt.Errorf("a content filter of provider %s stopped the model's answer: %s", m.provider, said(a.Text))
	}

	var logprobs []float64
	if choice.Logprobs != nil {
		for _, t := range choice.Logprobs.Content {
			logprobs = append(logprobs, t.Logprob)
		}
	}

	setConfidence(&a, m.settings.Confidence, logprobs)
	return a, nil
}

func nonNegative(v *float64) *float64 {
	if v == nil || *v < 0 {
		return nil
	}
	return v
}
