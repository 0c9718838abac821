package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// MainFile is the name of the main file of a pipeline directory. Naming it stands for naming the
// directory, with all its pipeline files.
const MainFile = "pipeline.hcl"

// fileSuffix is the suffix of pipeline files.
const fileSuffix = ".hcl"

// SkippedFile is a file in the directory of a pipeline that is not part of the pipeline.
type SkippedFile struct {
	Path string
	Why  string // continues a sentence: "it contains ..."
}

// moduleSource holds the files of a pipeline or of an included module.
type moduleSource struct {
	main string // the path of the main file, as messages name it
	dir  string // its directory, as messages name it
	real string // the main file without symbolic links; identifies the source
	// files are the pipeline files, the main file first.
	files  []string
	bodies []*hclsyntax.Body
	broken bool // whether a file cannot be read or parsed
}

// mainFile returns the main file for a path. whole reports whether the other pipeline files of
// its directory belong to it.
func mainFile(d disk, path string) (file string, whole bool) {
	if real, err := d.Resolve(path); err == nil {
		if fi, err := d.Lstat(real); err == nil && fi.IsDir() {
			return filepath.Join(path, MainFile), true
		}
	}
	return path, filepath.Base(path) == MainFile
}

// MainFileOf returns the main file of the pipeline at path.
func MainFileOf(path string) string {
	file, _ := mainFile(osDisk{}, path)
	return file
}

// Files lists the files of the pipeline at path: the main file first, then the others by name. It
// includes files that cannot be parsed, so that the caller can report them.
func Files(path string) ([]string, error) {
	l := &loader{disk: osDisk{}, files: map[string]*hcl.File{}, plan: &Plan{}, parsed: map[string]*moduleSource{}}
	main, whole := mainFile(l.disk, path)
	var failed error
	src := l.read(main, whole, func(_ string, err error) { failed = err })
	if src == nil {
		return nil, failed
	}
	return src.files, nil
}

// read reads the files of a pipeline. If it cannot read the main file, it calls fail and returns
// nil.
func (l *loader) read(main string, whole bool, fail func(file string, err error)) *moduleSource {
	real, err := l.disk.Resolve(main)
	if err != nil {
		fail(main, err)
		return nil
	}

	if src := l.parsed[real]; src != nil {
		return src
	}

	src := &moduleSource{main: main, dir: filepath.Dir(main), real: real}
	text, err := readLimited(l.disk, main, MaxSource)
	if err != nil {
		fail(main, err)
		return nil
	}

	l.parsed[real] = src
	l.add(src, main, l.parse(main, text))
	if whole {
		l.readSiblings(src)
	}

	l.extend(src)
	return src
}

// add adds a file to a pipeline.
func (l *loader) add(src *moduleSource, file string, body *hclsyntax.Body) {
	src.files = append(src.files, file)
	src.bodies = append(src.bodies, body)
	src.broken = src.broken || body == nil
	if !slices.Contains(l.plan.Files, file) {
		l.plan.Files = append(l.plan.Files, file)
	}
}

// parse parses a pipeline file. It returns nil for a file with syntax errors: the parser skips
// what it does not understand, so further diagnostics would be unreliable.
func (l *loader) parse(file string, text []byte) *hclsyntax.Body {
	text = unixLines(text)
	if !l.checkText(text, file) {
		return nil
	}

	parsed, diags := parseFile(text, file)
	l.files[file] = parsed
	l.diags = append(l.diags, diags...)
	if malformed(diags) {
		return nil
	}

	body := parsed.Body.(*hclsyntax.Body)
	l.budget.meter(body)
	return body
}

// malformed reports whether the diagnostics of the parser make the rest of a file unreliable. A
// duplicate attribute does not.
func malformed(diags hcl.Diagnostics) bool {
	for _, d := range diags {
		if d.Severity == hcl.DiagError && d.Summary != "Attribute redefined" {
			return true
		}
	}
	return false
}

// readSiblings reads the other files in a pipeline's directory.
func (l *loader) readSiblings(src *moduleSource) {
	entries, err := l.disk.ReadDir(src.dir)
	if err != nil {
		l.errorf(hcl.Range{}, "Cannot read the pipeline", "%s. Its pipeline files cannot be listed.",
			capital(pathError(src.dir, err)))
		src.broken = true
		return
	}

	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, fileSuffix) || strings.HasPrefix(name, ".") || name == filepath.Base(src.main) ||
			e.IsDir() {
			continue
		}

		l.readOther(src, filepath.Join(src.dir, name))
	}
}

// readOther reads another file of the directory, if it belongs to the pipeline.
func (l *loader) readOther(src *moduleSource, file string) {
	real, err := l.disk.Resolve(file)
	var fi fs.FileInfo
	if err == nil {
		fi, err = l.disk.Lstat(real)
	}

	if err == nil && !fi.Mode().IsRegular() {
		return
	}

	var text []byte
	if err == nil {
		text, err = readLimited(l.disk, file, MaxSource)
	}

	switch {
	case errors.Is(err, errTooLarge):
		l.plan.Skipped = append(l.plan.Skipped, SkippedFile{file, err.Error()})
		return
	case err != nil:
		l.errorf(hcl.Range{}, "Cannot read the pipeline",
			"%s. All files in the directory of %s that end in %s are part of the pipeline. Move the file to another "+
				"directory if it is not.",
			capital(pathError(file, err)), src.main, fileSuffix)
		src.broken = true
		return
	}

	before := len(l.diags)
	body := l.parse(file, text)
	kept := body
	if kept == nil && l.files[file] != nil {
		kept, _ = l.files[file].Body.(*hclsyntax.Body) // what the parser understood
	}

	why := foreign(kept)
	if why == "" && has(src.bodies[0], pipelineSchema.name) && has(kept, pipelineSchema.name) {
		why = "it has a pipeline block, like " + src.main + ", so it is a separate pipeline; use --file to read it"
	}

	if why != "" {
		l.diags = l.diags[:before]
		l.plan.Skipped = append(l.plan.Skipped, SkippedFile{file, why})
		return
	}

	l.add(src, file, body)
}

// has reports whether a file contains a block of a type.
func has(body *hclsyntax.Body, typ string) bool {
	return body != nil && slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == typ })
}

// foreign returns the reason why a file in the directory is not part of the pipeline, such as an
// adapter, a file of variables' values or a file of another program. A file with a stage or a
// pipeline block is always part of the pipeline, and so is a file whose blocks have misspelled
// names, so that its problems are reported.
func foreign(body *hclsyntax.Body) string {
	if body == nil {
		return ""
	}

	why := ""
	for _, name := range sortedKeys(body.Attributes) {
		why = fmt.Sprintf("it contains the attribute %q, but a pipeline file only contains blocks", name)
		break
	}

	names := fileSchema.names()
	for _, b := range body.Blocks {
		switch {
		case b.Type == stageSchema.name || b.Type == pipelineSchema.name:
			return ""
		case why == "" && !slices.Contains(names, b.Type) && closest.To(b.Type, names) == "":
			why = fmt.Sprintf("it contains a block %q, which is not part of the pipeline language", b.Type)
		}
	}

	return why
}
