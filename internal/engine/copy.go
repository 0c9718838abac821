package engine

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
)

// Copy is an output, and the path to copy it to, relative to a directory and with slashes.
type Copy struct {
	Output cache.RecordOutput
	Path   string
}

// CopyOutputs copies outputs, files and directories, to a directory. Like Publish, it does not
// replace files that it did not write, which one manifest in the directory lists. Of earlier copies
// it removes those below the path of a directory that it copies again.
func (e *Engine) CopyOutputs(copies []Copy, dir string) error {
	if len(copies) == 0 {
		return nil
	}

	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is not a directory; name another one", dir)
	}

	old := readManifest(dir)
	var entries []cache.TreeEntry
	contents := map[string]content{}
	for _, c := range copies {
		if !c.Output.Dir {
			entries = append(entries,
				cache.TreeEntry{Path: c.Path, Mode: c.Output.Mode, Size: c.Output.Size, Digest: c.Output.Digest})
			contents[c.Path] = func(w io.Writer) error { return e.Store.Copy(c.Output.Digest, w) }
			continue
		}

		tree, err := e.Store.Tree(c.Output.Digest)
		if err != nil {
			return err
		}

		entries = append(entries, cache.TreeEntry{Path: c.Path, Mode: fs.ModeDir | 0o755})
		for _, entry := range tree {
			below := entry
			below.Path = path.Join(c.Path, entry.Path)
			entries = append(entries, below)
			contents[below.Path] = func(w io.Writer) error {
				return e.Store.CopyMember(c.Output.Digest, tree, entry.Digest, w)
			}
		}
	}

	entries = withParents(entries)
	stale := func(name string) bool { return replaces(name, copies, entries) }
	if err := old.prepareFor(dir, entries, stale); err != nil {
		return err
	}

	next := publishManifest{Files: slices.DeleteFunc(slices.Clone(old.Files),
		func(f manifestFile) bool { return contents[f.Path] != nil || stale(f.Path) })}
	for _, entry := range entries {
		written, err := writeEntry(dir, entry, nil, contents[entry.Path])
		if err != nil {
			return err
		}

		next.Files = append(next.Files, written...)
	}

	return next.write(dir)
}

// replaces reports whether a file of an earlier copy must go: it is below a directory that is
// copied again, or where a directory is to be, or below what is to be a file.
func replaces(name string, copies []Copy, entries []cache.TreeEntry) bool {
	return slices.ContainsFunc(copies, func(c Copy) bool { return strings.HasPrefix(name, c.Path+"/") }) ||
		slices.ContainsFunc(entries, func(e cache.TreeEntry) bool { return e.Mode.IsDir() && e.Path == name })
}

// withParents adds the directories that hold the entries, before them.
func withParents(entries []cache.TreeEntry) []cache.TreeEntry {
	var all []cache.TreeEntry
	known := map[string]bool{".": true}
	var add func(dir string)
	add = func(dir string) {
		if !known[dir] {
			known[dir] = true
			add(path.Dir(dir))
			all = append(all, cache.TreeEntry{Path: dir, Mode: fs.ModeDir | 0o755})
		}
	}
	for _, entry := range entries {
		add(path.Dir(entry.Path))
		if !known[entry.Path] {
			known[entry.Path] = true
			all = append(all, entry)
		}
	}

	return all
}
