package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Key is an API key, or another secret. It never prints its value.
type Key struct{ value string }

const hidden = "***"

// NewKey makes a key from its text, without surrounding white space.
func NewKey(text string) Key { return Key{strings.TrimSpace(text)} }

// maxKeyFile bounds the file of a key.
const maxKeyFile = 64 << 10

// CheckReference reports whether a reference to a key is env:NAME or file:PATH. A
// command line and a file never contain the key itself, because other users could
// read it.
func CheckReference(reference string) error {
	if kind, name, ok := strings.Cut(reference, ":"); ok && (kind == "env" || kind == "file") && name != "" {
		return nil
	}
	// The text may be a key itself, so it is not repeated.
	return errors.New("give the API key by reference, as env:NAME or file:PATH, and not by its value")
}

// KeyFrom reads the key that a reference names: env:NAME is an environment
// variable, and file:PATH the content of a file. An empty reference is no key.
func KeyFrom(reference string, getenv func(string) string) (Key, error) {
	if reference == "" {
		return Key{}, nil
	}

	if err := CheckReference(reference); err != nil {
		return Key{}, err
	}

	kind, name, _ := strings.Cut(reference, ":")
	if kind == "env" {
		k := NewKey(getenv(name))
		if k.Empty() {
			return k, fmt.Errorf("the API key: the environment variable %s is not set: set it or name another", name)
		}

		return k, k.check()
	}

	f, err := os.Open(name)
	if err != nil {
		return Key{}, fmt.Errorf("the API key: %w", err)
	}

	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return Key{}, fmt.Errorf("the API key: %w", err)
	}

	k := NewKey(string(b))
	if k.Empty() {
		return k, fmt.Errorf("the API key: the file %s is empty: write the key into it", name)
	}

	return k, k.check()
}

func (k Key) check() error {
	if strings.ContainsFunc(k.value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errors.New("the API key contains white space or a control character: give only the key")
	}
	return nil
}

// Empty reports whether there is no key.
func (k Key) Empty() bool { return k.value == "" }

// String hides the key. So do all the methods below.
func (k Key) String() string               { return hidden }
func (k Key) GoString() string             { return hidden }
func (k Key) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, hidden) }
func (k Key) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }
func (k Key) MarshalText() ([]byte, error) { return []byte(hidden), nil }
func (k Key) LogValue() slog.Value         { return slog.StringValue(hidden) }

// minSecret is the length of the shortest key that is searched for in texts.
// Shorter keys would match ordinary words.
const minSecret = 4

// Remove is the text without the key, and RemoveJSON the same for JSON.
func (k Key) Remove(text string) string    { return k.remove(text) }
func (k Key) RemoveJSON(raw []byte) []byte { return k.removeJSON(raw) }

// Reveal returns the key itself, for where it has to be sent.
func (k Key) Reveal() string { return k.value }

// remove replaces the key in a text, in plain form and as escaped in JSON and
// URLs.
func (k Key) remove(text string) string {
	if len(k.value) < minSecret {
		return text
	}

	quoted, err := json.Marshal(k.value)
	if err != nil { // a string can always be encoded
		panic(err)
	}

	for _, form := range []string{k.value, strings.Trim(string(quoted), `"`), url.QueryEscape(k.value),
		url.PathEscape(k.value)} {
		text = strings.ReplaceAll(text, form, hidden)
	}

	return text
}

// removeSaid is remove for what a model said.
func (k Key) removeSaid(s selection.Said) selection.Said {
	for _, text := range []*string{&s.Text, &s.Refusal, &s.Reasoning, &s.FinishReason} {
		*text = k.remove(*text)
	}
	return s
}

// removeJSON is remove for JSON, where the key may be escaped in any way and be
// part of JSON within strings, such as the arguments of a call. It returns JSON
// without the key unchanged, byte for byte.
func (k Key) removeJSON(raw []byte) []byte {
	if len(k.value) < minSecret {
		return raw
	}

	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var tree any
	if d.Decode(&tree) != nil || d.More() {
		return []byte(k.remove(string(raw)))
	}

	clean, found := k.removeTree(tree)
	if !found {
		return raw
	}

	b, err := json.Marshal(clean)
	if err != nil { // decoded JSON can always be encoded
		panic(err)
	}

	return b
}

func (k Key) removeTree(tree any) (clean any, found bool) {
	switch v := tree.(type) {
	case string:
		text := k.remove(v)
		if inner := strings.TrimSpace(text); inner != "" && (inner[0] == '{' || inner[0] == '[') &&
			json.Valid([]byte(inner)) {
			text = string(k.removeJSON([]byte(text)))
		}

		return text, text != v
	case []any:
		for i, e := range v {
			var in bool
			v[i], in = k.removeTree(e)
			found = found || in
		}
	case map[string]any:
		for name, e := range v {
			c, in := k.removeTree(e)
			cleanName := k.remove(name)
			if cleanName != name {
				delete(v, name)
				in = true
			}

			v[cleanName] = c
			found = found || in
		}
	}

	return tree, found
}
