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

// Call is an expected call of a tool. Parameters is a JSON object, or nil if
// the case does not specify the right parameters.
type Call struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// Case is a query with the expected answer. If there are no expected calls, the
// model should call no tool.
type Case struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Query string `json:"query"`
	// Servers are the names of the servers whose tools the model is offered.
	Servers  []string `json:"servers"`
	Expected []Call   `json:"expected"`
	// Ordered requires that several expected calls come in this order.
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

// Validate checks a case without the database: the store checks that its
// servers exist. It converts parameters to canonical form, and requires that
// the servers of expected calls are among those offered.
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
			return fail("expected call %d: the server and the tool belong together: give both, or no expected call", i+
				1)
		case !slices.Contains(c.Servers, call.Server):
			return fail("expected call %d: server %q is not among the offered servers: add it to them", i+1,
				call.Server)
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

// canonicalObject checks that raw is a JSON object and removes white space. Nil
// and null become nil.
func canonicalObject(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}

	if len(raw) > maxParamsLen {
		return nil, fmt.Errorf("its parameters are larger than %d bytes: shorten them", maxParamsLen)
	}

	if raw[0] != '{' || !json.Valid(raw) {
		return nil, errors.New(`its parameters are not a JSON object: write them as {"name": value}`)
	}

	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, fmt.Errorf("its parameters: %w", err)
	}

	return compact.Bytes(), nil
}

// checkText checks a text for people: valid UTF-8 without control characters
// other than line breaks and tabs, not blank, not too long.
func checkText(what, text string, longest int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%s is empty: fill it in", what)
	case !utf8.ValidString(text):
		return fmt.Errorf("%s is not valid UTF-8: correct its encoding", what)
	case utf8.RuneCountInString(text) > longest:
		return fmt.Errorf("%s is longer than %d characters: shorten it", what, longest)
	case strings.ContainsFunc(text,
		func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f }):
		return fmt.Errorf("%s holds a control character: remove it", what)
	}

	return nil
}
