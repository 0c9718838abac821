package toollist

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/safetext"
)

// capture keeps the answers to tools/list as the server wrote them. The
// client library hands out decoded tools: the order of properties and
// duplicate names are gone by then, and it leaves tools out that it finds
// invalid. A scan has to see what was sent.
type capture struct {
	mu    sync.Mutex
	pages []byte // answers that hold tools, one after the other
	over  bool
}

// message looks at one JSON-RPC message from the server.
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

// tools reads what was captured since it was last called. listed are the names that the client library
// made of it: one that was not captured means that something was missed.
func (c *capture) tools(s Server, listed map[string]bool) (*Input, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, fmt.Errorf("its list of tools is larger than %d MiB", MaxFile>>20)
	}
	if len(c.pages) == 0 {
		return nil, errors.New("no answer to tools/list was seen")
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
			return nil, fmt.Errorf("it lists the tool %q in a way that could not be read", safetext.Clip(name, 80))
		}
	}
	return in, nil
}
