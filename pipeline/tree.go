package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// maxMembers limits the number of files of one input: a larger tree is a mistake, such as "/" or a
// package manager's cache.
const maxMembers = 200_000

// maxTreeProblems limits the number of problems reported for one tree.
const maxTreeProblems = 5

// sources finds the files that inputs name.
type sources struct {
	disk disk
	root string // the pipeline's directory, absolute
	real string // the same without symbolic links
	dirs map[string]resolved
	// included reports whether the pipeline has included files, whose authors may take another directory for the
	// base of paths.
	included bool
}

type resolved struct {
	path string
	err  error
}

// absolute returns the absolute path of a path of the pipeline.
func (s *sources) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(s.root, path)
}

// missedPath is the error for a path that leads to nothing. Its text has the path as it is written.
type missedPath struct {
	text string
	err  error
}

func (e *missedPath) Error() string { return e.text }
func (e *missedPath) Unwrap() error { return e.err }

// find looks up a path and follows symbolic links. A path inside the pipeline's directory must not lead
// outside. A path that is written as outside may be anywhere.
func (s *sources) find(label string) (string, fs.FileInfo, error) {
	if label == "" {
		return "", nil, fmt.Errorf("the path is empty")
	}

	if strings.ContainsRune(label, 0) {
		return "", nil, fmt.Errorf("the path %q contains a NUL byte", label)
	}

	abs := s.absolute(label)
	dir, base := filepath.Split(abs)
	dir = filepath.Clean(dir)
	real, err := s.resolveDir(dir)
	if err != nil {
		return "", nil, &missedPath{pathError(label, err) + s.pathRemedy(label, err), err}
	}

	switch {
	case real == dir:
		real = abs // no symbolic link on the way
	case real != string(filepath.Separator) || base != "":
		real = filepath.Join(real, base)
	}

	fi, err := s.disk.Lstat(real)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		if real, err = s.disk.Resolve(real); err == nil {
			fi, err = s.disk.Lstat(real)
		}
	}

	if err != nil {
		return "", nil, &missedPath{pathError(label, err) + s.pathRemedy(label, err), err}
	}

	if within(abs, s.root) && !within(real, s.real) {
		return "", nil, fmt.Errorf("%q goes through a symbolic link that leads out of the pipeline's directory, to "+
			"%q; if this is intended, use that path instead", label, real)
	}

	return real, fi, nil
}

// otherForm returns the name of a file or directory that differs from what a path names only in its Unicode
// normalization, or "". The language has text in the form NFC, and archives from macOS hold names in the form NFD.
func (s *sources) otherForm(path string) string {
	dir, base := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return ""
	}

	entries, err := s.disk.ReadDir(dir)
	if err != nil {
		return s.otherForm(dir)
	}

	for _, e := range entries {
		if name := e.Name(); name != base && norm.NFC.String(name) == norm.NFC.String(base) {
			return name
		}
	}
	return ""
}

// pathRemedy returns a remedy for a path that does not exist: such a path is often written relative
// to the current directory.
func (s *sources) pathRemedy(label string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}

	if name := s.otherForm(s.absolute(label)); name != "" {
		return fmt.Sprintf("; %+q exists, which is the same name in another Unicode normalization, and a pipeline "+
			"names files in the normal form NFC: rename it, or give the whole directory as an input", name)
	}

	remedy := "; correct the path, or the variable that contains it"
	if filepath.IsAbs(label) {
		return remedy
	}

	remedy += ": paths are relative to the directory of the pipeline file"
	if s.included {
		remedy += fmt.Sprintf(", %s, also in included files; there, \"${path.module}/%s\" is next to the file", s.root,
			filepath.ToSlash(label))
	}

	return remedy
}

func (s *sources) resolveDir(dir string) (string, error) {
	if dir == s.root {
		return s.real, nil
	}
	r, ok := s.dirs[dir]
	if !ok {
		r.path, r.err = s.disk.Resolve(dir)
		s.dirs[dir] = r
	}
	return r.path, r.err
}

// readable reports why a file cannot be read. The mode is sufficient for nearly all files; otherwise the
// file is opened.
func (s *sources) readable(label, path string, fi fs.FileInfo) error {
	if fi.Mode()&0o444 == 0o444 {
		return nil
	}
	f, err := s.disk.Open(path)
	if err != nil {
		return fmt.Errorf("%s", pathError(label, err))
	}
	return f.Close()
}

// filter selects members of a tree by globs on their relative paths.
type filter struct{ include, exclude []string }

// takes reports whether a file belongs to the tree.
func (f *filter) takes(rel string) bool {
	return (len(f.include) == 0 || matchAny(f.include, rel)) && !matchAny(f.exclude, rel)
}

// enters reports whether a directory may contain files that belong to the tree. An excluded directory is
// excluded with everything in it.
func (f *filter) enters(rel string) bool {
	if matchAny(f.exclude, rel) {
		return false
	}

	if len(f.include) == 0 {
		return true
	}

	for _, pattern := range f.include {
		base, _ := doublestar.SplitPattern(pattern)
		if base == "." || base == rel || strings.HasPrefix(base, rel+"/") || strings.HasPrefix(rel, base+"/") {
			return true
		}
	}

	return false
}

func matchAny(patterns []string, rel string) bool {
	for _, p := range patterns {
		if doublestar.MatchUnvalidated(p, rel) {
			return true
		}
	}
	return false
}

// treeWalk collects the files in a directory and its subdirectories.
type treeWalk struct {
	*sources
	filter   filter
	top      string // the directory, without symbolic links
	label    string
	files    []SourceFile
	problems []string
	open     []string // the parent directories, to detect loops of symbolic links
}

// tree lists the files in a directory and its subdirectories, sorted by path. The second result is a list
// of problems.
func (s *sources) tree(label, dir string, f filter) ([]SourceFile, []string) {
	w := &treeWalk{sources: s, filter: f, top: dir, label: strings.TrimSuffix(filepath.ToSlash(label), "/")}
	w.dir(dir, "")
	if len(w.files) > maxMembers {
		w.problems = append(w.problems,
			fmt.Sprintf("%q contains more than %d files; select some of them with include and exclude", label,
				maxMembers))
	}

	if len(w.problems) > maxTreeProblems {
		w.problems = append(w.problems[:maxTreeProblems],
			fmt.Sprintf("and %d more like these", len(w.problems)-maxTreeProblems))
	}

	// A linked directory is listed at the place of the link, so sort by path.
	slices.SortFunc(w.files, func(a, b SourceFile) int { return strings.Compare(a.Path, b.Path) })
	return w.files, w.problems
}

func (w *treeWalk) dir(dir, rel string) {
	if slices.Contains(w.open, dir) {
		w.problemf("the symbolic link %q leads to a directory that contains it, so the tree would be infinite; "+
			"remove or exclude the link", w.name(rel))
		return
	}

	entries, err := w.disk.ReadDir(dir)
	if err != nil {
		w.problemf("%s", pathError(w.name(rel), err))
		return
	}

	w.open = append(w.open, dir)
	for _, e := range entries {
		if len(w.files) > maxMembers {
			break
		}

		sub := e.Name()
		if rel != "" {
			sub = rel + "/" + sub
		}

		w.entry(filepath.Join(dir, e.Name()), sub, e.Type())
	}

	w.open = w.open[:len(w.open)-1]
}

func (w *treeWalk) entry(path, rel string, mode fs.FileMode) {
	switch {
	case mode.IsDir():
		if w.filter.enters(rel) {
			w.dir(path, rel)
		}

		return
	case mode&fs.ModeSymlink != 0:
		target, err := w.disk.Resolve(path)
		var fi fs.FileInfo
		if err == nil {
			fi, err = w.disk.Lstat(target)
		}

		switch {
		case !w.filter.takes(rel) && (err != nil || !fi.IsDir() || !w.filter.enters(rel)):
			return
		case err != nil:
			w.problemf("the symbolic link %s; remove or exclude it", pathError(w.name(rel), err))
			return
		case !within(target, w.top):
			w.problemf("the symbolic link %q leads out of the tree, to %q; exclude it, or replace it with its target",
				w.name(rel), target)
			return
		}

		if path, mode = target, fi.Mode(); mode.IsDir() {
			if w.filter.enters(rel) {
				w.dir(path, rel)
			}

			return
		}
	}

	switch {
	case !w.filter.takes(rel):
	case mode.IsRegular():
		label := tail(path, w.name(rel))
		w.files = append(w.files, SourceFile{Path: tail(label, rel), Source: path, Label: label})
	default:
		w.problemf("%q is %s; a tree may only contain files, directories and links between them", w.name(rel),
			fileKind(mode))
	}
}

// tail returns end, as a part of whole if whole ends so: a tree may have a hundred thousand files, and the names of
// each then share their memory.
func tail(whole, end string) string {
	if strings.HasSuffix(whole, end) {
		return whole[len(whole)-len(end):]
	}
	return end
}

// name returns the name of a member for messages.
func (w *treeWalk) name(rel string) string {
	switch {
	case rel == "":
		return w.label
	case w.label == "." || w.label == "":
		return rel
	}
	return w.label + "/" + rel
}

func (w *treeWalk) problemf(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}
