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
)

// MainFile is the name of the file that every pipeline directory has. It
// stands for its directory: who names it names all files of the pipeline.
const MainFile = "pipeline.hcl"

// fileSuffix ends the names of pipeline files.
const fileSuffix = ".hcl"

// SkippedFile is a file beside a pipeline that belongs to something else.
type SkippedFile struct {
	Path string
	Why  string // continues a sentence: "it holds ..."
}

// moduleSource is the files of one pipeline or of one that is included.
type moduleSource struct {
	main string // the path of the main file, as messages name it
	dir  string // its directory, as messages name it
	real string // the main file with links followed; tells sources apart
	// files are the pipeline files, the main file first.
	files  []string
	bodies []*hclsyntax.Body
	broken bool // a file cannot be read or is not well formed
}

// mainFile is the file that a path stands for. whole tells that the other
// pipeline files of its directory belong to it.
func mainFile(d disk, path string) (file string, whole bool) {
	if real, err := d.Resolve(path); err == nil {
		if fi, err := d.Lstat(real); err == nil && fi.IsDir() {
			return filepath.Join(path, MainFile), true
		}
	}
	return path, filepath.Base(path) == MainFile
}

// MainFileOf is the main file of the pipeline that a path stands for.
func MainFileOf(path string) string {
	file, _ := mainFile(osDisk{}, path)
	return file
}

// Files lists the files of the pipeline that a path stands for: the main file
// first, then the others by name. A file that cannot be parsed is listed, so
// that whoever works on the list reports it.
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

// read reads the files of a pipeline. It returns nil after it told fail that
// the main file cannot be read.
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
	text, err := readLimited(l.disk, main, maxSource)
	if err != nil {
		fail(main, err)
		return nil
	}
	l.parsed[real] = src
	l.add(src, main, l.parse(main, text))
	if whole {
		l.readBeside(src)
	}
	return src
}

// add takes a file into a pipeline.
func (l *loader) add(src *moduleSource, file string, body *hclsyntax.Body) {
	src.files = append(src.files, file)
	src.bodies = append(src.bodies, body)
	src.broken = src.broken || body == nil
	if !slices.Contains(l.plan.Files, file) {
		l.plan.Files = append(l.plan.Files, file)
	}
}

// parse parses a pipeline file. It returns nil when the file is not well
// formed: after a syntax error the parser skips what it does not understand,
// and whatever else could be said would be guesswork.
func (l *loader) parse(file string, text []byte) *hclsyntax.Body {
	text = unixLines(text)
	if !l.checkText(text, file) {
		return nil
	}
	parsed, diags := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
	l.files[file] = parsed
	l.diags = append(l.diags, diags...)
	if malformed(diags) {
		return nil
	}
	return parsed.Body.(*hclsyntax.Body)
}

// malformed tells whether a parser's problems leave the rest of a file in
// doubt. The parser goes on undisturbed after an attribute that is there twice.
func malformed(diags hcl.Diagnostics) bool {
	for _, d := range diags {
		if d.Severity == hcl.DiagError && d.Summary != "Attribute redefined" {
			return true
		}
	}
	return false
}

// readBeside reads the other files of a pipeline's directory.
func (l *loader) readBeside(src *moduleSource) {
	entries, err := l.disk.ReadDir(src.dir)
	if err != nil {
		l.errorf(hcl.Range{}, "Cannot read the pipeline", "%s. Its pipeline files cannot be listed.", capital(pathError(src.dir, err)))
		src.broken = true
		return
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, fileSuffix) || strings.HasPrefix(name, ".") || name == filepath.Base(src.main) || e.IsDir() {
			continue
		}
		l.readOther(src, filepath.Join(src.dir, name))
	}
}

// readOther reads a file beside the main file, if it belongs to the pipeline.
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
		text, err = readLimited(l.disk, file, maxSource)
	}
	switch {
	case errors.Is(err, errTooLarge):
		l.plan.Skipped = append(l.plan.Skipped, SkippedFile{file, err.Error()})
		return
	case err != nil:
		l.errorf(hcl.Range{}, "Cannot read the pipeline", "%s. It lies beside %s, and all files of one directory that end in %s are one pipeline; move it elsewhere if it is none of it.",
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
		why = "it has a pipeline block, as " + src.main + " has, so it is a pipeline of its own; name it with --file to read it"
	}
	if why != "" {
		l.diags = l.diags[:before]
		l.plan.Skipped = append(l.plan.Skipped, SkippedFile{file, why})
		return
	}
	l.add(src, file, body)
}

// has tells whether a file holds a block of a type.
func has(body *hclsyntax.Body, typ string) bool {
	return body != nil && slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == typ })
}

// foreign says why a file beside the main file is none of the pipeline, such
// as an adapter, a file of variables' values or another program's. A file that
// holds a stage or a pipeline block is one of the pipeline whatever else it
// holds, and so is one whose blocks have names that are nearly right: what is
// wrong with it is then reported.
func foreign(body *hclsyntax.Body) string {
	if body == nil {
		return ""
	}
	why := ""
	for _, name := range sortedKeys(body.Attributes) {
		why = fmt.Sprintf("it holds the attribute %q, and a pipeline file holds blocks only", name)
		break
	}
	names := fileSchema.names()
	for _, b := range body.Blocks {
		switch {
		case b.Type == stageSchema.name || b.Type == pipelineSchema.name:
			return ""
		case why == "" && !slices.Contains(names, b.Type) && closest(b.Type, names) == "":
			why = fmt.Sprintf("it holds a block %q, which no pipeline file has", b.Type)
		}
	}
	return why
}
