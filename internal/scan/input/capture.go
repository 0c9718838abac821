package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// capture records the answers of a server exactly as it sent them. The client
// library returns decoded lists, without the order of properties and duplicate
// names, and omits tools that it considers invalid. A scan must see the original.
type capture struct {
	answered atomic.Bool // the server answered a request with a result

	mu sync.Mutex
	// answers are concatenated, by the list that they hold. The answers to initialize and
	// to server/discover have none: their key is "".
	answers map[string][]byte
	size    int
	over    bool
	// kept is what was read so far, for a server that fails later.
	kept Input
}

// maxAnswers bounds the lists of one server that were not read yet, in bytes.
const maxAnswers = 64 << 20

// message inspects one JSON-RPC message from the server.
func (c *capture) message(raw []byte) {
	if !json.Valid(raw) {
		return
	}

	v := valueOf(raw)
	for _, m := range append([]value{v}, v.array()...) {
		result, ok, _ := get(m.object(), "result")
		if !ok {
			continue
		}

		c.answered.Store(true)
		if of, ok := listOf(result.object()); ok {
			c.mu.Lock()
			if c.over = c.over || c.size+len(m.raw()) > maxAnswers; !c.over {
				if c.answers == nil {
					c.answers = map[string][]byte{}
				}

				c.answers[of] = append(append(c.answers[of], m.raw()...), '\n')
				c.size += len(m.raw()) + 1
			}

			c.mu.Unlock()
		}
	}
}

// listOf returns the list that an answer has, or "" for those to initialize and server/discover.
func listOf(result []member) (list string, ok bool) {
	for i := range kinds {
		if m, ok, _ := get(result, kinds[i].list); ok && m.is('[') {
			return kinds[i].list, true
		}
	}
	for _, name := range []string{"protocolVersion", "supportedVersions"} {
		if _, ok, _ = get(result, name); ok {
			return "", true
		}
	}

	return "", false
}

// take returns the answers with a list that were recorded since the previous call.
func (c *capture) take(list string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, fmt.Errorf("its answers are larger than %d MiB", maxAnswers>>20)
	}
	pages := c.answers[list]
	c.size -= len(pages)
	delete(c.answers, list)
	return pages, nil
}

// read parses the answers with a list. listed are the names that the client library
// returned: if one is missing in the record, a message was missed.
func (c *capture) read(s Server, list string, listed []string) (*Input, error) {
	in, err := c.parse(s, list)
	if err != nil {
		return nil, err
	}

	names := map[string]bool{}
	for _, tools := range [][]Tool{in.Tools, in.Others} {
		for i := range tools {
			names[tools[i].Label()] = true
		}
	}

	for _, u := range in.Unscanned {
		names[u.Tool] = true
	}

	for _, name := range listed {
		if !names[name] {
			return nil, fmt.Errorf("its definition of the tool %q could not be parsed", safetext.Clip(name, 80))
		}
	}

	return in, nil
}

// parse parses the answers with a list, and keeps what it read.
func (c *capture) parse(s Server, list string) (*Input, error) {
	method := "initialize or server/discover"
	if list != "" {
		method = methods[list]
	}

	pages, err := c.take(list)
	if err != nil {
		return nil, err
	}

	if len(pages) == 0 {
		return nil, &noAnswerError{method}
	}

	in, err := Read(s.Place.File, s.Name, pages)
	if err != nil {
		var bad *InputError
		if errors.As(err, &bad) {
			err = errors.New(bad.Reason)
		}

		return nil, fmt.Errorf("its answer to %s: %w", method, err)
	}

	for _, tools := range [][]Tool{in.Tools, in.Others} {
		for i := range tools {
			tools[i].Server, tools[i].Place = s.Name, s.Place
		}
	}

	for i := range in.Unscanned {
		u := &in.Unscanned[i]
		u.Server, u.Place, u.Source = s.Name, s.Place, s.Display()
	}

	for i := range in.PassedOver {
		in.PassedOver[i].Path = s.Place.String()
	}

	if list == "" { // a server may answer both initialize and server/discover, and say the same
		in.Others = withoutCopies(in.Others)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.add(in)
	return in, nil
}

// noAnswerError means that a server did not answer a request.
type noAnswerError struct{ method string }

func (e *noAnswerError) Error() string { return "it sent no answer to " + e.method }

// rest returns everything that a server sent before it failed: what was read, and the answers that
// were not read yet. A definition that it sent several times is there once. What is said about the end
// of its lists is left out, because the caller says how the server failed.
func (c *capture) rest(s Server) *Input {
	for _, list := range append([]string{""}, slices.Collect(maps.Keys(methods))...) {
		_, _ = c.parse(s, list) // an answer that cannot be read is part of the failure
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	in := &Input{Tools: withoutCopies(c.kept.Tools), Others: withoutCopies(c.kept.Others)}
	in.Unscanned = slices.DeleteFunc(slices.Clone(c.kept.Unscanned), func(u Unscanned) bool { return u.goesOn })
	in.sort()
	return in
}

// withoutCopies returns the definitions without those that are equal to an earlier one.
func withoutCopies(tools []Tool) []Tool {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool {
		content := Content(&t.Tool)
		again := seen[content]
		seen[content] = true
		return again
	})
}
