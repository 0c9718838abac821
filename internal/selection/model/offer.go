package model

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// maxToolName is the length of the longest tool name that providers accept.
const maxToolName = 64

// offer maps tools to the names that a provider sees. Providers accept names of
// letters, digits, _ and -, and each only once. A tool keeps its name if
// possible. Otherwise its server's name is prepended, and a short digest is
// appended if the name would still not be unique. The names depend only on the
// tools, not on their order.
type offer struct {
	tools []selection.Tool
	names []string
	place map[string]int
}

func newOffer(tools []selection.Tool) offer {
	o := offer{tools: tools, place: map[string]int{}}
	count := map[string]int{}
	for _, t := range tools {
		count[cleanName(t.Name)]++
	}

	plain, withServer := make([]string, len(tools)), map[string]int{}
	for i, t := range tools {
		plain[i] = cleanName(t.Name)
		if count[plain[i]] > 1 || plain[i] == "" {
			plain[i] = cleanName(t.Server) + "__" + plain[i]
		}

		withServer[clipName(plain[i])]++
	}

	for i, t := range tools {
		name := plain[i]
		if len(name) > maxToolName || withServer[clipName(name)] > 1 {
			sum := sha256.Sum256([]byte(t.Server + "\x00" + t.Name))
			digest := "_" + hex.EncodeToString(sum[:4])
			name = name[:min(len(name), maxToolName-len(digest))] + digest
		}

		o.names = append(o.names, name)
		o.place[name] = i
	}

	return o
}

func clipName(name string) string { return name[:min(len(name), maxToolName)] }

func cleanName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

// call returns the call of a tool by its offered name. If a model uses a tool's
// own name and no other tool has it, the call is of that tool.
func (o offer) call(name string) selection.MadeCall {
	at, ok := o.place[name]
	if !ok {
		at = -1
		for i, t := range o.tools {
			if t.Name != name {
				continue
			}

			if at >= 0 {
				at = -1
				break
			}

			at = i
		}
	}

	if at < 0 {
		if name == "" {
			name = "(a tool without a name)"
		}

		return selection.MadeCall{Unknown: selection.Clip(name, 200)}
	}

	t := o.tools[at]
	return selection.MadeCall{ToolID: t.ID, Server: t.Server, Tool: t.Name}
}
