package input

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A configuration is recognised by the shape of its entries, whatever the client is: objects with a command or an
// address, by the names of servers or in a list. Where a name on the way to them, or that of the file, says MCP,
// that is enough. Elsewhere the entries need a second sign, because tasks and language servers have commands too.

// maxConfigDepth bounds how deep entries of servers are looked for.
const maxConfigDepth = 8

// serverGroup are the entries of one object or list of servers. project is what it is for, if Claude Code has one.
type serverGroup struct {
	entries []member
	project string
}

// groups returns the groups of servers below the members of a file.
func (d *document) groups(members []member) []serverGroup {
	f := groupFinder{sure: saysMCP(path.Base(filepath.ToSlash(d.file)))}
	if g, ok := f.flat(members); ok {
		return []serverGroup{g}
	}

	f.walk(members, nil)
	return f.found
}

// saysMCP reports whether a name of a file or of a member says that servers of MCP follow.
func saysMCP(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "mcp") || strings.Contains(name, "modelcontextprotocol") ||
		name == "context_servers" || name == "contextservers"
}

type groupFinder struct {
	sure  bool // the file is about MCP
	found []serverGroup
}

// flat returns the group of a file whose members are the servers themselves.
func (f *groupFinder) flat(members []member) (g serverGroup, ok bool) {
	for _, m := range members {
		if m.is('{') {
			g.entries = append(g.entries, m)
		}
	}

	all := len(g.entries) > 0
	for _, e := range g.entries {
		all = all && isEntry(e.value) && (f.sure || hasSecondSign(e.value))
	}

	return g, all
}

// walk finds the groups below the members of an object. way are the names that lead there.
func (f *groupFinder) walk(members []member, way []string) {
	if len(way) > maxConfigDepth {
		return
	}

	for _, m := range members {
		to := append(slices.Clone(way), m.name)
		switch {
		case m.is('{'):
			g, ok := f.group(m, to)
			if ok {
				f.found = append(f.found, g)
				continue
			}

			f.walk(g.entries, to)
		case m.is('['):
			if g, ok := listGroup(m, to); ok {
				f.found = append(f.found, g)
				continue
			}

			for _, e := range m.array() {
				if e.is('{') {
					f.walk(e.object(), to)
				}
			}
		}
	}
}

// surelyNamed are the names of objects that hold nothing but servers, with an entry or without one.
func surelyNamed(way []string) bool {
	last := way[len(way)-1]
	switch strings.ToLower(last[strings.LastIndexByte(last, '.')+1:]) {
	case "mcpservers", "mcp_servers", "context_servers":
		return true
	case "servers":
		return len(way) == 1 || slices.ContainsFunc(way, saysMCP)
	}
	return false
}

// otherTools are names of objects with commands that are no servers of MCP.
var otherTools = []string{"lsp", "formatter", "formatters", "linters", "hooks", "tasks", "scripts", "services",
	"targets",
	"languageservers", "language_servers", "debuggers", "commands"}

// group returns the servers of an object, if that is what it has.
func (f *groupFinder) group(m member, way []string) (g serverGroup, ok bool) {
	if i := slices.Index(way, "projects"); i >= 0 && i+1 < len(way) {
		g.project = way[i+1]
	}

	g.entries = m.object()
	if surelyNamed(way) {
		return g, len(way) > 1 || !strings.EqualFold(m.name, "servers") || len(g.entries) == 0 ||
			!slices.ContainsFunc(g.entries, func(e member) bool { return holdsTools(e.value) })
	}

	if len(g.entries) == 0 || slices.Contains(otherTools, strings.ToLower(m.name)) {
		return g, false
	}

	named := slices.ContainsFunc(way, saysMCP)
	some := false
	for _, e := range g.entries {
		entry := isEntry(e.value)
		some = some || entry
		if !e.is('{') || !named && !(entry && hasSecondSign(e.value)) {
			return g, false
		}
	}

	return g, some
}

// listGroup returns the servers of a list, each with its name.
func listGroup(m member, way []string) (g serverGroup, ok bool) {
	if !slices.ContainsFunc(way, saysMCP) {
		return g, false
	}

	if i := slices.Index(way, "projects"); i >= 0 && i+1 < len(way) {
		g.project = way[i+1]
	}

	for _, e := range m.array() {
		name := nameOf(e)
		if name == "" {
			name = m.name
		}

		ok = ok || isEntry(e)
		g.entries = append(g.entries, member{name, e.start, e})
	}

	return g, ok
}

// isEntry reports whether a value declares a server: it has a command or an address.
func isEntry(v value) bool {
	for _, m := range v.object() {
		switch {
		case m.name == "transport" && m.is('{') && isEntry(m.value),
			m.name == "command" && (m.is('{') || m.is('[')),
			(m.name == "command" || m.name == "cmd") && m.is('"') && m.end-m.start > 2,
			slices.Contains(addressKeys, m.name) && m.is('"') && m.end-m.start > 2:
			return true
		}
	}
	return false
}

// hasSecondSign reports whether an entry has more of a server than a command or an address, and nothing that only
// other programs have.
func hasSecondSign(v value) bool {
	sign := false
	for _, m := range v.object() {
		switch m.name {
		case "extensions", "filetypes", "languages", "image", "build", "executor", "group", "problemMatcher", "inputs",
			"outputs", "dependsOn", "cache", "scripts", "rootPatterns":
			return false
		case "args", "env", "environment", "envs", "headers", "transport", "alwaysAllow", "autoApprove", "disabled":
			sign = true
		case "type":
			kind, _ := m.str()
			sign = sign || slices.Contains([]string{"stdio", "local", "http", "sse", "remote", "streamable-http",
				"streamableHttp", "streamable_http", "ws", "websocket"}, kind)
		}
	}

	return sign
}
