package adapter

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The names that expressions may use, by block.
var (
	launchNames = []string{"home", "binary", "kept", "touchstone", "listen", "host", "port", "token", "secret",
		"upstreams", "expected", "model", "option"}
	announceNames = append(slices.Clone(launchNames), "answer")
	mcpNames      = append(slices.Clone(launchNames), "base")
	searchNames   = append(slices.Clone(launchNames), "query", "limit")
	answerNames   = append(slices.Clone(launchNames), "answer", "text")
	hitsNames     = append(slices.Clone(answerNames), "query", "limit")
	hitNames      = append(slices.Clone(hitsNames), "item")
	listNames     = append(slices.Clone(launchNames), "each", "cursor")
	pageNames     = append(slices.Clone(listNames), "answer", "text")
	listedNames   = append(slices.Clone(pageNames), "item")
	judgeNames    = []string{"home", "binary", "tool", "peers", "approved"}
	verdictNames  = append(slices.Clone(judgeNames), "answer", "text")
)

// signals lists the allowed values of signal in a stop block.
var signals = []string{"", "TERM", "INT", "QUIT", "HUP", "KILL"}

// checker collects the problems of an adapter.
type checker struct {
	adapter *Adapter
	diags   hcl.Diagnostics
}

func (c *checker) errorf(at hcl.Range, summary, detail string, args ...any) {
	c.diags = append(c.diags, problem(at, summary, fmt.Sprintf(detail, args...)))
}

// names refuses expressions that use unknown names.
func (c *checker) names(allowed []string, expressions ...hcl.Expression) {
	for _, e := range expressions {
		if e == nil {
			continue
		}

		for _, t := range e.Variables() {
			name := t.RootName()
			if !slices.Contains(allowed, name) {
				c.errorf(t.SourceRange(), "unknown name", "%q is not available here: use %s.", name,
					cmp.Or(strings.Join(allowed, ", "), "a fixed value"))
				continue
			}

			if name == "option" {
				c.option(t)
			}
		}
	}
}

// option refuses an option that the adapter does not declare.
func (c *checker) option(t hcl.Traversal) {
	var names []string
	for _, o := range c.adapter.Options {
		names = append(names, o.Name)
	}

	if len(t) > 1 {
		if step, ok := t[1].(hcl.TraverseAttr); ok && slices.Contains(names, step.Name) {
			return
		}
	}

	c.errorf(t.SourceRange(), "unknown option",
		"Declare it in a block option \"NAME\" first; the declared options are: %s.",
		cmp.Or(strings.Join(names, ", "), "none"))
}

// need refuses a block without a required attribute. Decoding cannot check this,
// because the attribute is an expression.
func (c *checker) need(at hcl.Range, block, attribute string, e hcl.Expression) {
	if !given(e) {
		c.errorf(at, "missing attribute", "The block %s needs the attribute %s.", block, attribute)
	}
}

func (c *checker) request(r *request, allowed []string) {
	c.names(allowed, r.Path, r.Params, r.Headers, r.Body, r.Arguments)
}

func (c *checker) local(at hcl.Range, what, path string) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		c.errorf(at, "not inside the proxy's directory", "%s %q must be a relative path without \"..\".", what, path)
	}
}

// check reports the problems that decoding does not find.
func (a *Adapter) check(body hcl.Body) hcl.Diagnostics {
	c := &checker{adapter: a}
	file := body.MissingItemRange()
	if strings.TrimSpace(a.Name) == "" || len(a.Name) > 100 {
		c.errorf(file, "no name", "Give the adapter a name of 1 to 100 bytes, which reports use.")
	}

	if a.Network != "loopback" && a.Network != "full" {
		c.errorf(file, "unknown network", "network is %q: leave it out (loopback), or set it to full.", a.Network)
	}

	c.build(file)
	c.options(file)
	c.detectors()
	if size := a.replay.PageSize; size != nil && *size < 1 {
		c.errorf(file, "invalid page size",
			"replay: page_size is %d: give the number of tools in one answer, at least 1.", *size)
	}

	if a.start == nil {
		return c.diags
	}

	c.start(file)
	switch a.Contract {
	case Native, Lines:
		if a.announce != nil || a.mcp != nil || a.tools != nil || len(a.Search) > 0 || a.ready.request != nil {
			c.errorf(file, fmt.Sprintf("block not used by the %s contract", a.Contract),
				"With contract = %q only build, start, stop, option and detector blocks have an effect: remove the "+
					"others, or the line.", a.Contract)
		}
	case Described:
		c.described(file)
	default:
		c.errorf(file, "unknown contract", "contract is %q: leave it out, or set it to %q or %q.", a.Contract, Native,
			Lines)
	}

	c.stop(file)
	return c.diags
}

func (c *checker) build(file hcl.Range) {
	b := c.adapter.Build
	if b == nil {
		return
	}

	if b.Binary == "" && len(b.Keep) == 0 {
		c.errorf(file, "nothing is kept", "build: name the program that the build produces with binary, or the files "+
			"and directories that the proxy needs with keep.")
	}

	if b.Binary != "" {
		c.local(file, "build: binary", b.Binary)
	}

	for _, path := range b.Keep {
		c.local(file, "build: keep", path)
	}

	for _, f := range b.Files {
		c.need(file, fmt.Sprintf("file %q", f.Path), "content", f.Content)
		c.local(f.Content.Range(), "build: file", f.Path)
		c.names(nil, f.Content)
	}
}

// options checks what an option accepts.
func (c *checker) options(file hcl.Range) {
	for _, o := range c.adapter.Options {
		for _, v := range o.Validations {
			c.need(file, fmt.Sprintf("validation of option %q", o.Name), "condition", v.Condition)
			c.need(file, fmt.Sprintf("validation of option %q", o.Name), "error_message", v.ErrorMessage)
			c.names([]string{"option"}, v.Condition, v.ErrorMessage)
		}
	}
}

func (c *checker) start(file hcl.Range) {
	a := c.adapter
	c.need(file, "start", "command", a.start.Command)
	c.names(launchNames, a.start.Command, a.start.Env)
	for _, f := range a.start.Files {
		c.need(file, fmt.Sprintf("file %q", f.Path), "content", f.Content)
		c.local(f.Content.Range(), "start: file", f.Path)
		c.names(launchNames, f.Content)
	}

	for _, d := range a.start.Directories {
		c.local(a.start.Command.Range(), "start: directory", d)
	}

	for _, t := range a.start.Command.Variables() {
		switch {
		case t.RootName() == "binary" && (a.Build == nil || a.Build.Binary == ""):
			c.errorf(t.SourceRange(), "nothing is built",
				"The command uses binary, but no build block names one: add binary = FILE to a build block.")
		case t.RootName() == "kept" && len(a.Build.Keep) == 0:
			c.errorf(t.SourceRange(), "nothing is kept", "The command uses kept, but the build block keeps no files: "+
				"add keep = [FILES AND DIRECTORIES].")
		}
	}
}

// described checks the blocks that the native contract does not use.
func (c *checker) described(file hcl.Range) {
	a := c.adapter
	if b := a.announce; b != nil {
		c.need(file, "announce", "url", b.URL)
		c.local(b.URL.Range(), "announce: file", b.File)
		c.names(announceNames, b.URL, b.MCP)
	}

	if m := a.mcp; m != nil {
		if !slices.Contains([]string{"", transportHTTP, transportSSE, transportStdio}, m.Transport) {
			c.errorf(m.Endpoint.Range(), "unknown transport",
				"transport is %q: use http (streamable HTTP, the default), sse or stdio.", m.Transport)
		}

		c.names(mcpNames, m.Endpoint, m.Headers)
	}

	if r := a.ready.request; r != nil {
		c.request(r, launchNames)
		c.names(answerNames, a.ready.Done, a.ready.Progress)
	} else if given(a.ready.Done) {
		c.errorf(a.ready.Done.Range(), "no request",
			"done evaluates an answer: select a request with path, call or list_tools.")
	}

	c.listing()

	if len(a.Search) == 0 {
		c.errorf(file, "no search block", "Describe how to search the proxy: add a block search \"rest\" or search "+
			"\"mcp\".")
	}

	seen := map[string]bool{}
	for i := range a.Search {
		s := &a.Search[i]
		if s.Path != contracts.SearchMCP && s.Path != contracts.SearchREST || seen[s.Path] {
			c.errorf(s.at, "unknown or duplicate search path", "search %q: there can be one %q and one %q.", s.Path,
				contracts.SearchMCP, contracts.SearchREST)
		}

		seen[s.Path] = true
		if s.maxLimit < 0 {
			c.errorf(s.at, "invalid limit", "search %q: max_limit is %d: give the most results that the proxy "+
				"returns, at least 1.", s.Path, s.maxLimit)
		}

		c.need(s.at, "search", "items", s.Items)
		c.request(&s.request, searchNames)
		c.names(hitsNames, s.Items)
		c.names(hitNames, s.ID, s.Server, s.Name, s.Score)
		if s.describe != nil {
			c.request(&s.describe.request, hitNames)
			c.names(hitNames, s.describe.when)
		}
	}
}

// listing checks the tools block. Without one, the proxy is verified by searches.
func (c *checker) listing() {
	l := c.adapter.tools
	if l == nil {
		return
	}

	if l.maxItems < 0 {
		c.errorf(l.at, "invalid limit", "tools: max_items is %d: give the most tools that one answer holds, at "+
			"least 1.", l.maxItems)
	}

	c.need(l.at, "tools", "items", l.Items)
	c.names(launchNames, l.forEach)
	c.request(&l.request, listNames)
	c.names(pageNames, l.next, l.Items)
	c.names(listedNames, l.ID, l.Server, l.Name, l.Description, l.Schema, l.Problem)
	c.names(nil, l.SchemaAdds)
}

func (c *checker) detectors() {
	seen := map[string]bool{}
	for _, d := range c.adapter.Detectors {
		at := d.Command.Range()
		if seen[d.Name] || d.Name == "" || strings.ContainsAny(d.Name, " \t") {
			c.errorf(at, "invalid name of a detector",
				"detector %q: give each detector a unique name without white space.", d.Name)
		}

		seen[d.Name] = true
		if d.Binary != "" {
			c.local(at, "detector: binary", d.Binary)
		}

		c.need(at, "detector", "command", d.Command)
		c.need(at, "detector", "flagged", d.Flagged)
		c.names(judgeNames, d.Command)
		for _, f := range d.Files {
			c.need(at, fmt.Sprintf("file %q", f.Path), "content", f.Content)
			c.local(f.Content.Range(), "detector: file", f.Path)
			c.names(judgeNames, f.Content)
		}

		c.names(verdictNames, d.Flagged, d.Signals)
	}
}

func (c *checker) stop(file hcl.Range) {
	s := &c.adapter.stop
	if !slices.Contains(signals, s.Signal) {
		c.errorf(file, "unknown signal", "stop: signal is %q: use one of%s.", s.Signal, strings.Join(signals, " "))
	}

	if s.Grace == "" {
		return
	}

	var err error
	if s.after, err = time.ParseDuration(s.Grace); err != nil || s.after <= 0 || s.after > time.Minute {
		c.errorf(file, "invalid duration", "stop: grace is %q: give a duration up to a minute, such as \"5s\".",
			s.Grace)
	}
}
