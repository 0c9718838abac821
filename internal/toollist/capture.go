package toollist

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/safetext"
)

// capture records the answers to tools/list exactly as the server sent them.
// The client library returns decoded tools, without the order of properties and
// duplicate names, and omits tools that it considers invalid. A scan must see
// the original.
type capture struct {
	mu    sync.Mutex
	pages []byte // answers with tools, concatenated
	over  bool
}

// message inspects one JSON-RPC message from the server.
func (c *capture) message(raw []byte) {
	if !json.Valid(raw) {
		return
	}
	v := value{raw, 0, len(raw)}
	for _, m := range append([]value{v}, v.array()...) {
		result, ok, _ := get(m.object(), "result")
		if !ok {
			continue
		}
		if tools, ok, _ := get(result.object(), "tools"); !ok || !tools.is('[') {
			continue
		}
		c.mu.Lock()
		if c.over = c.over || len(c.pages)+len(m.raw()) > MaxFile; !c.over {
			c.pages = append(append(c.pages, m.raw()...), '\n')
		}
		c.mu.Unlock()
	}
}

// tools parses the answers recorded since the previous call. listed are the
// names that the client library returned: if one is missing in the record, a
// message was missed.
func (c *capture) tools(s Server, listed map[string]bool) (*Input, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, fmt.Errorf("its list of tools is larger than %d MiB", MaxFile>>20)
	}
	if len(c.pages) == 0 {
		return nil, errors.New("it sent no answer to tools/list")
	}
	in, err := Read(s.Place.File, s.Name, c.pages)
	c.pages = nil
	if err != nil {
		var bad *InputError
		if errors.As(err, &bad) {
			err = errors.New(bad.Reason)
		}
		return nil, fmt.Errorf("its answer to tools/list: %w", err)
	}
	names := map[string]bool{}
	for i := range in.Tools {
		in.Tools[i].Server, in.Tools[i].Place = s.Name, s.Place
		names[in.Tools[i].Name] = true
	}
	for i := range in.Unscanned {
		u := &in.Unscanned[i]
		u.Server, u.Place, u.Source = s.Name, s.Place, s.Display()
		names[u.Tool] = true
	}
	for name := range listed {
		if !names[name] {
			return nil, fmt.Errorf("its definition of the tool %q could not be parsed", safetext.Clip(name, 80))
		}
	}
	return in, nil
}
