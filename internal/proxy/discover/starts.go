package discover

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// The transports of a proxy.
const (
	Stdio = "stdio"
	HTTP  = "http"
	SSE   = "sse"
)

// Start is a way to start a program: its command, where it reads its servers, and how it is reached.
type Start struct {
	// Command has the placeholders {binary}, {config}, {listen}, {host}, {port} and {home}.
	Command []string
	Env     map[string]string
	// File is the name of the configuration below the proxy's home, and Format how it is written.
	File, Format string
	Transport    string
	Endpoint     string // the path of MCP over HTTP
}

// The formats of a configuration: the names of the member that holds the servers.
const (
	formatClients = "mcpServers" // as the configuration of most clients
	formatServers = "servers"    // as that of VS Code
	formatNative  = "upstreams"  // as the proxy contract
)

// maxStarts limits the ways that are tried.
const maxStarts = 8

var (
	servesHTTP  = lazyregexp.New(`createServer|HTTPServer|http\.server|ListenAndServe|http\.Serve\(|express\(|uvicorn|[sS]treamable|aiohttp`)
	servesStdio = lazyregexp.New(`process\.stdin|sys\.stdin|os\.Stdin|StdioServerTransport|StdioTransport|stdio_server|ServeStdio|["']stdio["']`)
	environment = lazyregexp.New(`(?:environ(?:\.get)?\s*[\[(]\s*|getenv\(\s*|Getenv\(\s*|process\.env(?:\.|\[\s*))["']?([A-Z][A-Z0-9_]*)`)
	configFile  = lazyregexp.New(`["'](?:\./)?([\w-][\w.-]*\.json)["']`)
	positional  = lazyregexp.New(`argv\[[12]\]|argv\.slice\(2\)|argv\[1:\]|os\.Args\[1|flag\.Arg\(0|argv\.at\(2\)|= process\.argv`)
	word        = `["'` + "`" + `]-{0,2}%s["'` + "`" + `=]`
)

// Starts lists ways to start a program, the likeliest first. A guess that is wrong costs seconds.
func (p *Program) Starts() []Start {
	var starts []Start
	for _, transport := range p.transports() {
		for _, reads := range p.configs() {
			s := Start{Command: slices.Concat(p.Command, reads.args), Env: p.envFor(reads), File: reads.file,
				Format: p.format(), Transport: transport}
			if transport != Stdio {
				p.listens(&s)
			}

			starts = append(starts, s)
		}
	}

	return starts[:min(len(starts), maxStarts)]
}

// StartsWith returns the ways to start the program with a command of the user.
func (p *Program) StartsWith(command []string) []Start {
	command = slices.Clone(command)
	for i, w := range command {
		local := filepath.ToSlash(filepath.Clean(w))
		info, err := os.Stat(filepath.Join(p.Dir, w))
		if err == nil && info.Mode().IsRegular() && filepath.IsLocal(w) && (p.Language != Go || local == p.Entry) {
			p.Entry, command[i] = local, "{binary}"
			break
		}
	}

	s := Start{Command: command, File: "config.json", Format: p.format(), Env: p.Env}
	all := strings.Join(command, " ")
	if strings.Contains(all, "{listen}") || strings.Contains(all, "{port}") {
		s.Transport, s.Endpoint = p.overHTTP()
		return []Start{s}
	}

	s.Transport = Stdio
	starts := []Start{s}
	if !strings.Contains(all, "{config}") { // it finds its servers in another way
		starts = nil
		for _, reads := range p.configs() {
			if len(reads.args) == 0 {
				s.File, s.Env = reads.file, p.envFor(reads)
				starts = append(starts, s)
			}
		}
	}

	if len(starts) == 0 {
		return []Start{s} // it may need no configuration
	}

	return starts
}

// envFor returns the environment of a start that finds its configuration in a way.
func (p *Program) envFor(r reading) map[string]string {
	env := make(map[string]string)
	maps.Copy(env, p.Env)
	if r.variable != "" {
		env[r.variable] = "{config}"
	}
	return env
}

func (p *Program) transports() []string {
	overHTTP, _ := p.overHTTP()
	switch stdio, http := servesStdio().MatchString(p.text), servesHTTP().MatchString(p.text); {
	case http && !stdio:
		return []string{overHTTP}
	case stdio && !http:
		return []string{Stdio}
	}
	return []string{Stdio, overHTTP}
}

// overHTTP returns the transport over HTTP and its path.
func (p *Program) overHTTP() (transport, endpoint string) {
	for _, at := range []string{"/mcp", "/sse"} {
		if strings.Contains(p.text, at) {
			if at == "/sse" {
				return SSE, at
			}

			return HTTP, at
		}
	}
	return HTTP, "/mcp"
}

// listens adds to a start where the proxy listens.
func (p *Program) listens(s *Start) {
	_, s.Endpoint = p.overHTTP()
	for _, name := range []string{"listen", "addr", "address", "bind", "http"} {
		if p.flag(name) {
			s.Command = append(s.Command, "--"+name, "{listen}")
			return
		}
	}

	told := false
	for _, part := range []string{"host", "port"} {
		if p.flag(part) {
			s.Command = append(s.Command, "--"+part, "{"+part+"}")
			told = told || part == "port"
		}
	}

	for _, name := range p.variables() {
		switch {
		case regexp.MustCompile(`(^|_)PORT$`).MatchString(name):
			s.Env[name], told = "{port}", true
		case regexp.MustCompile(`(^|_)HOST$`).MatchString(name):
			s.Env[name] = "{host}"
		case regexp.MustCompile(`(^|_)(LISTEN|ADDR|ADDRESS|BIND)$`).MatchString(name):
			s.Env[name], told = "{listen}", true
		}
	}

	if !told {
		s.Command = append(s.Command, "--port", "{port}")
	}
}

// flag reports whether the source has a flag of a name, as "--NAME" or, for the flag package of Go, "NAME".
func (p *Program) flag(name string) bool {
	quoted := regexp.MustCompile(fmt.Sprintf(word, "--"+name))
	switch p.Language {
	case Node:
		options := regexp.MustCompile(`parseArgs[\s\S]*[{,\s]` + name + `:\s*\{\s*type:`)
		return quoted.MatchString(p.text) || options.MatchString(p.text)
	case Go:
		quoted = regexp.MustCompile(`(?i)flags?\.\w*\(\s*(&\w+,\s*)?"` + name + `"`)
	}
	return quoted.MatchString(p.text)
}

// variables lists the environment variables that the source reads.
func (p *Program) variables() []string {
	var names []string
	for _, m := range environment().FindAllStringSubmatch(p.text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// reading is a way in which a program may find its configuration.
type reading struct {
	args     []string
	variable string
	file     string
}

// configs lists how the program may find its configuration, the likeliest first.
func (p *Program) configs() []reading {
	const file = "config.json"
	var list []reading
	for _, name := range []string{"config", "mcp-config", "config-file", "servers", "upstreams", "settings"} {
		if p.flag(name) {
			list = append(list, reading{args: []string{"--" + name, "{config}"}, file: file})
		}
	}

	for _, name := range p.variables() {
		if strings.Contains(name, "CONFIG") || strings.Contains(name, "SERVERS") || strings.Contains(name, "UPSTREAM") {
			list = append(list, reading{variable: name, file: file})
		}
	}

	if positional().MatchString(p.text) {
		list = append(list, reading{args: []string{"{config}"}, file: file})
	}

	for _, m := range configFile().FindAllStringSubmatch(p.text, -1) {
		name := path.Base(m[1])
		if !slices.Contains([]string{"package.json", "tsconfig.json", "package-lock.json"}, name) &&
			!slices.ContainsFunc(list, func(r reading) bool { return r.file == name }) {
			list = append(list, reading{file: name})
		}
	}

	if len(list) == 0 {
		list = []reading{{args: []string{"--config", "{config}"}, file: file}, {args: []string{"{config}"}, file: file}}
	}

	return list
}

// format returns the format of the configuration that the source reads.
func (p *Program) format() string {
	for _, format := range []string{formatClients, formatNative, formatServers} {
		if regexp.MustCompile(`\b` + format + `\b`).MatchString(p.text) {
			return format
		}
	}
	return formatClients
}
