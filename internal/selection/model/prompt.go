package model

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// DefaultPrompt is the system prompt if the settings have none.
const DefaultPrompt = `You help a user with the tools that you are given. If one of them serves the request, call it with the parameters that the request calls for. Do not invent values that the request does not give. If no tool serves the request, call none and say so.`

const confidencePrompt = `

Beside the call, or where you call no tool, write one line of text of the form "confidence: N". N is a number from 0 to 1: how likely it is that your choice of tool, or of none, is what the user needs.`

// systemPrompt is the text that a model gets before the query. It is the same for
// all cases: nothing in it tells what a case expects.
func systemPrompt(s selection.Settings) string {
	prompt := s.SystemPrompt
	if prompt == "" {
		prompt = DefaultPrompt
	}
	switch s.Confidence {
	case selection.ConfidenceAuto, selection.ConfidenceAsked, "":
		prompt += confidencePrompt
	}
	return prompt
}

var confidenceLine = lazyregexp.New(`(?im)^[\s*_>"-]*confidence[\s*_"]*[:=][\s*_"]*([0-9]*\.?[0-9]+)\s*(%?)`)

// statedConfidence is the last confidence stated in a text, or nil.
func statedConfidence(text string) *float64 {
	found := confidenceLine().FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil
	}

	last := found[len(found)-1]
	v, err := strconv.ParseFloat(last[1], 64)
	// A number above 10 can only be a percentage; one from 1 to 10 may be a mark.
	if last[2] == "%" || v > 10 {
		v /= 100
	}

	if err != nil || v < 0 || v > 1 {
		return nil
	}

	return &v
}

// setConfidence sets the confidence of an answer from the source in the settings.
// name is the provider's name of the first tool called, and tokens are those of
// the answer with their log-probabilities, if there are any. Tokens that do not
// cover the call say nothing of the choice, and are not used for it.
func setConfidence(a *selection.Answer, from selection.ConfidenceFrom, name string, tokens []token) {
	if from == selection.ConfidenceAuto || from == selection.ConfidenceLogprobs {
		if p := meanProbability(tokens); p != nil && cover(tokens, name) {
			a.Confidence, a.ConfidenceSource = p, selection.FromLogprobs
			return
		}
	}

	if from != selection.ConfidenceLogprobs && from != selection.ConfidenceNone {
		if a.Confidence = statedConfidence(a.Text); a.Confidence != nil {
			a.ConfidenceSource = selection.FromAnswer
		}
	}
}

// token is one token of an answer. Some providers leave out its text.
type token struct {
	Token   string  `json:"token"`
	Logprob float64 `json:"logprob"`
}

// cover reports whether tokens contain the name of a tool. It is true if no tool
// was called, or the tokens have no text.
func cover(tokens []token, name string) bool {
	var text strings.Builder
	for _, t := range tokens {
		text.WriteString(t.Token)
	}
	return name == "" || text.Len() == 0 || strings.Contains(text.String(), name)
}

// meanProbability is the geometric mean of the tokens' probabilities.
func meanProbability(tokens []token) *float64 {
	sum := 0.0
	for _, t := range tokens {
		sum += t.Logprob
	}
	p := min(1, math.Exp(sum/float64(len(tokens))))
	if len(tokens) == 0 || math.IsNaN(p) {
		return nil
	}
	return &p
}

// withParameters sets the parameters of a call: the text of a JSON object, or
// an object itself. An empty text means no parameters.
func withParameters(m selection.MadeCall, raw json.RawMessage) selection.MadeCall {
	text := strings.TrimSpace(string(raw))
	var inner string
	if json.Unmarshal([]byte(text), &inner) == nil {
		text = strings.TrimSpace(inner)
	}

	if text == "" || text == "null" {
		text = "{}"
	}

	if text[0] != '{' || !json.Valid([]byte(text)) {
		m.Malformed = selection.Clip(text, 2000)
		return m
	}

	m.Parameters = json.RawMessage(text)
	return m
}
