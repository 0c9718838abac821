package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxFileFunction is the size in bytes of the largest file that the function file reads: its
// content becomes a value in memory, and likely an argument of a command.
const maxFileFunction = 4 << 20

// fileFunctions returns the functions that read files, relative to the pipeline's directory.
func (l *loader) fileFunctions() []funcDoc {
	param := []function.Parameter{{Name: "path", Type: cty.String}}
	return []funcDoc{
		{"file", "file(path)", "The text of a file, which must be UTF-8 and at most 4 MiB.",
			function.New(&function.Spec{
				Params: param,
				Type:   function.StaticReturnType(cty.String),
				Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
					s, err := l.fileText(args[0].AsString())
					return cty.StringVal(s), err
				},
			})},
		{"fileexists", "fileexists(path)", "Whether a file exists at the path.", function.New(&function.Spec{
			Params: param,
			Type:   function.StaticReturnType(cty.Bool),
			Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
				_, fi, err := l.findRecorded(args[0].AsString())
				return cty.BoolVal(err == nil && fi.Mode().IsRegular()), nil
			},
		})},
		{"filesha256", "filesha256(path)", "The SHA-256 of a file's bytes, in hexadecimal.",
			function.New(&function.Spec{
				Params: param,
				Type:   function.StaticReturnType(cty.String),
				Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
					s, err := l.fileDigest(args[0].AsString())
					return cty.StringVal(s), err
				},
			})},
		{"fileset", "fileset(path, pattern, exclude, ...)",
			"The files in a directory and its subdirectories that match a pattern such as \"**/*.json\" and none " +
				"of the patterns to exclude, as paths relative to the directory.",
			function.New(&function.Spec{
				Params:   []function.Parameter{{Name: "path", Type: cty.String}, {Name: "pattern", Type: cty.String}},
				VarParam: &function.Parameter{Name: "exclude", Type: cty.String},
				Type:     function.StaticReturnType(cty.Set(cty.String)),
				Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
					return l.fileSet(args)
				},
			})},
	}
}

// findRecorded is find for functions. It also records missing files, which may appear later.
func (l *loader) findRecorded(label string) (string, fs.FileInfo, error) {
	path, fi, err := l.sources.find(label)
	switch {
	case err == nil:
		l.consulted[path] = true
	case label != "":
		l.consulted[l.sources.absolute(label)] = true
	}
	return path, fi, err
}

// openFile opens a regular file for a function.
func (l *loader) openFile(label string) (io.ReadCloser, error) {
	path, fi, err := l.findRecorded(label)
	if err != nil {
		return nil, err
	}

	if !fi.Mode().IsRegular() {
		kind := "a directory"
		if !fi.IsDir() {
			kind = fileKind(fi.Mode())
		}

		return nil, fmt.Errorf("%q is %s, not a file", label, kind)
	}

	f, err := l.disk.Open(path)
	if err != nil {
		return nil, errors.New(pathError(label, err))
	}

	return f, nil
}

func (l *loader) fileText(label string) (string, error) {
	f, err := l.openFile(label)
	if err != nil {
		return "", err
	}

	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFileFunction+1))
	switch {
	case err != nil:
		return "", errors.New(pathError(label, err))
	case len(src) > maxFileFunction:
		return "", fmt.Errorf("%q is larger than %d MiB; declare it as an input instead of reading it into the "+
			"pipeline", label, maxFileFunction>>20)
	case !utf8.Valid(src):
		at := position(src, invalidUTF8(src))
		return "", fmt.Errorf("%q is not UTF-8 text (line %d, column %d); declare it as an input instead of reading "+
			"it into the pipeline", label, at.Line, at.Column)
	}

	return string(src), nil
}

func (l *loader) fileDigest(label string) (string, error) {
	f, err := l.openFile(label)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", errors.New(pathError(label, err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// fileSet is the function fileset. Its arguments are a directory, a pattern, and the patterns to exclude.
func (l *loader) fileSet(args []cty.Value) (cty.Value, error) {
	label, patterns := args[0].AsString(), make([]string, 0, len(args)-1)
	for i, arg := range args[1:] {
		pattern := arg.AsString()
		if !doublestar.ValidatePattern(pattern) {
			return cty.NilVal, function.NewArgErrorf(1+i,
				"the pattern %q is malformed; brackets and braces must be closed", pattern)
		}

		patterns = append(patterns, pattern)
	}

	dir, fi, err := l.findRecorded(label)
	if err != nil {
		return cty.NilVal, err
	}

	if !fi.IsDir() {
		return cty.NilVal, function.NewArgErrorf(0, "%q is not a directory", label)
	}

	files, problems := l.sources.tree(label, dir, filter{include: patterns[:1], exclude: patterns[1:]})
	if len(problems) > 0 {
		return cty.NilVal, errors.New(strings.Join(problems, "; "))
	}

	vals := make([]cty.Value, 0, len(files))
	for _, f := range files {
		l.consulted[filepath.Dir(f.Source)] = true // a file may be added there
		val := cty.StringVal(f.Path)
		// cty normalises text, which may change the name of the file.
		if !utf8.ValidString(f.Path) || val.AsString() != f.Path {
			return cty.NilVal, fmt.Errorf("%q cannot be named in a pipeline: its name is not UTF-8 text in the "+
				"normal form NFC; rename the file, or give the whole directory as an input", f.Label)
		}

		vals = append(vals, val)
	}

	if len(vals) == 0 {
		return cty.SetValEmpty(cty.String), nil
	}

	return cty.SetVal(vals), nil
}
