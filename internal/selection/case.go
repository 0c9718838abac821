package selection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Call is an expected call: a tool of a server. Parameters is a JSON object, or
// nil where the case does not say which parameters are right.
type Call struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// Case is a query with the answer that is expected. Without expected calls the
// model should call no tool.
type Case struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Query string `json:"query"`
	// Servers names the servers whose tools are offered to the model.
	Servers  []string `json:"servers"`
	Expected []Call   `json:"expected"`
	// Ordered says that several expected calls have to come in this order.
	Ordered   bool      `json:"ordered,omitempty"`
	Tags      []string  `json:"tags,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Limits of a case, in characters, and of its lists.
const (
	MaxCaseName  = 200
	MaxQuery     = 100_000
	MaxTag       = 100
	maxListed    = 1000
	maxParamsLen = 1 << 20
)

// Validate checks a case by itself; that its servers exist is for the store to
// say. Parameters are brought into canonical form, and the servers of expected
// calls have to be among those on offer.
func (c *Case) Validate() error {
	if err := checkText("the name of a case", c.Name, MaxCaseName); err != nil {
		return err
	}
	fail := func(format string, args ...any) error {
		return fmt.Errorf("case %q: %w", c.Name, fmt.Errorf(format, args...))
	}
	if err := checkText("its query", c.Query, MaxQuery); err != nil {
		return fail("%w", err)
	}
	if len(c.Servers) == 0 {
		return fail("it offers no tools: name at least one server")
	}
	if len(c.Servers) > maxListed || len(c.Expected) > maxListed || len(c.Tags) > maxListed {
		return fail("it lists more than %d servers, calls or tags: split it", maxListed)
	}
	slices.Sort(c.Servers)
	c.Servers = slices.Compact(c.Servers)
	for i := range c.Expected {
		call := &c.Expected[i]
		switch {
		case call.Server == "" || call.Tool == "":
			return fail("expected call %d: the server and the tool belong together: give both, or no expected call", i+1)
		case !slices.Contains(c.Servers, call.Server):
			return fail("expected call %d: server %q is not among the servers on offer: add it to them", i+1, call.Server)
		}
		var err error
		if call.Parameters, err = canonicalObject(call.Parameters); err != nil {
			return fail("expected call %d: %w", i+1, err)
		}
	}
	slices.Sort(c.Tags)
	c.Tags = slices.Compact(c.Tags)
	for _, tag := range c.Tags {
		if err := checkText("a tag", tag, MaxTag); err != nil {
			return fail("%w", err)
		}
	}
	return nil
}

// canonicalObject checks that raw is a JSON object and removes its blanks. Nil
// and null stay nil.
func canonicalObject(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if len(raw) > maxParamsLen {
		return nil, fmt.Errorf("its parameters are larger than %d bytes: shorten them", maxParamsLen)
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return nil, errors.New(`its parameters are no JSON object: write them as {"name": value}`)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("its parameters: %w", err)
	}
	return compact.Bytes(), nil
}

// checkText checks a text that a person reads: valid UTF-8 without control
// characters other than line breaks and tabs, not blank, not too long.
func checkText(what, text string, longest int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%s is empty: give it", what)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not valid UTF-8: correct its encoding", what)
	case utf8.RuneCountInString(text) > longest:
		return fmt.Errorf("%s is longer than %d characters: shorten it", what, longest)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f }):
		return fmt.Errorf("%s holds a control character: remove it", what)
	}
	return nil
}
