package refreshcorpus

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclparse"

	"github.com/touchstone-eval/touchstone/internal/base/plainhcl"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// upstreams is the content of upstreams.hcl: the servers that a corpus is read
// from.
type upstreams struct {
	Corpus    *corpusBlock    `hcl:"corpus,block"`
	Installs  []installBlock  `hcl:"install,block"`
	Upstreams []upstreamBlock `hcl:"upstream,block"`

	dir string // of the file; its paths are relative to this directory
}

// corpusBlock describes the origin of the corpus.
type corpusBlock struct {
	Source string `hcl:"source"`
	// Version is that of a corpus that is fetched. A refresh numbers its corpora.
	Version string `hcl:"version,optional"`
	License string `hcl:"license,optional"`
	Note    string `hcl:"note,optional"`
	// Keep is a corpus file. Its servers are copied, except those with the name
	// of an upstream.
	Keep  string    `hcl:"keep,optional"`
	Range hcl.Range `hcl:",def_range"`
}

// installBlock installs packages in a private directory: Files are copied there
// and Command is run there. Lock is the member of Files that pins every package.
type installBlock struct {
	Name        string    `hcl:"name,label"`
	Files       []string  `hcl:"files"`
	Lock        string    `hcl:"lock"`
	Command     []string  `hcl:"command"`
	Passthrough []string  `hcl:"passthrough,optional"`
	Timeout     string    `hcl:"timeout,optional"`
	Range       hcl.Range `hcl:",def_range"`

	timeout time.Duration
}

// upstreamBlock is one server, started by Command or reached at URL.
type upstreamBlock struct {
	Name        string            `hcl:"name,label"`
	Version     string            `hcl:"version"`
	Command     []string          `hcl:"command,optional"`
	URL         string            `hcl:"url,optional"`
	Install     string            `hcl:"install,optional"`
	Package     string            `hcl:"package,optional"`
	Env         map[string]string `hcl:"env,optional"`
	Passthrough []string          `hcl:"passthrough,optional"`
	// Headers maps each request header to the environment variable that holds
	// its value. The file itself is committed, so it must hold no secrets.
	Headers map[string]string `hcl:"headers,optional"`
	Timeout string            `hcl:"timeout,optional"`
	// License is the SPDX expression of the package, or NOASSERTION. Domain says what the tools
	// are for. Both are for readers.
	License string    `hcl:"license,optional"`
	Domain  string    `hcl:"domain,optional"`
	Range   hcl.Range `hcl:",def_range"`

	timeout time.Duration
}

const (
	// maxUpstreams limits the size of upstreams.hcl, in bytes.
	maxUpstreams   = 256 << 10
	defaultList    = time.Minute
	defaultInstall = 10 * time.Minute
)

// parseUpstreams parses upstreams.hcl. The error lists every problem with its
// line.
func parseUpstreams(file string, text []byte) (*upstreams, error) {
	if len(text) > maxUpstreams {
		return nil, fmt.Errorf("%s is larger than %d KiB: split it and refresh in parts", file, maxUpstreams>>10)
	}

	u := &upstreams{dir: filepath.Dir(file)}
	var f *hcl.File
	diags := plainhcl.Check(text, file,
		"write strings, lists and maps of strings; expressions are not supported here, and $${ stands for ${",
		plainhcl.Lists...)
	if !diags.HasErrors() {
		f, diags = hclparse.NewParser().ParseHCL(text, file)
	}

	if !diags.HasErrors() {
		diags = append(diags, gohcl.DecodeBody(f.Body, nil, u)...)
	}

	if !diags.HasErrors() {
		diags = append(diags, u.check(file)...)
	}

	if diags.HasErrors() {
		return nil, &upstreamsError{diags}
	}

	slices.SortFunc(u.Upstreams, func(a, b upstreamBlock) int { return strings.Compare(a.Name, b.Name) })
	return u, nil
}

// upstreamsError prints each problem on its own line.
type upstreamsError struct{ diags hcl.Diagnostics }

// ExitCode returns 2: the file is invalid, and no stage failed.
func (*upstreamsError) ExitCode() int { return 2 }

func (e *upstreamsError) Error() string {
	var lines []string
	for _, d := range e.diags {
		place := ""
		if d.Subject != nil {
			place = fmt.Sprintf("%s:%d,%d: ", d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column)
		}
		lines = append(lines, place+safetext.Visible(d.Summary)+": "+safetext.Visible(d.Detail))
	}
	return strings.Join(lines, "\n")
}

func (u *upstreams) check(file string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	complain := func(at hcl.Range, summary, detail string) {
		diags = append(diags,
			&hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: at.Ptr()})
	}
	if u.Corpus == nil || strings.TrimSpace(u.Corpus.Source) == "" {
		complain(hcl.Range{Filename: file, Start: hcl.InitialPos, End: hcl.InitialPos}, "the corpus has no source",
			`write corpus { source = "..." }: the origin of these tools, for readers of the corpus`)
	}

	if u.Corpus != nil && u.Corpus.Keep != "" && !filepath.IsLocal(filepath.FromSlash(u.Corpus.Keep)) {
		complain(u.Corpus.Range, fmt.Sprintf("keep = %q is outside the directory of this file", u.Corpus.Keep),
			"name a corpus in this directory or below it")
	}

	if len(u.Upstreams) == 0 {
		complain(hcl.Range{Filename: file, Start: hcl.InitialPos, End: hcl.InitialPos}, "there is no upstream",
			`write upstream "NAME" { ... } for each server`)
	}

	installs := map[string]bool{}
	for i := range u.Installs {
		in := &u.Installs[i]
		if installs[in.Name] {
			complain(in.Range, fmt.Sprintf("install %q is declared twice", in.Name), "rename one of the two")
		}

		installs[in.Name] = true
		in.timeout = duration(in.Timeout, defaultInstall, in.Range, complain)
		if len(in.Command) == 0 {
			complain(in.Range, "the command is empty", `write it as a list of words, such as ["npm", "ci"]`)
		}

		if !slices.Contains(in.Files, in.Lock) {
			complain(in.Range, fmt.Sprintf("the lock %q is not one of the files", in.Lock),
				"add it to files: a file that is not copied cannot pin anything")
		}

		for _, name := range in.Files {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				complain(in.Range, fmt.Sprintf("%q is outside the directory of this file", name),
					"put the file into this directory or below it")
			}
		}
	}

	seen := map[string]bool{}
	for i := range u.Upstreams {
		up := &u.Upstreams[i]
		if seen[up.Name] {
			complain(up.Range, fmt.Sprintf("upstream %q is declared twice", up.Name), "rename one of the two")
		}

		seen[up.Name] = true
		up.timeout = duration(up.Timeout, defaultList, up.Range, complain)
		up.check(installs, complain)
	}

	return diags
}

func (up *upstreamBlock) check(installs map[string]bool, complain func(hcl.Range, string, string)) {
	if up.Name == "" || strings.Contains(up.Name, ":") || len(up.Name) > 256 {
		complain(up.Range, fmt.Sprintf("%q cannot be the name of a server", up.Name),
			"tool ids are server:tool, so use a name without a colon, of 1 to 256 bytes")
	}

	if strings.TrimSpace(up.Version) == "" || len(up.Version) > 256 {
		complain(up.Range, "the version is not pinned", "write the exact version to read")
	}

	if (len(up.Command) == 0) == (up.URL == "") {
		complain(up.Range, "a server needs either a command or a url", "set one of the two")
	}

	if up.URL != "" {
		if a, err := url.Parse(up.URL); err != nil || a.Scheme != "http" && a.Scheme != "https" || a.Host == "" ||
			a.User != nil {
			complain(up.Range, "the url is not an http or https address",
				"write it as https://host/mcp; put secrets into headers, by the name of a variable")
		}

		if up.Install != "" || up.Package != "" || len(up.Env)+len(up.Passthrough) > 0 {
			complain(up.Range, "install, package, env and passthrough require a command",
				"remove them for a server with a url")
		}
	} else if len(up.Headers) > 0 {
		complain(up.Range, "headers require a url", "remove them for a server with a command")
	}

	if up.Install != "" && !installs[up.Install] {
		complain(up.Range, fmt.Sprintf("there is no install %q", up.Install), "declare it in an install block")
	}

	if (up.Install == "") != (up.Package == "") {
		complain(up.Range, "install and package require each other",
			"name the package as in the lock file, so that its version can be checked")
	}
}

func duration(text string, otherwise time.Duration, at hcl.Range,
	complain func(hcl.Range, string, string)) time.Duration {
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		complain(at, fmt.Sprintf("%q is not a duration", text), `write it as "30s" or "2m"`)
	}
	return d
}
