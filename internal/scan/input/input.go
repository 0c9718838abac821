package input

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Place is where something was read: a file as the user named it, or a name in
// angle brackets for other sources, such as "<stdin>". Line counts from 1 and
// is 0 if there are no lines.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	// Column counts characters from 1. It is 0 where the line alone is enough.
	Column int `json:"column,omitempty"`
}

func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Tool is a tool, or something else that a server tells models, with its place.
type Tool struct {
	scanner.Tool
	Place    Place
	mappings []fieldMapping
	lines    map[string]Place
}

// at records where a text of the definition is, by its JSON Pointer.
func (t *Tool) at(pointer, file string, line int) {
	if line > 0 {
		if t.lines == nil {
			t.lines = map[string]Place{}
		}
		t.lines[pointer] = Place{File: cmp.Or(file, t.Place.File), Line: line}
	}
}

// At returns the place of what a JSON Pointer leads to in the source of a server. It is
// without a line if that is not known apart from that of the definition.
func (t *Tool) At(pointer string) Place {
	for strings.HasPrefix(pointer, "/") {
		if p := t.lines[pointer]; p.Line > 0 {
			return p
		}
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return Place{}
}

// Server is a server that a client's configuration declares or the caller
// names. Either Command or URL is set. Values are as written, with variables
// such as ${env:TOKEN}.
type Server struct {
	Name      string
	Command   []string
	URL       string
	Transport string // "stdio", "http" (streamable, else SSE) or "sse"
	Env       map[string]string
	Headers   map[string]string
	Dir       string
	Disabled  bool
	Project   string // the directory of the project that it is for, if Claude Code has one
	Client    string // the client of the configuration
	Place     Place
	Dial      mcpclient.Dialer // of mcpclient.Target

	// oneList is set if the configuration has the program and its arguments in one list.
	oneList bool

	// DisabledIn is the file that disables it, if that is not the configuration.
	DisabledIn string
}

// Unscanned is something that should have been scanned but was not. Server,
// Tool and Source are set as far as they are known. Source is what would have
// been started or contacted.
type Unscanned struct {
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Source string `json:"source,omitempty"`
	Place  Place  `json:"place"`
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"`
	// Output are the last lines that a server printed for people before it failed.
	Output []string `json:"output,omitempty"`
	// goesOn is set if a list has more pages than were read.
	goesOn bool
}

// Cause is the reason, with the end of the output of a server.
func (u Unscanned) Cause() string {
	if len(u.Output) == 0 {
		return u.Reason
	}
	return u.Reason + "; the end of what it printed: " + strings.Join(u.Output, " | ")
}

// PassedOver is what was not read on purpose: a file in a directory whose kind is
// not supported, or a server that is disabled in the configuration at Path.
type PassedOver struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Group describes all that is passed over for the same reason, for a summary. If it
	// is empty, the reason does.
	Group string `json:"-"`
	// Name is that of a server, for the same summary.
	Name string `json:"-"`
}

// onRequestContent is the group of what a server makes only on request.
const onRequestContent = "the messages of prompts and the contents of resources, which are made on request"

// Listed is a server that listed its tools, with its reported name.
type Listed struct{ Server, Name, Version string }

// Input is everything that was read.
type Input struct {
	Listed     []Listed // live servers
	Tools      []Tool
	Others     []Tool // prompts, resources, templates and instructions
	Servers    []Server
	Unscanned  []Unscanned
	PassedOver []PassedOver
}

// Add adds another input.
func (in *Input) Add(other *Input) {
	in.add(other)
	in.sort()
}

func (in *Input) add(other *Input) {
	in.Listed = append(in.Listed, other.Listed...)
	if len(in.Tools) == 0 {
		in.Tools = other.Tools // of a registry, a copy is large
	} else {
		in.Tools = append(in.Tools, other.Tools...)
	}

	in.Others = append(in.Others, other.Others...)
	in.Servers = append(in.Servers, other.Servers...)
	in.Unscanned = append(in.Unscanned, other.Unscanned...)
	in.PassedOver = append(in.PassedOver, other.PassedOver...)
}

// passOver records what a server makes only on request. Nothing asks for it: a
// model sees the result of a request that somebody made.
func (in *Input) passOver() {
	type list struct {
		server string
		kind   *kind
	}
	counts, first := map[list]int{}, map[list]Place{}
	var order []list
	for _, t := range in.Others {
		k := kindOf(t.Subject)
		if k == nil || hasOnRequestContent(&t) {
			continue
		}

		l := list{t.Server, k}
		if counts[l]++; counts[l] == 1 {
			order, first[l] = append(order, l), Place{File: t.Place.File, Line: t.Place.Line}
		}
	}

	for _, l := range order {
		what := "contents"
		if l.kind.subject == scanner.SubjectPrompt {
			what = "messages"
		}

		noun := l.kind.noun
		if counts[l] > 1 {
			noun += "s"
		}

		in.PassedOver = append(in.PassedOver,
			PassedOver{Path: first[l].String(), Group: onRequestContent,
				Reason: fmt.Sprintf("the %s of %d %s of the server %s are made on request, and were not read", what,
					counts[l], noun, l.server)})
	}
}

// hasOnRequestContent reports whether a file has what a server makes on request for a prompt or a
// resource: it is read with all other members.
func hasOnRequestContent(t *Tool) bool {
	return slices.ContainsFunc(valueOf(t.Extra).object(), func(m member) bool {
		return t.Subject == scanner.SubjectPrompt && m.name == "messages" && m.is('[') ||
			t.Subject != scanner.SubjectPrompt && m.name == "contents" && m.is('[')
	})
}

// SkipServers records every enabled server of a configuration as not scanned.
// Callers use it if they do not list the servers.
func (in *Input) SkipServers(remedy string) {
	for _, s := range in.Servers {
		if over, ok := s.skipped(); ok {
			in.PassedOver = append(in.PassedOver, over)
			continue
		}
		what := "started"
		if s.URL != "" {
			what = "contacted"
		}
		in.Unscanned = append(in.Unscanned, s.unscanned("it was not "+what+": "+s.Client+" only declares it", remedy))
	}
}

// declared reports whether a server comes from a configuration. In a server
// named on the command line, the shell has already expanded variables.
func (s Server) declared() bool { return !strings.HasPrefix(s.Place.File, "<server ") }

func (s Server) unscanned(reason, remedy string) Unscanned {
	return Unscanned{Server: s.Name, Source: s.Display(), Place: s.Place, Reason: reason, Remedy: remedy}
}

// skipped reports whether a server is not to be scanned, and why: somebody disabled it,
// or only its client can ask for what it needs.
func (s Server) skipped() (PassedOver, bool) {
	if s.Disabled {
		return PassedOver{Path: s.Place.String(), Name: s.Name, Group: "servers that are disabled",
			Reason: fmt.Sprintf("the server %s is disabled in %s", s.Name,
				cmp.Or(filepath.ToSlash(s.DisabledIn), s.Client))}, true
	}

	if input := s.input(); input != "" && s.declared() {
		return PassedOver{Path: s.Place.String(), Name: s.Name,
			Group: "servers that need what their client asks its user for; to scan one, name it with " +
				"--server-command or --url", Reason: fmt.Sprintf("the server %s needs %s, which %s asks its user "+
				"for; to scan it, name it with --server-command or --url", s.Name, input,
				strings.TrimPrefix(s.Client, "the configuration of "))}, true
	}

	return PassedOver{}, false
}

// sort sorts the input, so that the order of files and servers does not matter.
func (in *Input) sort() {
	slices.SortStableFunc(in.Unscanned, func(a, b Unscanned) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Tool, b.Tool),
			strings.Compare(a.Place.String(), b.Place.String()), strings.Compare(a.Reason, b.Reason))
	})
	slices.SortStableFunc(in.PassedOver, func(a, b PassedOver) int { return strings.Compare(a.Path, b.Path) })
}

// InputError is an input that cannot be read: the file, the place in it, the
// problem and the remedy.
type InputError struct {
	Place  Place
	Column int
	Reason string
	Remedy string
	// OtherKind means that the file is readable but of an unsupported kind. In
	// a directory this is not an error.
	OtherKind bool
}

func (e *InputError) Error() string {
	place := e.Place.String()
	if e.Column > 0 {
		place = fmt.Sprintf("%s:%d", place, e.Column)
	}
	return fmt.Sprintf("%s: %s: %s", place, e.Reason, e.Remedy)
}
