package model

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/selection"
)

// maxToolName is the longest tool name that providers take.
const maxToolName = 64

// offer gives tools the names under which a provider is told of them. Providers
// want names of letters, digits, _ and -, each one once. A tool keeps its name
// where that is possible; otherwise its server's name is put before it, and a
// short digest after it where it still would not be unique. The names depend on
// the tools alone, and not on their order.
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

// call is the call of a tool by the name under which it was offered. A model
// that uses the tool's own name means that tool, if no other has it.
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
