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

// Setting is what the harness knows when it starts a proxy.
type Setting struct {
	// Home is the proxy's private directory; Binary what was built, empty
	// when nothing was; Touchstone this program.
	Home, Binary, Touchstone string
	// Model is the directory of a sentence model, empty when none was given.
	Model string
	// Listen is a free address on loopback, HOST:PORT.
	Listen    string
	Token     string // a random text that nobody else knows
	Secret    string // what the user gave for the proxy, such as an API key
	Upstreams []contracts.Upstream
	// Tools is how many tools the upstreams have.
	Tools   int
	Options map[string]string
}

// Run is an adapter with the values of one start.
type Run struct {
	adapter *Adapter
	setting Setting
	scope   scope
}

// Run fills in options that were not given by their defaults. Options that the
// adapter does not have, and missing ones that it needs, are errors.
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
		"home": text(setting.Home), "binary": text(setting.Binary), "touchstone": text(setting.Touchstone), "model": text(setting.Model),
		"listen": text(setting.Listen), "host": text(host), "port": text(port), "token": text(setting.Token), "secret": text(setting.Secret),
		"upstreams": fromJSON(upstreams), "expected": cty.NumberIntVal(int64(setting.Tools)),
		"option": options,
	}}}, nil
}

// options are the given ones over the defaults, as the value of "option".
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
			return cty.NilVal, fmt.Errorf("adapter %s needs the option %s: give it with --option %s=VALUE, in a pipeline with --var 'proxy_options={%s = \"VALUE\"}'", a.Name, o.Name, o.Name, o.Name)
		}
	}
	for name := range given {
		if _, known := values[name]; !known {
			if len(names) == 0 {
				return cty.NilVal, fmt.Errorf("adapter %s has no option %q: it has none at all", a.Name, name)
			}
			return cty.NilVal, fmt.Errorf("adapter %s has no option %q: it has %s", a.Name, name, strings.Join(names, ", "))
		}
	}
	if len(values) == 0 {
		return cty.EmptyObjectVal, nil
	}
	return cty.ObjectVal(values), nil
}

// Launch is how the proxy's process is started.
type Launch struct {
	Argv []string
	// Env is set on top of what every proxy gets.
	Env map[string]string
	// Stdio says that the process speaks MCP on its standard input and output.
	Stdio bool
	// Directories and Files are to be made below the home before the start.
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
		Stdio: a.mcp != nil && a.mcp.Transport == "stdio", StopSignal: a.stop.Signal, StopAfter: a.stop.after,
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

// words evaluates a command. A word that is null is left out.
func words(s scope, command hcl.Expression) ([]string, error) {
	v, err := s.native(command, "command")
	if err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("command is %s and has to be a list with the program first", kind(v))
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
			return nil, fmt.Errorf("command: a word is %s and has to be a text", kind(w))
		}
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("command names no program: give a list with the program first")
	}
	return argv, nil
}

// wrap says in which block of which adapter something went wrong while it was
// evaluated.
func (r *Run) wrap(block string, err error) error {
	return fmt.Errorf("adapter %s, %s: %w: correct the adapter, see docs/adapters.md", r.adapter.Name, block, err)
}

// Announcement is the file that tells where the proxy listens, relative to its
// home; empty when it listens where it was told to.
func (r *Run) Announcement() string {
	if r.adapter.announce == nil {
		return ""
	}
	return r.adapter.announce.File
}

// Address is where the proxy listens: its base URL and its MCP endpoint, which
// may be empty. content is that of the announcement.
func (r *Run) Address(content []byte) (base, mcp string, err error) {
	s := r.scope
	base = "http://" + r.setting.Listen
	var at hcl.Expression
	if a := r.adapter.announce; a != nil {
		v, isJSON := decodeAnswer(content)
		if !isJSON {
			return "", "", fmt.Errorf("what it announces in %s is not JSON", a.File)
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
	if mcp == "" {
		mcp = base + "/mcp"
	}
	return base, mcp, nil
}

// MCPHeaders are sent with every MCP message over HTTP.
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
