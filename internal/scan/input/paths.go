package input

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/scan/source"
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
	if source.Supported(p) {
		return readSourceFile(ctx, p, cmp.Or(server, serverOf(p)))
	}

	isTOML := strings.EqualFold(filepath.Ext(p), ".toml")
	name := cmp.Or(server, serverOf(p))
	if !isTOML && !isYAML(p) {
		if in := streamFile(p, name); in != nil {
			return in, nil
		}
	}

	text, err := readlimit.File(ctx, p, MaxFile)
	switch {
	case err != nil:
		return nil, pathError(p, err)
	case isTOML:
		return readTOML(p, text)
	case isYAML(p):
		return readYAML(p, text)
	}

	return readWhole(p, name, text)
}

// streamFile reads a regular file in a stream, or returns nil if it has to be read whole. An error of the file is
// found again then.
func streamFile(p, server string) *Input {
	if info, err := os.Stat(p); err != nil || !info.Mode().IsRegular() || info.Size() > MaxFile {
		return nil
	}

	f, err := os.Open(p)
	if err != nil {
		return nil
	}

	defer f.Close()
	return readStream(p, server, readlimit.Reader(f, p, MaxFile))
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
