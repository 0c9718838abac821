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

// ToolName names a tool of a server.
type ToolName struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// Call is an expected call of a tool. Parameters is a JSON object of right
// values, and Match has a rule for each further argument. If both are nil, the
// case does not say which arguments are right.
type Call struct {
	Server     string             `json:"server"`
	Tool       string             `json:"tool"`
	Parameters json.RawMessage    `json:"parameters,omitempty"`
	Match      map[string]Matcher `json:"match,omitempty"`
	// OtherParameters says whether arguments that are named in neither of the two
	// may be given: OthersAllowed, which is the default, or OthersForbidden.
	OtherParameters string `json:"other_parameters,omitempty"`
	// Optional is set if the run is right without the call, too.
	Optional bool `json:"optional,omitempty"`
	// Alternatives are calls that are as right as this one, such as one of another
	// tool. They have neither alternatives nor Optional.
	Alternatives []Call `json:"alternatives,omitempty"`
}

// Values of Call.OtherParameters.
const (
	OthersAllowed   = "allowed"
	OthersForbidden = "forbidden"
)

// Specified reports whether the case says which arguments are right.
func (call Call) Specified() bool {
	return len(call.Parameters) > 0 || len(call.Match) > 0 || call.OtherParameters == OthersForbidden
}

// Choices are the call and its alternatives.
func (call Call) Choices() []Call { return append([]Call{call}, call.Alternatives...) }

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
	Ordered bool `json:"ordered,omitempty"`
	// Forbidden are tools whose call makes the run wrong, whatever else is called.
	Forbidden []ToolName `json:"forbidden,omitempty"`
	Tags      []string   `json:"tags,omitempty"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
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

	if len(c.Servers) > maxListed || len(c.Expected) > maxListed || len(c.Tags) > maxListed ||
		len(c.Forbidden) > maxListed {
		return fail("it lists more than %d servers, calls or tags: split it", maxListed)
	}

	slices.Sort(c.Servers)
	c.Servers = slices.Compact(c.Servers)
	for i := range c.Expected {
		if err := c.checkExpected(&c.Expected[i]); err != nil {
			return fail("expected call %d: %w", i+1, err)
		}
	}

	for i, t := range c.Forbidden {
		if err := c.checkTool(t); err != nil {
			return fail("forbidden call %d: %w", i+1, err)
		}

		for _, want := range c.Expected {
			if slices.ContainsFunc(want.Choices(), func(w Call) bool {
				return w.Server == t.Server &&
					w.Tool == t.Tool
			}) {
				return fail("the call of %s:%s is both expected and forbidden: remove one of the two", t.Server, t.Tool)
			}
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

// checkTool checks that a tool is named completely, and that its server is on offer.
func (c *Case) checkTool(t ToolName) error {
	switch {
	case t.Server == "" || t.Tool == "":
		return errors.New("the server and the tool belong together: give both, or no call")
	case !slices.Contains(c.Servers, t.Server):
		return fmt.Errorf("server %q is not among the offered servers: add it to them", t.Server)
	}
	return nil
}

func (c *Case) checkExpected(call *Call) error {
	for i, choice := range call.Choices() {
		if err := c.checkTool(ToolName{choice.Server, choice.Tool}); err != nil && i > 0 {
			return fmt.Errorf("alternative %d: %w", i, err)
		} else if err != nil {
			return err
		}
	}
	return call.Check()
}

// Check checks the arguments and the alternatives of an expected call, and brings
// its values into canonical form.
func (call *Call) Check() error {
	var err error
	if call.Parameters, err = canonicalObject(call.Parameters); err != nil {
		return err
	}

	if err := call.checkMatch(); err != nil {
		return err
	}

	if len(call.Alternatives) > maxListed {
		return fmt.Errorf("it has more than %d alternatives: split the case", maxListed)
	}

	for i := range call.Alternatives {
		other := &call.Alternatives[i]
		if len(other.Alternatives) > 0 || other.Optional {
			return fmt.Errorf("alternative %d has alternatives or is optional: say so of the call itself", i+1)
		}

		if err := other.Check(); err != nil {
			return fmt.Errorf("alternative %d: %w", i+1, err)
		}
	}

	return nil
}

func (call *Call) checkMatch() error {
	switch call.OtherParameters {
	case "", OthersForbidden:
	case OthersAllowed:
		call.OtherParameters = ""
	default:
		return fmt.Errorf("other_parameters is %q: write %s or %s", call.OtherParameters, OthersAllowed,
			OthersForbidden)
	}

	var named map[string]json.RawMessage
	if len(call.Parameters) > 0 {
		if err := json.Unmarshal(call.Parameters, &named); err != nil {
			return fmt.Errorf("its parameters: %w", err)
		}
	}

	if len(call.Match) == 0 {
		call.Match = nil
	}

	for name, m := range call.Match {
		if _, twice := named[name]; twice {
			return fmt.Errorf("argument %q is in parameters and in match: keep one of them", name)
		}

		if err := m.validate(); err != nil {
			return fmt.Errorf("the rule for argument %q: %w", name, err)
		}

		call.Match[name] = m
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
