package toollist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/touchstone-eval/touchstone/internal/readlimit"
	"github.com/touchstone-eval/touchstone/internal/toolsource"
)

// Stdin is the file name of text from standard input.
const Stdin = "<stdin>"

// ReadOptions are the options of ReadPaths.
type ReadOptions struct {
	// Server is the default name of the server of a list. If it is empty, the
	// name is derived from the file.
	Server string
	// Base is a directory, such as that of a lock. A file below it that is given by a
	// relative path names its server by the path from there, whatever the working
	// directory is.
	Base string
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Source also reads the source files of a directory.
	Source bool
	// Own are the files of the scan itself, such as its baseline. They are
	// skipped in a directory.
	Own []string
}

// ReadPaths reads files, directories and "-". It returns one error for all
// paths that cannot be read. In a directory it skips files of other kinds, and
// records broken ones as not scanned if others can be read.
func ReadPaths(ctx context.Context, paths []string, opts ReadOptions) (*Input, error) {
	in := &Input{}
	var problems []error
	seen := map[string]bool{}
	for _, p := range paths {
		if seen[filepath.Clean(p)] {
			continue
		}
		seen[filepath.Clean(p)] = true
		one, err := readPath(ctx, p, opts)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		in.add(one)
		if len(in.Tools) > MaxTools {
			return nil, &InputError{Place: Place{File: p}, Reason: fmt.Sprintf("the files have more than %d tools up to here", MaxTools), Remedy: "scan them one after the other"}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	in.sort()
	return in, nil
}

func readPath(ctx context.Context, p string, opts ReadOptions) (*Input, error) {
	if p == "-" {
		text, err := readlimit.All(ctx, opts.Stdin, Stdin, MaxFile)
		if err != nil {
			return nil, pathError(Stdin, err)
		}
		return Read(Stdin, cmp.Or(opts.Server, "stdin"), text)
	}
	st, err := os.Stat(p)
	if err != nil {
		return nil, pathError(p, err)
	}
	if st.IsDir() {
		return readDir(ctx, p, opts)
	}
	return readFile(ctx, p, cmp.Or(opts.Server, serverBelow(opts.Base, p)))
}

func readFile(ctx context.Context, p, server string) (*Input, error) {
	text, err := readlimit.File(ctx, p, MaxFile)
	if err != nil {
		return nil, pathError(p, err)
	}
	if toolsource.Supported(p) {
		return readSource(p, cmp.Or(server, serverOf(p)), text)
	}
	if strings.EqualFold(filepath.Ext(p), ".toml") {
		return readTOML(p, text)
	}
	return Read(p, cmp.Or(server, serverOf(p)), text)
}

func pathError(p string, err error) error {
	var tooLarge *readlimit.TooLargeError
	if errors.As(err, &tooLarge) {
		return sizeError(p)
	}
	remedy := "check the path and its permissions"
	if errors.Is(err, fs.ErrNotExist) {
		remedy = "check the path"
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return &InputError{Place: Place{File: p}, Reason: err.Error(), Remedy: remedy}
}

// serverOf derives the name of the server from the file of a plain tools/list: its
// path without the extension, or only its name if the path is not below the working
// directory, so that a baseline does not depend on the machine.
func serverOf(p string) string {
	p = strings.TrimSuffix(p, filepath.Ext(p))
	if !filepath.IsLocal(p) {
		return filepath.Base(p)
	}
	return filepath.ToSlash(filepath.Clean(p))
}

// serverBelow derives the name from the path from base, if the file is below it.
func serverBelow(base, p string) string {
	if base == "" || filepath.IsAbs(p) {
		return serverOf(p)
	}
	dir, err := filepath.Abs(base)
	if err != nil {
		return serverOf(p)
	}
	file, err := filepath.Abs(p)
	if err != nil {
		return serverOf(p)
	}
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return serverOf(rel)
	}
	return serverOf(p)
}

// endings are the extensions of files that are read in a directory.
var endings = []string{".json", ".jsonc", ".jsonl", ".ndjson", ".code-workspace"}

// mayBeRead reports whether a file of a directory may be one of those that are read.
func mayBeRead(p string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(p))) || filepath.Base(filepath.Dir(p)) == ".codex" && filepath.Base(p) == "config.toml"
}

// leftOut are directories that contain the work of others, not that of this
// directory.
var leftOut = []string{".git", "node_modules", ".venv"}

const notSearched = "a directory of this name is not searched"

func readDir(ctx context.Context, dir string, opts ReadOptions) (*Input, error) {
	in := &Input{}
	var broken []error
	found, all, sources := 0, 0, 0
	var other []string // most source files define nothing
	passOver := func(p, reason string) {
		in.PassedOver = append(in.PassedOver, PassedOver{Path: filepath.ToSlash(p), Reason: reason})
	}
	note := func(p string, err error) {
		in.Unscanned = append(in.Unscanned, unread(p, err))
		broken = append(broken, err)
	}
	own := ownFiles(opts.Own)
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			if p == dir {
				return pathError(p, err)
			}
			note(p, pathError(p, err))
			return nil
		}
		if !e.IsDir() {
			all++
		}
		isSource := !e.IsDir() && toolsource.Supported(p)
		if isSource && !opts.Source && !toolsource.IsTest(p) {
			sources++
		}
		switch {
		case e.IsDir() && p != dir && slices.Contains(leftOut, e.Name()):
			passOver(p, notSearched)
			return fs.SkipDir
		case e.IsDir() || !mayBeRead(p) && !(opts.Source && isSource):
			return nil
		case isSource && toolsource.IsTest(p):
			passOver(p, "tests are no part of a server")
			return nil
		case !regular(p):
			passOver(p, "it is not a regular file")
			return nil
		case isOwn(own, e):
			passOver(p, "it belongs to this scan")
			return nil
		}
		one, err := readFile(ctx, p, cmp.Or(opts.Server, serverBelow(opts.Base, p)))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var bad *InputError
		switch {
		case err == nil:
			in.add(one)
			found++
			if len(in.Tools) > MaxTools {
				return &InputError{Place: Place{File: p}, Reason: fmt.Sprintf("the files have more than %d tools up to here", MaxTools), Remedy: "scan them one after the other"}
			}
		case errors.As(err, &bad) && bad.OtherKind && toolsource.Supported(p):
			other = append(other, filepath.ToSlash(p))
		case errors.As(err, &bad) && bad.OtherKind:
			passOver(p, bad.Reason)
		default:
			note(p, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(other) > 0 {
		passOver(dir, withoutTools(other))
	}
	if found > 0 && sources > 0 {
		passOver(dir, fmt.Sprintf("%s not read; --source reads them", english.PluralWord(sources, "1 source file was", fmt.Sprintf("%d source files were", sources))))
	}
	switch {
	case found == 0 && len(broken) > 0:
		return nil, allBroken(dir, broken)
	case found == 0:
		reason, remedy := nothingIn(in.PassedOver, all, sources)
		return nil, &InputError{Place: Place{File: dir}, Reason: reason, Remedy: remedy}
	}
	return in, nil
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

// nothingIn says why nothing in a directory can be scanned. all is the number of its
// files, and sources that of its source files that were not asked for.
func nothingIn(over []PassedOver, all, sources int) (reason, remedy string) {
	over = slices.DeleteFunc(slices.Clone(over), func(p PassedOver) bool { return p.Reason == notSearched })
	reason, remedy = "no JSON file in this directory can be scanned: ", "name another directory, or a file"
	switch {
	case all == 0:
		reason += "it has no files"
	case len(over) == 0:
		reason += "it has none (" + strings.Join(endings, ", ") + ")"
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
	return err == nil && sameAsOne(own, info)
}
