package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// clientConfig reads the servers that a client's configuration declares. It starts nothing. known are the members
// that were read as something else.
func (d *document) clientConfig(members []member, known []string) (found bool, err error) {
	groups := d.groups(slices.DeleteFunc(slices.Clone(members),
		func(m member) bool { return slices.Contains(known, m.name) }))
	for _, g := range groups {
		seen := map[string]bool{}
		for _, m := range g.entries {
			if seen[m.name] {
				return false, d.fail(m.at, fmt.Sprintf("the server %q is declared twice", m.name),
					"keep one of the two")
			}

			seen[m.name] = true
			if len(d.in.Servers) == maxServers {
				return false, d.fail(m.at, fmt.Sprintf("it declares more than %d servers", maxServers), "split it")
			}

			d.declare(m, g.project)
		}
	}

	return len(groups) > 0, nil
}

// declare records the server of an entry.
func (d *document) declare(m member, project string) {
	server, err := d.server1(m)
	server.Project = project
	switch {
	case errors.Is(err, errExtension):
		d.in.PassedOver = append(d.in.PassedOver,
			PassedOver{Path: d.place(m.at).String(), Name: m.name,
				Group: "servers that are part of an extension of their client",
				Reason: fmt.Sprintf("the server %s is part of an extension of %s, which starts it", m.name,
					strings.TrimPrefix(server.Client, "the configuration of "))})
	case errors.Is(err, errSwitch):
		d.in.PassedOver = append(d.in.PassedOver,
			PassedOver{Path: d.place(m.at).String(), Name: m.name,
				Group: "entries that only switch a server on or off",
				Reason: fmt.Sprintf("the entry %s only switches a server on or off that is declared elsewhere",
					m.name)})
	case err != nil:
		d.unreadable(Unscanned{
			Server: m.name, Place: d.place(m.at), Reason: err.Error(), Remedy: "correct its entry",
		})
	default:
		d.in.Servers = append(d.in.Servers, server)
	}
}

// errExtension means that an entry of Zed only has settings for an extension.
var errExtension = errors.New("it belongs to an extension")

// errSwitch means that an entry has nothing but enabled or disabled, for a server of another file.
var errSwitch = errors.New("it only switches a server on or off")

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

	words, oneList, err := commandList(fields)
	if err != nil {
		return s, err
	}

	for name, into := range map[string]*string{"command": &command, "type": &kind, "cwd": &s.Dir} {
		if err := text(into, name); err != nil {
			return s, err
		}
	}

	for _, name := range addressKeys {
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

	if oneList {
		command, s.Command, s.oneList = words[0], append(words[1:], s.Command...), true
	}

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
	case onlySwitches(fields):
		return s, errSwitch
	default:
		return s, fmt.Errorf("it has neither a command nor a URL")
	}

	return s, nil
}

// onlySwitches reports whether the fields of an entry only say whether it is used.
func onlySwitches(fields map[string]value) bool {
	for name := range fields {
		if name != "enabled" && name != "disabled" {
			return false
		}
	}
	return len(fields) > 0
}

// addressKeys are the names of the address of a server in the entries of clients.
var addressKeys = []string{"httpUrl", "serverUrl", "url", "uri"}

// otherNames are names that some clients have for a field of an entry.
var otherNames = map[string]string{"cmd": "command", "environment": "env", "envs": "env", "workingDirectory": "cwd"}

// commandList removes a command that is a list of the program and its arguments from the fields, and returns it.
func commandList(fields map[string]value) (words []string, ok bool, err error) {
	if !fields["command"].is('[') {
		return nil, false, nil
	}

	words, ok = fields["command"].strings()
	if !ok || len(words) == 0 || words[0] == "" {
		return nil, false, errors.New("its command is not a list of strings that begins with a program")
	}

	delete(fields, "command")
	return words, true, nil
}

// unnest replaces a transport or a command that is an object by its members, and other names of fields by the usual
// ones. Older versions of Zed have such a command.
func unnest(fields map[string]value) error {
	if transport := fields["transport"]; transport.is('{') {
		delete(fields, "transport")
		for _, m := range transport.object() {
			if _, twice := fields[m.name]; twice {
				return &twiceError{m.name, m.name, m.at}
			}

			fields[m.name] = m.value
		}
	}

	for other, usual := range otherNames {
		if _, has := fields[usual]; !has && fields[other].end > 0 {
			fields[usual] = fields[other]
		}
	}

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
