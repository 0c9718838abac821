package adapter

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Setting holds the values that are known when a proxy is started.
type Setting struct {
	// Home is the proxy's private directory. Binary is the built file, or
	// empty. Kept is the directory with the kept files of the build, or empty.
	// Touchstone is this program.
	Home, Binary, Kept, Touchstone string
	// Model is the directory of a sentence model, empty when none was given.
	Model string
	// Listen is a free address on loopback, HOST:PORT.
	Listen    string
	Token     string // a random text that only this process and the proxy know
	Secret    string // a secret from the user for the proxy, such as an API key
	Upstreams []contracts.Upstream
	// Tools is the number of tools of the upstreams.
	Tools   int
	Options map[string]string
}

// Run is an adapter with the values for one start.
type Run struct {
	adapter *Adapter
	setting Setting
	scope   scope
}

// Run returns the adapter with the values of setting, and uses defaults for missing
// options. Unknown options and missing required options are errors.
func (a *Adapter) Run(setting Setting) (*Run, error) {
	options, err := a.options(setting.Options)
	if err != nil {
		return nil, err
	}

	host, port, _ := strings.Cut(setting.Listen, ":")
	upstreams := make([]any, len(setting.Upstreams))
	for i, up := range setting.Upstreams {
		env := map[string]any{}
		for name, v := range up.Env {
			env[name] = v
		}

		command := make([]any, len(up.Command))
		for i, word := range up.Command {
			command[i] = word
		}

		upstreams[i] = map[string]any{"name": up.Name, "command": command, "env": env, "url": up.URL}
	}

	text := cty.StringVal
	return &Run{adapter: a, setting: setting, scope: scope{vars: map[string]cty.Value{
		"home": text(setting.Home), "binary": text(setting.Binary), "touchstone": text(setting.Touchstone),
		"kept":   text(setting.Kept),
		"model":  text(setting.Model),
		"listen": text(setting.Listen), "host": text(host), "port": text(port), "token": text(setting.Token),
		"secret":    text(setting.Secret),
		"upstreams": fromJSON(upstreams), "expected": cty.NumberIntVal(int64(setting.Tools)),
		"option": options,
	}}}, nil
}

// options merges the given options and the defaults into the value of "option".
func (a *Adapter) options(given map[string]string) (cty.Value, error) {
	values := map[string]cty.Value{}
	var names []string
	for _, o := range a.Options {
		names = append(names, o.Name)
		v, ok := given[o.Name]
		switch {
		case ok:
			values[o.Name] = cty.StringVal(v)
		case o.Default != nil:
			values[o.Name] = cty.StringVal(*o.Default)
		default:
			return cty.NilVal, fmt.Errorf("adapter %s requires the option %s: give it with --option %s=VALUE, in a "+
				"pipeline with --var proxy_options.%s=VALUE", a.Name, o.Name, o.Name, o.Name)
		}
	}

	for name := range given {
		if _, known := values[name]; !known {
			if len(names) == 0 {
				return cty.NilVal, fmt.Errorf("adapter %s has no option %q: it declares no options", a.Name, name)
			}

			return cty.NilVal, fmt.Errorf("adapter %s has no option %q: its options are %s", a.Name, name,
				strings.Join(names, ", "))
		}
	}

	if len(values) == 0 {
		return cty.EmptyObjectVal, nil
	}

	options := cty.ObjectVal(values)
	return options, a.validate(options)
}

// validate refuses values that the adapter says it cannot use.
func (a *Adapter) validate(options cty.Value) error {
	s := scope{vars: map[string]cty.Value{"option": options}}
	for _, o := range a.Options {
		for _, v := range o.Validations {
			valid, err := s.native(v.Condition, "condition")
			if err == nil && valid == true {
				continue
			}

			if err != nil {
				return fmt.Errorf("adapter %s, validation of option %s: %w: correct the adapter (see "+
					"docs/reference/adapters.md)", a.Name, o.Name, err)
			}

			message, err := s.text(v.ErrorMessage, "error_message")
			if err != nil {
				message = err.Error()
			}

			return fmt.Errorf("adapter %s, option %s = %q: %s", a.Name, o.Name, options.GetAttr(o.Name).AsString(),
				message)
		}
	}

	return nil
}

// Launch describes how to start the proxy's process.
type Launch struct {
	Argv []string
	// Env is added to the environment of every proxy.
	Env map[string]string
	// Stdio means that the process speaks MCP, or the lines of the contract Lines, on
	// its standard input and output.
	Stdio bool
	// Directories and Files are created in the home directory before the start.
	Directories []string
	Files       map[string][]byte
	StopSignal  string // empty for SIGTERM
	StopAfter   time.Duration
}

// Launch evaluates the start block.
func (r *Run) Launch() (Launch, error) {
	a := r.adapter
	l := Launch{
		Directories: a.start.Directories, Files: map[string][]byte{},
		Stdio:      a.Contract == Lines || a.mcp != nil && a.mcp.Transport == transportStdio,
		StopSignal: a.stop.Signal, StopAfter: a.stop.after,
	}
	var err error
	if l.Argv, err = words(r.scope, a.start.Command); err != nil {
		return l, r.wrap("start", err)
	}

	if l.Env, err = r.scope.texts(a.start.Env, "env"); err != nil {
		return l, r.wrap("start", err)
	}

	for _, f := range a.start.Files {
		content, err := r.scope.text(f.Content, "content")
		if err != nil {
			return l, r.wrap(fmt.Sprintf("start, file %q", f.Path), err)
		}

		l.Files[filepath.FromSlash(f.Path)] = []byte(content)
	}

	return l, nil
}

// words evaluates a command. It skips words that are null.
func words(s scope, command hcl.Expression) ([]string, error) {
	v, err := s.native(command, "command")
	if err != nil {
		return nil, err
	}

	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("command is %s but must be a list that starts with the program", kind(v))
	}

	var argv []string
	for _, w := range list {
		switch w := w.(type) {
		case nil:
		case string:
			argv = append(argv, w)
		case float64, bool:
			b, err := json.Marshal(w)
			if err != nil {
				return nil, err
			}

			argv = append(argv, string(b))
		default:
			return nil, fmt.Errorf("command: a word is %s but must be a string", kind(w))
		}
	}

	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("command names no program: give a list that starts with the program")
	}

	return argv, nil
}

// wrap adds the adapter and the block to an error of an evaluation.
func (r *Run) wrap(block string, err error) error {
	return fmt.Errorf("adapter %s, %s: %w: correct the adapter (see docs/reference/adapters.md)", r.adapter.Name, block,
		err)
}

// Announcement returns the file in which the proxy writes its address, relative to
// its home, or "" if the proxy listens at the given address.
func (r *Run) Announcement() string {
	if r.adapter.announce == nil {
		return ""
	}
	return r.adapter.announce.File
}

// Address returns the base URL of the proxy and its MCP endpoint, which may be
// empty. content is the content of the announcement.
func (r *Run) Address(content []byte) (base, mcp string, err error) {
	s := r.scope
	base = "http://" + r.setting.Listen
	var at hcl.Expression
	if a := r.adapter.announce; a != nil {
		v, isJSON := decodeAnswer(content)
		if !isJSON {
			return "", "", fmt.Errorf("the content of its announcement %s is not JSON", a.File)
		}

		s = s.with(map[string]any{"answer": v})
		if base, err = s.text(a.URL, "url"); err != nil {
			return "", "", r.wrap("announce", err)
		}

		at = a.MCP
	}

	if m := r.adapter.mcp; m != nil && !given(at) {
		at = m.Endpoint
	}

	s = s.with(map[string]any{"base": base})
	if given(at) {
		if mcp, err = s.text(at, "mcp"); err != nil {
			return "", "", r.wrap("mcp", err)
		}
	}

	switch {
	case mcp != "":
	case r.SSE():
		mcp = base + "/sse"
	default:
		mcp = base + "/mcp"
	}

	return base, mcp, nil
}

// SSE reports whether the proxy speaks MCP's first transport over HTTP, in which a
// stream of server-sent events names the address for messages.
func (r *Run) SSE() bool { return r.adapter.mcp != nil && r.adapter.mcp.Transport == transportSSE }

// MCPHeaders returns the headers for every MCP message over HTTP.
func (r *Run) MCPHeaders() (http.Header, error) {
	if r.adapter.mcp == nil {
		return nil, nil
	}

	texts, err := r.scope.texts(r.adapter.mcp.Headers, "headers")
	if err != nil {
		return nil, r.wrap("mcp", err)
	}

	header := http.Header{}
	for name, v := range texts {
		header.Set(name, v)
	}

	return header, nil
}
