package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// recogniseText notes the offered tools whose calls a model wrote as text instead
// of making them. A model does so if its chat template has no place for tools, or
// the server does not parse what the model writes. Such a text is no call.
func (o offer) recogniseText(a *selection.Answer) {
	if len(a.Calls) > 0 {
		return
	}

	for _, text := range jsonIn(a.Text) {
		for _, name := range callsIn(text) {
			made := o.call(name)
			if called := made.Server + ":" + made.Tool; made.Unknown == "" && !slices.Contains(a.CallAsText, called) {
				a.CallAsText = append(a.CallAsText, called)
			}
		}
	}
}

// fences enclose calls in the texts of models: code blocks, and the markers of the
// chat templates of Hermes, Qwen, Mistral and Llama.
var fences = lazyregexp.New("```[a-z_]*|</?(?:tool_call|function_call|tool)s?>|" +
	`\[/?TOOL_CALLS\]|<\|python_tag\|>|<\|[a-z_]+\|>`)

// maxJSON bounds the number of values that are read from one text.
const maxJSON = 100

// jsonIn returns the JSON objects and lists that stand in a text at the beginning
// of a line or of a fence.
func jsonIn(text string) []json.RawMessage {
	var found []json.RawMessage
	for _, part := range fences().Split(text, -1) {
		for rest := strings.TrimSpace(part); rest != "" && len(found) < maxJSON; {
			if rest[0] != '{' && rest[0] != '[' {
				_, rest, _ = strings.Cut(rest, "\n")
				rest = strings.TrimSpace(rest)
				continue
			}

			d := json.NewDecoder(strings.NewReader(rest))
			var value json.RawMessage
			if d.Decode(&value) != nil {
				_, rest, _ = strings.Cut(rest, "\n")
				rest = strings.TrimSpace(rest)
				continue
			}

			found = append(found, value)
			rest = strings.TrimSpace(rest[d.InputOffset():])
		}
	}

	return found
}

// callsIn returns the names of the tools that a value calls: {"name": ...,
// "arguments": ...} and its variants, a list of these, or an object that has them
// in tool_calls or function.
func callsIn(value json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		var names []string
		for _, v := range list[:min(len(list), maxJSON)] {
			names = append(names, callsIn(v)...)
		}

		return names
	}

	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) != nil {
		return nil
	}

	for _, wrapper := range []string{"tool_calls", "tool_call", "function", "function_call"} {
		if inner, ok := object[wrapper]; ok {
			if names := callsIn(inner); len(names) > 0 {
				return names
			}
		}
	}

	hasArguments := false
	for _, field := range []string{"arguments", "parameters", "input", "args"} {
		_, has := object[field]
		hasArguments = hasArguments || has
	}

	for _, field := range []string{"name", "tool", "tool_name", "function", "action"} {
		var name string
		if json.Unmarshal(object[field], &name) == nil && name != "" && hasArguments {
			return []string{name}
		}
	}

	return nil
}
