package discover

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// Mapping says where the answer of a search has the tools: expressions of an adapter.
type Mapping struct {
	Items              string
	ID, Server, ToolOf string // ID, or Server and ToolOf
}

// separators are what proxies put between the names of a server and a tool.
var separators = []string{":", "__", "/", ".", "::", "-", "_"}

// names recognises the tools of a corpus in what a proxy writes.
type names struct {
	corpus  contracts.Corpus
	joined  map[string]string // a joined name to its separator
	bare    map[string]bool
	servers []string
}

func namesOf(corpus contracts.Corpus) *names {
	n := &names{corpus: corpus, joined: map[string]string{}, bare: map[string]bool{}}
	for _, t := range corpus.Tools {
		n.bare[t.Tool] = true
		for _, sep := range separators {
			n.joined[t.Server+sep+t.Tool] = sep
		}

		if !slices.Contains(n.servers, t.Server) {
			n.servers = append(n.servers, t.Server)
		}
	}
	return n
}

// has reports whether there is a tool of the server.
func (n *names) has(server, tool string) bool {
	return slices.ContainsFunc(n.corpus.Tools, func(t contracts.Tool) bool {
		return t.Server == server && t.Tool == tool
	})
}

// errBare is the problem of an answer that names tools without their servers.
const errBare = "it names tools without their servers, so two tools of one name cannot be told apart: let each " +
	"result name its server, as server:tool or in a field of its own"

// mappingOf finds the tools in an answer. It returns why there are none.
func (n *names) mappingOf(text []byte, structured any) (Mapping, string) {
	answer := structured
	if answer == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		if decoder.Decode(&answer) != nil || decoder.More() {
			return n.inText(string(text))
		}
	}

	bare := false
	var found *Mapping
	var walk func(at string, v any, depth int)
	walk = func(at string, v any, depth int) {
		switch v := v.(type) {
		case []any:
			if m, without, ok := n.ofList(v); ok && found == nil {
				m.Items = at
				found = &m
			} else {
				bare = bare || without
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if depth < 3 {
					walk(at+step(name), v[name], depth+1)
				}
			}
		}
	}
	walk("answer", answer, 0)
	switch {
	case found != nil:
		return *found, ""
	case bare:
		return Mapping{}, errBare
	}

	return Mapping{}, "it contains no name of a tool of the replayed servers"
}

var identifier = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// step returns a step of an expression into an object.
func step(name string) string {
	if identifier().MatchString(name) {
		return "." + name
	}
	return fmt.Sprintf("[%q]", name)
}

// ofList returns how the elements of a list name tools. Each of them must. bare reports that they only have
// the names of tools.
func (n *names) ofList(list []any) (m Mapping, bare, ok bool) {
	if len(list) == 0 {
		return m, false, false
	}

	fields := make([]map[string]string, len(list))
	for i, item := range list {
		fields[i] = map[string]string{}
		texts(fields[i], "item", item, 0)
	}

	for _, at := range slices.Sorted(maps.Keys(fields[0])) {
		for _, sep := range separators {
			if every(fields, func(f map[string]string) bool { return n.joined[f[at]] == sep }) {
				m.ID, m.Server, m.ToolOf = n.split(at, sep)
				return m, false, true
			}
		}

		if !every(fields, func(f map[string]string) bool { return n.bare[f[at]] }) {
			continue
		}

		bare = true
		for _, server := range slices.Sorted(maps.Keys(fields[0])) {
			if every(fields, func(f map[string]string) bool { return n.has(f[server], f[at]) }) {
				return Mapping{Server: server, ToolOf: at}, false, true
			}
		}
	}

	return m, bare, false
}

// texts collects the texts of a value by the expression that reads each.
func texts(to map[string]string, at string, v any, depth int) {
	switch v := v.(type) {
	case string:
		to[at] = v
	case map[string]any:
		for name, inner := range v {
			if depth < 2 {
				texts(to, at+step(name), inner, depth+1)
			}
		}
	}
}

func every(all []map[string]string, holds func(map[string]string) bool) bool {
	return !slices.ContainsFunc(all, func(f map[string]string) bool { return !holds(f) })
}

// split returns the expressions that take a joined name apart.
func (n *names) split(at, sep string) (id, server, tool string) {
	if sep == ":" {
		return at, "", ""
	}

	if !slices.ContainsFunc(n.servers, func(s string) bool { return strings.Contains(s, sep) }) {
		pattern := fmt.Sprintf("%q", "^(.+?)"+regexp.QuoteMeta(sep)+"(.+)$")
		return "", fmt.Sprintf("regex(%s, %s)[0]", pattern, at), fmt.Sprintf("regex(%s, %s)[1]", pattern, at)
	}

	prefix := `"${u.name}` + sep + `"`
	whose := fmt.Sprintf("for u in upstreams : %%s if startswith(%s, %s)", at, prefix)
	return "", "[" + fmt.Sprintf(whose, "u.name") + "][0]",
		"[" + fmt.Sprintf(whose, "trimprefix("+at+", "+prefix+")") + "][0]"
}

// inText finds names in an answer that is not JSON.
func (n *names) inText(text string) (Mapping, string) {
	for _, sep := range separators {
		for _, t := range n.corpus.Tools {
			if !regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(t.Server+sep+t.Tool) + `($|[^\w])`).MatchString(text) {
				continue
			}

			pattern := `"(?:^|[^A-Za-z0-9_-])(${u.name})` + strings.ReplaceAll(regexp.QuoteMeta(sep), `\`, `\\`) +
				`([A-Za-z0-9_-]+)"`
			return Mapping{
				Items: `concat([for line in split("\n", text) : concat([for u in upstreams : regexall(` + pattern +
					`, line)]...)]...)`,
				Server: "item[0]", ToolOf: "item[1]",
			}, ""
		}
	}

	for _, t := range n.corpus.Tools {
		if strings.Contains(t.Tool, "_") && strings.Contains(text, t.Tool) {
			return Mapping{}, errBare
		}
	}

	return Mapping{}, "it contains no name of a tool of the replayed servers"
}
