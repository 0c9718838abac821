package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// decode reads a provider's answer.
func (e endpoint) decode(raw []byte, into any) error {
	err := json.Unmarshal(raw, into)
	if err == nil {
		return nil
	}

	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return fmt.Errorf("the answer of provider %s cannot be read: %w", e.provider, err)
	}

	path := ""
	if u, err := url.Parse(e.address); err == nil {
		path = u.Path // without a user's name and password
	}

	return fmt.Errorf("the answer of provider %s to the path %s cannot be read as JSON: it begins with %q: check "+
		"the base URL",
		e.provider, path, selection.Clip(string(bytes.TrimSpace(raw)), 60))
}

// cutOff is the error of an answer that ended at a limit of tokens. Its calls
// may be incomplete, so it is not judged.
func cutOff(u selection.Usage) error {
	return fmt.Errorf("the model's answer was cut off after %d tokens, at a limit of the provider or of the model's "+
		"context: allow longer answers, or offer fewer tools", u.OutputTokens)
}

// shortly returns the beginning of what a model wrote.
func shortly(text string) string {
	if text == "" {
		return "it gave no reason"
	}
	return selection.Clip(text, 300)
}
