package input

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// configPaths are the paths to the objects of servers in the configurations of
// clients: Claude Desktop, Cursor, Windsurf and Gemini; VS Code's mcp.json,
// settings, workspaces and containers; Claude Code's projects; Zed; Codex. A star
// matches any name.
var configPaths = [][]string{
	{"mcpServers"},
	{"servers"},
	{"mcp", "servers"},
	{"settings", "mcp", "servers"},
	{"customizations", "vscode", "mcp", "servers"},
	{"projects", "*", "mcpServers"},
	{"context_servers"},
	{"mcp_servers"},
}

// group is an object of servers. project is what a star of its path matched.
type group struct {
	member
	project string
}

// follow returns the objects at the end of a path below the members.
func (d *document) follow(members []member, path []string) ([]group, error) {
	var ends []group
	if path[0] == "*" {
		for _, m := range members {
			below, err := d.follow(m.object(), path[1:])
			if err != nil {
				return nil, err
			}

			for _, g := range below {
				ends = append(ends, group{g.member, m.name})
			}
		}

		return ends, nil
	}

	m, ok, err := get(members, path[0])
	switch {
	case err != nil:
		return nil, d.fail(m.at, err.Error(), "keep one of the two")
	case !ok || !m.is('{'):
		return nil, nil
	case len(path) == 1:
		return []group{{member: m}}, nil
	}

	return d.follow(m.object(), path[1:])
}

// clientConfig reads the servers declared in a client's configuration. It
// starts nothing.
func (d *document) clientConfig(members []member) (found bool, err error) {
	var groups []group
	for _, path := range configPaths {
		ends, err := d.follow(members, path)
		if err != nil {
			return false, err
		}

		groups = append(groups, ends...)
	}

	for _, g := range groups {
		seen := map[string]bool{}
		for _, m := range g.object() {
			if seen[m.name] {
				return false, d.fail(m.at, fmt.Sprintf("the server %q is declared twice", m.name),
					"keep one of the two")
			}

			seen[m.name] = true
			server, err := d.server1(m)
			server.Project = g.project
			if errors.Is(err, errExtension) {
				d.in.PassedOver = append(d.in.PassedOver,
					PassedOver{Path: d.place(m.at).String(), Name: m.name,
						Group: "servers that are part of an extension of their client",
						Reason: fmt.Sprintf("the server %s is part of an extension of %s, which starts it", m.name,
							strings.TrimPrefix(server.Client, "the configuration of "))})
				continue
			}

			if err != nil {
				d.unreadable(m.at, Unscanned{
					Server: m.name, Place: d.place(m.at), Reason: err.Error(), Remedy: "correct its entry",
				})
				continue
			}

			if len(d.in.Servers) == maxServers {
				return false, d.fail(m.at, fmt.Sprintf("it declares more than %d servers", maxServers), "split it")
			}

			d.in.Servers = append(d.in.Servers, server)
		}
	}

	return len(groups) > 0, nil
}

// errExtension means that an entry of Zed only has settings for an extension.
var errExtension = errors.New("it belongs to an extension")

// server1 parses the entry of one server.
func (d *document) server1(m member) (Server, error) {
	s := Server{Name: m.name, Client: clientOf(d.file), Place: d.place(m.at)}
	if !m.is('{') {
		return s, fmt.Errorf("its entry is not an object")
	}

	fields := map[string]value{}
	for _, f := range m.object() {
		if _, twice := fields[f.name]; twice {
			return s, &twiceError{f.name, f.name, f.at}
		}

		fields[f.name] = f.value
	}

	text := func(into *string, name string) error {
		v, ok := fields[name]
		if !ok || v.isNull() {
			return nil
		}

		t, ok := v.str()
		if !ok {
			return fmt.Errorf("its %s is not a string", name)
		}

		*into = t
		return nil
	}
	var command, kind string
	if err := unnest(fields); err != nil {
		return s, err
	}

	for name, into := range map[string]*string{"command": &command, "type": &kind, "cwd": &s.Dir} {
		if err := text(into, name); err != nil {
			return s, err
		}
	}

	for _, name := range []string{"httpUrl", "serverUrl", "url"} {
		if s.URL != "" {
			break
		}

		if err := text(&s.URL, name); err != nil {
			return s, err
		}
	}

	if kind == "" {
		if err := text(&kind, "transport"); err != nil {
			return s, err
		}
	}

	if v, ok := fields["args"]; ok && !v.isNull() {
		args, ok := v.strings()
		if !ok {
			return s, fmt.Errorf("its args are not a list of strings")
		}

		s.Command = args
	}

	var err error
	if s.Env, err = textMap(fields["env"], "env"); err != nil {
		return s, err
	}

	if s.Headers, err = headers(fields); err != nil {
		return s, err
	}

	s.Disabled = fields["disabled"].is('t') || fields["enabled"].is('f')
	switch {
	case command != "" && s.URL != "":
		return s, fmt.Errorf("it has both a command and a URL")
	case command != "":
		s.Command = append([]string{command}, s.Command...)
		s.Transport = "stdio"
	case s.URL != "":
		s.Command = nil
		s.Transport = "http"
		if kind == "sse" {
			s.Transport = "sse"
		}
	case fields["settings"].is('{') || string(fields["source"].raw()) == `"extension"`:
		return s, errExtension
	default:
		return s, fmt.Errorf("it has neither a command nor a URL")
	}

	return s, nil
}

// unnest replaces a command that is an object, as older versions of Zed have it, by its
// members.
func unnest(fields map[string]value) error {
	command := fields["command"]
	if !command.is('{') {
		return nil
	}

	inner := command.object()
	for from, to := range map[string]string{"path": "command", "args": "args", "env": "env"} {
		m, ok, err := get(inner, from)
		if err != nil {
			return err
		}

		if ok {
			fields[to] = m.value
		}
	}

	if fields["command"].is('{') {
		return errors.New("its command has no path")
	}

	return nil
}

// headers returns the headers of an entry. Codex has three fields for them; two of them
// name variables of the environment.
func headers(fields map[string]value) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range []string{"headers", "http_headers", "env_http_headers"} {
		these, err := textMap(fields[name], name)
		if err != nil {
			return nil, err
		}

		for header, v := range these {
			if name == "env_http_headers" {
				v = "${" + v + "}"
			}

			all[header] = v
		}
	}

	if v, ok := fields["bearer_token_env_var"]; ok && !v.isNull() {
		variable, ok := v.str()
		if !ok {
			return nil, fmt.Errorf("its bearer_token_env_var is not a string")
		}

		all["Authorization"] = "Bearer ${" + variable + "}"
	}

	if len(all) == 0 {
		return nil, nil
	}

	return all, nil
}

// textMap parses an object of strings. It accepts numbers and booleans as
// written, as clients do.
func textMap(v value, name string) (map[string]string, error) {
	if v.end == 0 || v.isNull() {
		return nil, nil
	}

	if !v.is('{') {
		return nil, fmt.Errorf("its %s is not an object", name)
	}

	m := map[string]string{}
	for _, f := range v.object() {
		s, ok := f.str()
		switch {
		case ok:
		case f.is('{') || f.is('['):
			return nil, fmt.Errorf("%s in its %s is not a string", f.name, name)
		case !f.isNull():
			s = string(f.raw())
		}

		if _, twice := m[f.name]; twice {
			return nil, &twiceError{f.name, f.name, f.at}
		}

		m[f.name] = s
	}

	return m, nil
}

// clientOf returns the name of the client whose configuration is usually at
// this path.
func clientOf(file string) string {
	file = filepath.ToSlash(file)
	dir, base := path.Base(path.Dir(file)), path.Base(file)
	switch {
	case base == "claude_desktop_config.json":
		return "the configuration of Claude Desktop"
	case base == ".claude.json" || base == ".mcp.json":
		return "the configuration of Claude Code"
	case dir == ".cursor":
		return "the configuration of Cursor"
	case dir == ".vscode" || path.Ext(base) == ".code-workspace" || strings.HasSuffix(path.Dir(file), "Code/User") ||
		strings.HasSuffix(path.Dir(file), "Code - Insiders/User"):
		return "the configuration of VS Code"
	case dir == ".codex":
		return "the configuration of Codex"
	case dir == "zed" || dir == "Zed" || dir == ".zed":
		return "the configuration of Zed"
	case dir == ".gemini":
		return "the configuration of Gemini"
	case dir == "windsurf" || base == "mcp_config.json":
		return "the configuration of Windsurf"
	}

	return "the configuration of an MCP client"
}
