package model

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// DefaultPrompt is the system prompt if the settings have none.
const DefaultPrompt = `You help a user with the tools that you are given. If one of them serves the request, call it with the parameters that the request calls for. Do not invent values that the request does not give. If no tool serves the request, call none and say so.`

const severalPrompt = ` The request may need several calls: make all of them at once, in the order in which they are to happen.`

const confidencePrompt = `

Beside the call, or where you call no tool, write one line of text of the form "confidence: N". N is a number from 0 to 1: how likely it is that your choice of tool, or of none, is what the user needs.`

// systemPrompt is the text that a model gets before the query.
func systemPrompt(r Request) string {
	prompt := r.Settings.SystemPrompt
	if prompt == "" {
		prompt = DefaultPrompt
	}
	if r.Several {
		prompt += severalPrompt
	}
	if r.Settings.Confidence == selection.ConfidenceAsked || r.Settings.Confidence == "" {
		prompt += confidencePrompt
	}
	return prompt
}

var confidenceLine = regexp.MustCompile(`(?im)^[\s*_>"-]*confidence[\s*_"]*[:=][\s*_"]*([0-9]*\.?[0-9]+)\s*(%?)`)

// statedConfidence is the last confidence stated in a text, or nil.
func statedConfidence(text string) *float64 {
	found := confidenceLine.FindAllStringSubmatch(text, -1)
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

// setConfidence sets the confidence of an answer from the source in the
// settings. logprobs are those of the answer's tokens, if there are any.
func setConfidence(a *selection.Answer, from selection.ConfidenceFrom, logprobs []float64) {
	switch from {
	case selection.ConfidenceAsked, "":
		if a.Confidence = statedConfidence(a.Text); a.Confidence != nil {
			a.ConfidenceSource = selection.FromAnswer
		}
	case selection.ConfidenceLogprobs:
		if len(logprobs) == 0 {
			return
		}

		sum := 0.0
		for _, l := range logprobs {
			sum += l
		}

		// The geometric mean of the tokens' probabilities.
		p := min(1, math.Exp(sum/float64(len(logprobs))))
		if !math.IsNaN(p) {
			a.Confidence, a.ConfidenceSource = &p, selection.FromLogprobs
		}
	}
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
