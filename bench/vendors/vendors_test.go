// Package vendors compares the model clients, and the fake servers that they
// are tested with, with the vendors' own Go clients. It is a separate module,
// because those clients take minutes to compile. Run it by hand, with go test
// in this directory, if a wire format changes.
package vendors

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	sdkanthropic "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	sdkopenai "github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/model/modeltest"
)

func oneCall(modeltest.Request) modeltest.Reply {
	return modeltest.Reply{Text: "hello", Calls: []modeltest.Call{{Tool: "get_weather", Arguments: `{"city":"Paris"}`}}}
}

// The vendors' own clients accept the answers of the fake servers, whole and
// streamed, so the fake servers answer like the providers.
func TestVendorsClientsUnderstandTheStandIns(t *testing.T) {
	s := modeltest.Serve(t, oneCall)
	openai := sdkopenai.NewClient(openaioption.WithBaseURL(s.BaseURL()), openaioption.WithAPIKey("k"))
	params := sdkopenai.ChatCompletionNewParams{Model: "m", Messages: []sdkopenai.ChatCompletionMessageParamUnion{sdkopenai.UserMessage("q")}}
	whole, err := openai.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if c := whole.Choices[0].Message.ToolCalls; len(c) != 1 || c[0].Function.Name != "get_weather" || c[0].Function.Arguments != `{"city":"Paris"}` || whole.Usage.PromptTokens != 100 {
		t.Errorf("%+v", whole)
	}
	stream := openai.Chat.Completions.NewStreaming(t.Context(), params)
	var joined sdkopenai.ChatCompletionAccumulator
	for stream.Next() {
		joined.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if c := joined.Choices[0].Message.ToolCalls; len(c) != 1 || c[0].Function.Arguments != `{"city":"Paris"}` {
		t.Errorf("%+v", joined.ChatCompletion)
	}

	anthropic := sdkanthropic.NewClient(anthropicoption.WithBaseURL(s.URL), anthropicoption.WithAPIKey("k"))
	message := sdkanthropic.MessageNewParams{Model: "m", MaxTokens: 10, Messages: []sdkanthropic.MessageParam{sdkanthropic.NewUserMessage(sdkanthropic.NewTextBlock("q"))}}
	got, err := anthropic.Messages.New(t.Context(), message)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Content) != 2 || got.Content[1].Name != "get_weather" || string(got.Content[1].Input) != `{"city":"Paris"}` || got.StopReason != "tool_use" {
		t.Errorf("%+v", got)
	}
	events := anthropic.Messages.NewStreaming(t.Context(), message)
	var together sdkanthropic.Message
	for events.Next() {
		if err := together.Accumulate(events.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := events.Err(); err != nil || len(together.Content) != 2 || string(together.Content[1].Input) != `{"city":"Paris"}` {
		t.Errorf("%+v, %v", together, err)
	}
}

// sent sends a request through our client and returns its body.
func sent(t *testing.T, settings selection.Settings) []byte {
	t.Helper()
	s := modeltest.Serve(t, oneCall)
	settings.BaseURL, settings.Timeout = s.BaseURL(), 30
	if settings.Provider == "anthropic" {
		settings.BaseURL = s.URL
	}
	m, err := model.New(settings, model.Options{Key: model.NewKey("k")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Ask(t.Context(), model.Request{
		Query: "q", Settings: settings,
		Tools: []selection.Tool{{Server: "s", Name: "x", Description: "d", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	requests := s.Requests()
	if len(requests) != 1 {
		t.Fatalf("%d requests", len(requests))
	}
	return requests[0].Body
}

// TestOurRequestsAreTheVendors checks that the vendors' clients could have sent the
// same requests: decoded into the clients' types and encoded again, they are equal.
func TestOurRequestsAreTheVendors(t *testing.T) {
	ours := sent(t, selection.Settings{Provider: "openai", Model: "m", Temperature: 0.5, Confidence: selection.ConfidenceLogprobs})
	var openai sdkopenai.ChatCompletionNewParams
	if err := json.Unmarshal(ours, &openai); err != nil {
		t.Fatal(err)
	}
	theirs, err := json.Marshal(openai)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(ours, &a), json.Unmarshal(theirs, &b)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("ours\n%s\ntheirs\n%s", ours, theirs)
	}

	ours = sent(t, selection.Settings{Provider: "anthropic", Model: "m", Temperature: 0.5, Confidence: selection.ConfidenceAsked})
	var params sdkanthropic.MessageNewParams
	if err := json.Unmarshal(ours, &params); err != nil {
		t.Fatal(err)
	}
	if params.Model != "m" || params.MaxTokens == 0 || params.Temperature.Value != 0.5 || len(params.Tools) != 1 ||
		params.Tools[0].OfTool == nil || params.Tools[0].OfTool.Name != "x" || params.ToolChoice.OfAuto == nil || !params.ToolChoice.OfAuto.DisableParallelToolUse.Value {
		t.Errorf("the vendor's client reads %s as %+v", ours, params)
	}
}
