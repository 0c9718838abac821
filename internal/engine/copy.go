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

	var entries []cache.TreeEntry
	whole := make(map[string]cache.RecordOutput, len(copies)) // by path
	for _, c := range copies {
		whole[c.Path] = c.Output
		if !c.Output.Dir {
			entries = append(entries,
				cache.TreeEntry{Path: c.Path, Mode: c.Output.Mode, Size: c.Output.Size, Digest: c.Output.Digest})
			continue
		}

		tree, err := e.Store.Tree(c.Output.Digest)
		if err != nil {
			return err
		}

		entries = append(entries, cache.TreeEntry{Path: c.Path, Mode: fs.ModeDir | 0o755})
		for i := range tree {
			tree[i].Path = path.Join(c.Path, tree[i].Path)
		}

		entries = append(entries, tree...)
	}

	entries = withParents(entries)
	dirs := map[string]bool{}
	for i := range entries {
		if entries[i].Mode.IsDir() {
			dirs[entries[i].Path] = true
		}
	}

	old := readManifest(dir)
	stale := func(name string) bool { return replaces(name, whole, dirs) }
	if err := old.prepareFor(dir, entries, stale); err != nil {
		return err
	}

	written := make(map[string]bool, len(entries))
	for i := range entries {
		written[entries[i].Path] = true
	}

	next := publishManifest{Files: slices.DeleteFunc(old.Files,
		func(f manifestFile) bool { return written[f.Path] || stale(f.Path) })}
	for _, entry := range entries {
		var err error
		next.Files, err = writeEntry(next.Files, dir, entry, nil, func(w io.Writer) error {
			if out := outputOf(entry.Path, whole); out.Dir {
				return e.Store.CopyMember(out.Digest, entry.Digest, w)
			}
			return e.Store.Copy(entry.Digest, w)
		})
		if err != nil {
			return err
		}
	}

	return next.write(dir)
}

// outputOf returns the output that is copied to a path, or to a directory that holds it.
func outputOf(name string, whole map[string]cache.RecordOutput) cache.RecordOutput {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		if out, ok := whole[name[:end]]; ok {
			return out
		}
	}
	return cache.RecordOutput{}
}

// replaces reports whether a file of an earlier copy must go: it is where a directory is to be, or below a directory
// that is copied again, or below what is to be a file.
func replaces(name string, whole map[string]cache.RecordOutput, dirs map[string]bool) bool {
	if dirs[name] {
		return true
	}
	for end := strings.LastIndexByte(name, '/'); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		if _, ok := whole[name[:end]]; ok {
			return true
		}
	}
	return false
}

// withParents adds the directories that hold the entries, before them.
func withParents(entries []cache.TreeEntry) []cache.TreeEntry {
	all := make([]cache.TreeEntry, 0, len(entries))
	known := make(map[string]bool, len(entries))
	known["."] = true
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
