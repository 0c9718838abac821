package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	scansource "github.com/touchstone-eval/touchstone/internal/scan/source"
)

// extensions are the extensions of files that are read in a directory.
var extensions = []string{".json", ".jsonc", ".jsonl", ".ndjson", ".code-workspace"}

// hasReadableExtension reports whether a file of a directory may be one of those that are read.
func hasReadableExtension(p string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(p))) ||
		isYAML(p) && slices.Contains(strings.Split(filepath.ToSlash(p), "/"), ".continue") ||
		filepath.Base(filepath.Dir(p)) == ".codex" && filepath.Base(p) == "config.toml"
}

// skippedDirs are directories that contain the work of others, not that of this
// directory.
var skippedDirs = []string{".git", "node_modules", ".venv"}

const notSearched = "a directory of this name is not searched"

// directory is what was read of a directory so far.
type directory struct {
	path        string
	opts        ReadOptions
	own         []fs.FileInfo
	in          *Input
	broken      []error
	other       []string // source files that define nothing
	sourceFiles []sourceFile

	packages packages
	// found are the files that were read, all are those that are there, and sources
	// the source files that were not asked for.
	found, all, sources int
}

func readDir(ctx context.Context, dir string, opts ReadOptions) (*Input, error) {
	d := &directory{path: dir, opts: opts, own: ownFiles(opts.Own), in: &Input{},
		packages: packages{cmp.Or(rootAbove(dir), dir), map[string]string{}}}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && p == dir:
			return pathError(p, err)
		case err != nil:
			d.note(p, pathError(p, err))
			return nil
		case e.IsDir() && p != dir && slices.Contains(skippedDirs, e.Name()):
			d.passOver(p, notSearched)
			return fs.SkipDir
		case e.IsDir() || !d.wants(p, e):
			return nil
		}

		return d.read(ctx, p)
	})
	if err == nil {
		err = d.readSources(ctx)
	}

	if err != nil {
		return nil, err
	}

	return d.result()
}

func (d *directory) passOver(p, reason string) {
	d.in.PassedOver = append(d.in.PassedOver, PassedOver{Path: filepath.ToSlash(p), Reason: reason})
}

// note records a file that cannot be read.
func (d *directory) note(p string, err error) {
	d.in.Unscanned = append(d.in.Unscanned, unread(p, err))
	d.broken = append(d.broken, err)
}

// wants reports whether a file is to be read, and counts it.
func (d *directory) wants(p string, e fs.DirEntry) bool {
	d.all++
	source := scansource.Supported(p)
	if source && !d.opts.Source && !scansource.IsTest(p) {
		d.sources++
	}

	switch {
	case !hasReadableExtension(p) && !(source && d.opts.Source):
		return false
	case source && scansource.IsTest(p):
		d.passOver(p, "tests are no part of a server")
	case !regular(p):
		d.passOver(p, "it is not a regular file")
	case isOwn(d.own, e):
		d.passOver(p, "it belongs to this scan")
	default:
		return true
	}

	return false
}

// read reads a file. Source files are only noted: they are read together.
func (d *directory) read(ctx context.Context, p string) error {
	server := d.opts.Server
	if scansource.Supported(p) {
		if server == "" {
			server = d.packages.nameOf(ctx, p)
		}

		d.sourceFiles = append(d.sourceFiles, sourceFile{p, cmp.Or(server, serverBelow(d.opts.Base, p))})
		return nil
	}

	one, err := readFile(ctx, p, cmp.Or(server, serverBelow(d.opts.Base, p)))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	return d.take(p, one, err)
}

// take adds what was read of a file, or why it was not.
func (d *directory) take(p string, one *Input, err error) error {
	var bad *InputError
	switch {
	case err == nil:
		d.in.add(one)
		d.found++
	case errors.As(err, &bad) && bad.OtherKind && scansource.Supported(p):
		d.other = append(d.other, filepath.ToSlash(p))
	case errors.As(err, &bad) && bad.OtherKind:
		d.passOver(p, bad.Reason)
	default:
		d.note(p, err)
	}

	return nil
}

// result returns what was read, or an error if that is nothing.
func (d *directory) result() (*Input, error) {
	if len(d.other) > 0 {
		d.passOver(d.path, withoutTools(d.other))
	}

	if d.found > 0 && d.sources > 0 {
		d.passOver(d.path, english.Plural(d.sources, "source file was", "source files were")+
			" not read; --source reads them")
	}

	switch {
	case d.found == 0 && len(d.broken) > 0:
		return nil, allBroken(d.path, d.broken)
	case d.found == 0:
		reason, remedy := explainEmpty(d.in.PassedOver, d.all, d.sources)
		return nil, &InputError{Place: Place{File: d.path}, Reason: reason, Remedy: remedy}
	}

	return d.in, nil
}

// withoutTools says which source files define nothing.
func withoutTools(files []string) string {
	const most = 5
	n := len(files)
	what := "1 source file defines"
	if n > 1 {
		what = fmt.Sprintf("%d source files define", n)
	}
	if n > most {
		files = append(files[:most:most], fmt.Sprintf("and %d more", n-most))
	}
	return what + " no tool, prompt or resource in a way that is known: " + strings.Join(files, ", ")
}

// allBroken is the error for a directory of which no file can be read, as of those files
// if they were named.
func allBroken(dir string, broken []error) error {
	const most = 10
	if more := len(broken) - most; more > 0 {
		broken = append(broken[:most:most], fmt.Errorf("%s: %d more files in this directory cannot be read", dir, more))
	}
	return errors.Join(broken...)
}

// explainEmpty says why nothing in a directory can be scanned. all is the number of its
// files, and sources that of its source files that were not asked for.
func explainEmpty(over []PassedOver, all, sources int) (reason, remedy string) {
	over = slices.DeleteFunc(slices.Clone(over), func(p PassedOver) bool { return p.Reason == notSearched })
	reason, remedy = "no JSON file in this directory can be scanned: ", "name another directory, or a file"
	switch {
	case all == 0:
		reason += "it has no files"
	case len(over) == 0:
		reason += "it has none (" + strings.Join(extensions, ", ") + ")"
	default:
		var names []string
		for i, p := range over {
			if i == 3 {
				names = append(names, fmt.Sprintf("%d more", len(over)-i))
				break
			}

			names = append(names, p.Path)
		}

		reason += "none of those in it has tools or declares servers: " + strings.Join(names, ", ")
		remedy = "name a file to see what is wrong with it, or name another directory"
	}

	if sources > 0 {
		remedy += fmt.Sprintf("; --source reads its source files, of which it has %d", sources)
	}

	return reason, remedy
}

// regular reports whether p is a regular file, possibly through a link.
func regular(p string) bool {
	info, err := os.Stat(p)
	return err != nil || info.Mode().IsRegular() // a broken link fails later, with a reason
}

func ownFiles(paths []string) []fs.FileInfo {
	var infos []fs.FileInfo
	for _, p := range paths {
		if info, err := os.Stat(p); p != "" && err == nil {
			infos = append(infos, info)
		}
	}
	return infos
}

func isOwn(own []fs.FileInfo, e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && alreadyRead(own, info)
}
