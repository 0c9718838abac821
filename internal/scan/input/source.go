package input

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/source"
	"github.com/touchstone-eval/touchstone/scanner"
)

// sourceTree holds the source files that are read together, since one names what another
// defines.
type sourceTree struct {
	files   []sourceFile
	servers map[string]*sourceServer
	order   []string
	failed  map[string]error // files that cannot be read
}

// sourceFile is a file as the user named it, with its server.
type sourceFile struct{ path, server string }

// sourceServer is what the source of a server says of it.
type sourceServer struct {
	sdk     string // a library for servers that it imports, or ""
	at      Place
	defines bool // anything but instructions, or what is listed as not scanned
}

// sourceResult is what a file has.
type sourceResult struct {
	file string
	in   *Input
	err  error
}

const startIt = "start the server and scan it with --server-command"

// readSource reads a text as that of a source file by itself.
func readSource(file, server string, text []byte) (*Input, error) {
	s := &sourceTree{files: []sourceFile{{file, server}}}
	results := s.read("", nil, func(string) (string, error) { return string(text), nil })
	return s.one(results)
}

// readSourceFile reads a source file, with what it imports.
func readSourceFile(ctx context.Context, p, server string) (*Input, error) {
	text, err := readlimit.File(ctx, p, MaxFile)
	if err != nil {
		return nil, pathError(p, err)
	}

	s := &sourceTree{files: []sourceFile{{p, server}}}
	root := rootAbove(filepath.Dir(p))
	results := s.read(root, filesBelow(root), func(name string) (string, error) {
		if name == p {
			return string(text), nil
		}
		return readText(ctx, name)
	})
	return s.one(results)
}

func readText(ctx context.Context, name string) (string, error) {
	text, err := readlimit.File(ctx, name, MaxFile)
	return string(text), err
}

// one returns what the only file has.
func (s *sourceTree) one(results []sourceResult) (*Input, error) {
	r := results[0]
	if r.err != nil {
		return nil, r.err
	}

	r.in.Unscanned = append(r.in.Unscanned, s.silent()...)
	if len(r.in.Tools)+len(r.in.Others)+len(r.in.Unscanned) == 0 {
		return nil, &InputError{
			Place: Place{File: r.file}, Reason: "it defines no tool, prompt or resource in a way that is known",
			OtherKind: true,
			Remedy:    "name another file, or " + startIt,
		}
	}

	return r.in, nil
}

// read reads the files, with others that they may import. Paths are those below root, and
// all others as they are.
func (s *sourceTree) read(root string, others []string, text func(string) (string, error)) []sourceResult {
	var files []source.File
	s.failed = map[string]error{}
	named := map[string]string{} // the paths that the user knows
	for _, f := range s.files {
		at := below(root, f.path)
		named[at] = f.path
		files = append(files, source.File{Path: at, Text: func() (string, error) {
			t, err := text(f.path)
			if err != nil {
				s.failed[f.path] = err
			}
			return t, err
		}})
	}

	for _, p := range others {
		at := below(root, p)
		if _, ok := named[at]; ok {
			continue
		}

		named[at] = p
		files = append(files, source.File{Path: at, Text: func() (string, error) { return text(p) }, Outside: true})
	}

	all := source.FindAll(files, func(name string) ([]byte, error) {
		if root == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fs.ErrNotExist
		}

		t, err := text(filepath.Join(root, filepath.FromSlash(name)))
		return []byte(t), err
	})
	s.servers = map[string]*sourceServer{}
	results := make([]sourceResult, len(s.files))
	for i, f := range s.files {
		results[i] = s.result(f, all[below(root, f.path)], named)
	}

	return results
}

// below is a path as the source knows it: relative to root, with slashes.
func below(root, p string) string {
	if root != "" {
		if abs, err := filepath.Abs(p); err == nil {
			if rel, err := filepath.Rel(root, abs); err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return path.Clean(filepath.ToSlash(p))
}

// result turns what a file defines into tools. The place of each is that in the source. A
// part that is computed is recorded as not scanned.
func (s *sourceTree) result(f sourceFile, found *source.Found, named map[string]string) sourceResult {
	r := sourceResult{file: f.path, in: &Input{}}
	if err := s.failed[f.path]; err != nil {
		r.err = pathError(f.path, err)
		return r
	}

	if found == nil {
		return r // it has the path of another one
	}

	if found.Err != nil {
		r.err = &InputError{Place: Place{File: f.path}, Reason: "it cannot be parsed: " +
			safetext.Clip(found.Err.Error(), 200), Remedy: "correct it"}
		return r
	}

	place := func(file string, line int) Place {
		if file == "" {
			return Place{File: f.path, Line: line}
		}
		return Place{File: cmp.Or(named[file], file), Line: line}
	}
	for _, d := range found.Definitions {
		at := place(d.File, d.Line)
		for i, t := range d.Texts {
			if t.File != "" {
				d.Texts[i].File = place(t.File, t.Line).File
			}
		}

		if err := r.in.define(f.server, at, d); err != nil {
			found.Problems = append(found.Problems, source.Problem{Name: d.Name, Line: d.Line, Reason: err.Error()})
		}
	}

	for _, p := range found.Problems {
		r.in.Unscanned = append(r.in.Unscanned, Unscanned{
			Server: f.server, Tool: p.Name, Place: place(p.File, p.Line), Reason: p.Reason,
			Remedy: "write it as a literal, or " + startIt,
		})
	}

	s.count(f, found, r.in)
	return r
}

// count notes whether a server defines anything.
func (s *sourceTree) count(f sourceFile, found *source.Found, in *Input) {
	server := s.servers[f.server]
	if server == nil {
		server = &sourceServer{}
		s.servers[f.server] = server
		s.order = append(s.order, f.server)
	}

	if server.sdk == "" && found.SDK != "" {
		server.sdk, server.at = found.SDK, Place{File: f.path}
	}

	server.defines = server.defines || len(in.Tools)+len(in.Unscanned) > 0 ||
		slices.ContainsFunc(in.Others, func(t Tool) bool { return t.Subject != scanner.SubjectInstructions })
}

// silent lists the servers that import a library for MCP servers and define nothing: what
// they have was not found.
func (s *sourceTree) silent() (list []Unscanned) {
	for _, name := range s.order {
		if server := s.servers[name]; server.sdk != "" && !server.defines {
			list = append(list, Unscanned{Server: name, Place: server.at, Reason: "it imports " + server.sdk +
				", and no tool, prompt or resource was found in its source", Remedy: startIt})
		}
	}
	return list
}

// maxOthers bounds the files above a directory that imports may lead to.
const maxOthers = 20_000

// rootAbove returns the absolute directory of the module or repository that a directory
// belongs to: the highest above it with a manifest, up to that of the repository, or
// without one the nearest.
func rootAbove(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}

	nearest, highest := "", ""
	for at := abs; ; at = filepath.Dir(at) {
		for _, m := range manifests {
			if there(filepath.Join(at, m.file)) {
				nearest, highest = cmp.Or(nearest, at), at
			}
		}

		if there(filepath.Join(at, ".git")) {
			return cmp.Or(highest, abs)
		}

		if at == filepath.Dir(at) {
			return cmp.Or(nearest, abs)
		}
	}
}

func there(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// filesBelow lists the source files and manifests below a directory.
func filesBelow(root string) (list []string) {
	if root == "" {
		return nil
	}

	_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be listed cannot be imported
		case len(list) >= maxOthers:
			return fs.SkipAll
		case e.IsDir() && slices.Contains(skippedDirs, e.Name()):
			return fs.SkipDir
		case e.Type().IsRegular() && (source.Supported(p) && !source.IsTest(p) || source.IsManifest(p)):
			list = append(list, p)
		}

		return nil
	})
	return list
}

var subjects = map[source.Kind]scanner.Subject{
	source.Tool: scanner.SubjectTool, source.Prompt: scanner.SubjectPrompt, source.Resource: scanner.SubjectResource,
	source.Instructions: scanner.SubjectInstructions,
}

// define adds a definition of a file. The error says why it is not scanned.
func (in *Input) define(server string, at Place, d source.Definition) error {
	t := Tool{Place: at, Tool: scanner.Tool{
		Server: server, Subject: subjects[d.Kind], Name: d.Name, Title: d.Title, Description: d.Description,
	}}
	if err := addTexts(&t, d.Texts); err != nil {
		return err // unreachable: strings always encode
	}

	if size := len(t.Description) + len(t.InputSchema) + len(t.Extra); size > MaxTool {
		return fmt.Errorf("its definition has %d bytes, and no model can read more than %d", size, MaxTool)
	}

	t.at("/title", "", d.TitleLine)
	t.at("/description", "", d.DescriptionLine)
	t.at("/instructions", "", d.DescriptionLine)
	if d.Kind == source.Tool {
		in.Tools = append(in.Tools, t)
	} else {
		in.Others = append(in.Others, t)
	}

	return nil
}

// addTexts adds the further texts of a definition. Most describe parameters, and a
// schema with them is not known before the server runs.
func addTexts(t *Tool, texts []source.Text) (err error) {
	if len(texts) == 0 {
		return nil
	}

	type described struct {
		Description string `json:"description"`
	}
	list := make([]described, len(texts))
	all := make([]string, len(texts))
	for i, text := range texts {
		list[i], all[i] = described{text.Text}, text.Text
		for _, in := range [...]string{"/inputSchema/anyOf/", "/arguments/", "/texts/"} {
			t.at(in+strconv.Itoa(i), text.File, text.Line)
		}
	}

	switch t.Subject {
	case scanner.SubjectTool:
		t.InputSchema, err = json.Marshal(map[string]any{"anyOf": list})
	case scanner.SubjectPrompt:
		t.InputSchema, err = json.Marshal(list)
	default:
		t.Extra, err = json.Marshal(map[string]any{"texts": all})
	}

	return err
}

// readSources reads the source files of a directory.
func (d *directory) readSources(ctx context.Context) error {
	if len(d.sourceFiles) == 0 {
		return nil
	}

	s := &sourceTree{files: d.sourceFiles}
	root := rootAbove(d.path)
	results := s.read(root, filesBelow(root), func(name string) (string, error) { return readText(ctx, name) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	defining := map[string]bool{} // files with a function that another one registers
	for _, r := range results {
		for _, t := range slices.Concat(r.in.Tools, r.in.Others) {
			defining[t.Place.File] = true
		}
	}

	for _, r := range results {
		if r.err == nil && defining[r.file] && len(r.in.Tools)+len(r.in.Others)+len(r.in.Unscanned) == 0 {
			continue
		}

		if r.err == nil && len(r.in.Tools)+len(r.in.Others)+len(r.in.Unscanned) == 0 {
			d.other = append(d.other, filepath.ToSlash(r.file))
			continue
		}

		if err := d.take(r.file, r.in, r.err); err != nil {
			return err
		}
	}

	if silent := s.silent(); len(silent) > 0 {
		d.in.Unscanned = append(d.in.Unscanned, silent...)
		d.found++
	}

	return nil
}
