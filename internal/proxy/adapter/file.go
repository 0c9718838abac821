package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// The contracts of a proxy.
const (
	// Described means that the blocks of the adapter describe the proxy.
	Described = "described"
	// Native is the contract of docs/reference/proxy-contract.md: the adapter only describes
	// how the program is built and which command starts it.
	Native = "native"
	// Lines means that the program is a search and no proxy: it gets the tools and
	// the queries as lines of JSON (contracts.SearchRequest), without MCP.
	Lines = "lines"
)

// Adapter is the description of a proxy, returned by Parse and ReadFile.
type Adapter struct {
	Name     string
	About    string
	Contract string
	// Network is what the proxy needs to reach: loopback or full. It is
	// information for authors of pipelines; an adapter does not open a network.
	Network   string
	Options   []Option
	Build     *Build // nil if the proxy is not built
	Search    []Search
	Detectors []Detector

	start    *startBlock // nil if the adapter describes only detectors
	announce *announceBlock
	mcp      *mcpBlock
	ready    readyBlock
	tools    *listBlock
	stop     stopBlock
	replay   replayBlock

	unnamed bool // whether Name is that of the file

	file   string // name for messages
	source []byte
}

// Option is a setting that the user of the adapter chooses, such as the name of a
// model. Default is nil if the option is required.
type Option struct {
	Name        string            `hcl:"name,label"`
	About       string            `hcl:"about,optional"`
	Default     *string           `hcl:"default"`
	Validations []validationBlock `hcl:"validation,block"`
}

// validationBlock refuses values for which the condition is false. It is written as
// that of a variable in a pipeline.
type validationBlock struct {
	Condition    hcl.Expression `hcl:"condition"`
	ErrorMessage hcl.Expression `hcl:"error_message"`
}

// Build describes what to build from the proxy's source. Command may be empty: then
// the user of the stage gives a command, or the files already exist. Binary is the
// program that the build produces. Keep lists files and directories of the build that
// the proxy needs, for a proxy that is not one file. At least one of them is set.
//
// Files are written into the copy of the source that Command builds, such as the main
// package of a detector that uses internal packages of the proxy's module.
type Build struct {
	Command []string          `hcl:"command,optional"`
	Binary  string            `hcl:"binary,optional"`
	Keep    []string          `hcl:"keep,optional"`
	Env     map[string]string `hcl:"env,optional"`
	Files   []fileBlock       `hcl:"file,block"`
}

// Sources returns the files to write before the build, by their paths relative to the
// source.
func (b *Build) Sources() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, f := range b.Files {
		content, err := scope{}.text(f.Content, "content")
		if err != nil {
			return nil, fmt.Errorf("build, file %q: %w: correct the adapter (see docs/reference/adapters.md)", f.Path,
				err)
		}

		files[filepath.FromSlash(f.Path)] = []byte(content)
	}

	return files, nil
}

// Search is one search path of the proxy. Path is contracts.SearchMCP or
// contracts.SearchREST.
type Search struct {
	Path string
	request
	mapping
	// maxLimit is the most results that the proxy returns, or 0 if it has no limit
	// of its own.
	maxLimit int
	describe *describeBlock // nil if its results are complete
}

// describeBlock is the request for the definition of a tool that a search found, for a
// proxy whose results leave out what a call of the tool needs. Without when, each tool
// needs it.
type describeBlock struct {
	request
	when hcl.Expression
}

type startBlock struct {
	Command     hcl.Expression `hcl:"command"`
	Env         hcl.Expression `hcl:"env,optional"`
	Directories []string       `hcl:"directories,optional"`
	Files       []fileBlock    `hcl:"file,block"`
}

// fileBlock is a file that is written before a program runs: into the proxy's home
// before its start, and into the source before the build.
type fileBlock struct {
	Path    string         `hcl:"path,label"`
	Content hcl.Expression `hcl:"content"`
}

// announceBlock describes a JSON file that the proxy writes when it listens.
type announceBlock struct {
	File string         `hcl:"file"`
	URL  hcl.Expression `hcl:"url"`
	MCP  hcl.Expression `hcl:"mcp,optional"`
}

// replayBlock describes how the servers of the corpus answer the proxy.
type replayBlock struct {
	PageSize *int `hcl:"page_size"`
}

// The values of transport in an mcp block.
const (
	transportHTTP  = "http" // streamable HTTP
	transportSSE   = "sse"  // HTTP with server-sent events, MCP's first transport over HTTP
	transportStdio = "stdio"
)

// mcpBlock describes the MCP endpoint of the proxy. Transport is one of the constants,
// or empty for streamable HTTP.
type mcpBlock struct {
	Transport string         `hcl:"transport,optional"`
	Endpoint  hcl.Expression `hcl:"endpoint,optional"`
	Headers   hcl.Expression `hcl:"headers,optional"`
}

type readyBlock struct {
	Done     hcl.Expression `hcl:"done,optional"`
	Progress hcl.Expression `hcl:"progress,optional"`
	FindEach bool           `hcl:"find_each,optional"`
	Rest     hcl.Body       `hcl:",remain"`
	request  *request       // nil: no request is sent
}

type listBlock struct {
	request
	mapping
	Description hcl.Expression
	Schema      hcl.Expression
	Problem     hcl.Expression
	// forEach has the values of each; there is a request for every one. Next is the
	// cursor of the next page. MaxItems is the most tools that one answer holds, or 0.
	forEach  hcl.Expression
	next     hcl.Expression
	maxItems int
	// schemaDrops and SchemaAdds describe what the proxy is known to remove
	// from the top level of a schema, and to add to it.
	schemaDrops []string
	SchemaAdds  hcl.Expression
}

type stopBlock struct {
	Signal string `hcl:"signal,optional"`
	Grace  string `hcl:"grace,optional"`
	after  time.Duration
}

// fileSpec is the decoded file.
type fileSpec struct {
	Name      string          `hcl:"name,optional"`
	About     string          `hcl:"about,optional"`
	Contract  string          `hcl:"contract,optional"`
	Network   string          `hcl:"network,optional"`
	Command   hcl.Expression  `hcl:"command,optional"`
	Options   []Option        `hcl:"option,block"`
	Build     *Build          `hcl:"build,block"`
	Start     *startBlock     `hcl:"start,block"`
	Announce  *announceBlock  `hcl:"announce,block"`
	MCP       *mcpBlock       `hcl:"mcp,block"`
	Ready     *readyBlock     `hcl:"ready,block"`
	Tools     *bodyBlock      `hcl:"tools,block"`
	Search    []labelledBlock `hcl:"search,block"`
	Stop      *stopBlock      `hcl:"stop,block"`
	Replay    *replayBlock    `hcl:"replay,block"`
	Detectors []detectorBlock `hcl:"detector,block"`
}

type bodyBlock struct {
	Body hcl.Body `hcl:",remain"`
}

type labelledBlock struct {
	Label string   `hcl:"label,label"`
	Body  hcl.Body `hcl:",remain"`
}

// MaxFile is the maximum size of an adapter, in bytes.
const MaxFile = 1 << 20

// ReadFile reads an adapter. The error lists every problem with its place and the
// source line.
func ReadFile(path string) (*Adapter, error) {
	source, err := readlimit.File(context.Background(), path, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("the proxy's adapter: %w", err)
	}
	return Parse(source, path)
}

// Parse parses the text of an adapter. file is its name for messages.
func Parse(source []byte, file string) (*Adapter, error) {
	f, diags := hclsyntax.ParseConfig(source, file, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, describe(diags, f, file)
	}

	var spec fileSpec
	diags = gohcl.DecodeBody(f.Body, nil, &spec)
	if !diags.HasErrors() {
		diags = append(diags, spec.shorthand(f.Body)...)
	}

	if spec.Start == nil && len(spec.Detectors) == 0 && !diags.HasErrors() {
		diags = append(diags, problem(f.Body.MissingItemRange(), "no start block",
			"The adapter does not describe how to start the proxy: add a start block with a command, or command = "+
				"[...] at the top level."))
	}

	if diags.HasErrors() {
		return nil, describe(diags, f, file)
	}

	a := &Adapter{
		Name:  cmp.Or(spec.Name, strings.TrimSuffix(filepath.Base(file), ".hcl")),
		About: spec.About, Contract: cmp.Or(spec.Contract, Described),
		Network: cmp.Or(spec.Network, "loopback"), Options: spec.Options, Build: spec.Build,
		start: spec.Start, announce: spec.Announce, mcp: spec.MCP, unnamed: spec.Name == "", file: file, source: source,
	}
	if spec.Stop != nil {
		a.stop = *spec.Stop
	}

	if spec.Replay != nil {
		a.replay = *spec.Replay
	}

	if spec.Ready != nil {
		a.ready = *spec.Ready
		var more hcl.Diagnostics
		a.ready.request, more = decodeOptionalRequest(spec.Ready.Rest)
		diags = append(diags, more...)
	}

	if spec.Tools != nil {
		var more hcl.Diagnostics
		a.tools, more = decodeList(spec.Tools.Body)
		diags = append(diags, more...)
	}

	for _, b := range spec.Search {
		s, more := decodeSearch(b)
		a.Search = append(a.Search, s)
		diags = append(diags, more...)
	}

	for _, b := range spec.Detectors {
		a.Detectors = append(a.Detectors, Detector{detectorBlock: b})
	}

	if !diags.HasErrors() {
		diags = append(diags, a.check(f.Body)...)
	}

	if diags.HasErrors() {
		return nil, describe(diags, f, file)
	}

	return a, nil
}

// shorthand expands command = [...] at the top level to a start block, and a command
// that uses kept without a build block to a build that keeps the whole source.
func (s *fileSpec) shorthand(body hcl.Body) hcl.Diagnostics {
	if given(s.Command) {
		if s.Start != nil {
			return hcl.Diagnostics{problem(s.Command.Range(), "two commands",
				"Give the command either at the top level or in the start block.")}
		}

		s.Start = &startBlock{Command: s.Command, Env: hcl.StaticExpr(cty.NullVal(cty.DynamicPseudoType),
			body.MissingItemRange())}
	}

	if s.Start == nil || s.Build != nil {
		return nil
	}

	if reads(s.Start.Command, "kept") {
		s.Build = &Build{Keep: []string{"."}}
	}

	return nil
}

// reads reports whether an expression uses a variable.
func reads(e hcl.Expression, name string) bool {
	return slices.ContainsFunc(e.Variables(), func(t hcl.Traversal) bool { return t.RootName() == name })
}

// ReadsModel reports whether the proxy gets the sentence model: in its command, its
// environment or a file, or in the configuration of the native contract.
func (a *Adapter) ReadsModel() bool {
	if a.Contract == Native || a.start == nil {
		return a.Contract == Native
	}
	return reads(a.start.Command, "model") || given(a.start.Env) && reads(a.start.Env, "model") ||
		slices.ContainsFunc(a.start.Files, func(f fileBlock) bool { return reads(f.Content, "model") })
}

// CallUnnamed names an adapter whose file gives no name, unless name is empty.
func (a *Adapter) CallUnnamed(name string) {
	if a.unnamed && name != "" {
		a.Name = name
	}
}

// DescribesProxy reports whether the adapter describes a proxy, and not only
// detectors.
func (a *Adapter) DescribesProxy() bool { return a.start != nil }

// PageSize is the maximum number of tools in an answer of a replayed server, or 0 if
// the adapter does not set it.
func (a *Adapter) PageSize() int {
	if a.replay.PageSize == nil {
		return 0
	}
	return *a.replay.PageSize
}

// StartsTouchstone reports whether the proxy is part of this program.
func (a *Adapter) StartsTouchstone() bool {
	for _, t := range a.start.Command.Variables() {
		if t.RootName() == "touchstone" {
			return true
		}
	}
	return false
}

// describe returns one error for all diagnostics, with their source lines.
func describe(diags hcl.Diagnostics, f *hcl.File, name string) error {
	files := map[string]*hcl.File{}
	if f != nil {
		files[name] = f
	}

	slices.SortStableFunc(diags, func(a, b *hcl.Diagnostic) int {
		if a.Subject == nil || b.Subject == nil {
			return 0
		}

		return cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte)
	})
	var text strings.Builder
	if err := hcl.NewDiagnosticTextWriter(&text, files, 0, false).WriteDiagnostics(diags); err != nil {
		return diags
	}

	return errors.New("the proxy's adapter is invalid (see docs/reference/adapters.md):\n" +
		strings.TrimRight(text.String(), "\n"))
}

// problem returns a diagnostic with a place and a remedy.
func problem(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}
