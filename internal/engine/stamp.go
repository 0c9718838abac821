package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"github.com/touchstone-eval/touchstone/cache"
)

// stampName is the file that lists what was published into a directory, so
// that the next run knows which files are its own to replace or remove.
const stampName = ".touchstone-published.json"

// stamp is that list. Without an Output the files are those of a publication
// that has not ended, or single ones.
type stamp struct {
	Output cache.Digest  `json:"output"`
	Files  []stampedFile `json:"files"`
}

type stampedFile struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime_ns"`
}

func readStamp(dir string) stamp {
	var s stamp
	b, err := os.ReadFile(filepath.Join(dir, stampName))
	if err != nil || json.Unmarshal(b, &s) != nil {
		return stamp{}
	}
	return s
}

func (s stamp) write(dir string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, stampName), append(b, '\n'), 0o644)
}

// lists tells whether touchstone wrote the file at a path of the directory.
func (s stamp) lists(name string) bool {
	return slices.ContainsFunc(s.Files, func(f stampedFile) bool { return f.Path == name })
}

// paths is the set of the files that touchstone wrote.
func (s stamp) paths() map[string]bool {
	own := make(map[string]bool, len(s.Files))
	for _, f := range s.Files {
		own[f.Path] = true
	}
	return own
}

// intact tells that every published file is still as it was written.
func (s stamp) intact(dir string) bool {
	for _, f := range s.Files {
		st, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil || st.Size() != f.Size || st.ModTime().UnixNano() != f.ModTime {
			return false
		}
	}
	return len(s.Files) > 0
}

// refuseForeign finds what somebody else has put where an entry is to go.
func (s stamp) refuseForeign(dir string, entries []cache.TreeEntry) error {
	own := s.paths()
	cleared := map[string]bool{} // directories where a file or link of ours is
	for _, entry := range entries {
		file := filepath.Join(dir, filepath.FromSlash(entry.Path))
		st, err := os.Lstat(file)
		if err != nil || cleared[path.Dir(entry.Path)] || own[entry.Path] && !st.IsDir() {
			cleared[entry.Path] = entry.Mode.IsDir()
			continue
		}
		switch {
		case entry.Mode.IsDir():
			// A link to a directory is as good as one.
			if st, err := os.Stat(file); err != nil || !st.IsDir() {
				return foreign(file)
			}
		case st.IsDir():
			if err := refuseForeignBelow(dir, file, own); err != nil {
				return err
			}
		default:
			if there, err := fileDigest(file); err != nil || there != entry.Digest {
				return foreign(file)
			}
		}
	}
	return nil
}

// refuseForeignBelow does so for a directory where a file is to go.
func refuseForeignBelow(dir, below string, own map[string]bool) error {
	return filepath.WalkDir(below, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if rel, err := filepath.Rel(dir, p); err != nil || !own[filepath.ToSlash(rel)] {
			return foreign(p)
		}
		return nil
	})
}

func foreign(file string) error {
	return fmt.Errorf("%s exists and was not written by touchstone; move it away or publish elsewhere", file)
}

// claim adds the entries to the stamp, where it does not list them all. From
// here on the directory may be half old and half new, and whatever ends the run
// then, the next one has to know all of it for its own.
func (s stamp) claim(dir string, entries []cache.TreeEntry) error {
	own := s.paths()
	claimed := stamp{Files: slices.Clone(s.Files)}
	for _, entry := range entries {
		if !entry.Mode.IsDir() && !own[entry.Path] {
			claimed.Files = append(claimed.Files, stampedFile{Path: entry.Path})
		}
	}
	if len(claimed.Files) == len(s.Files) {
		return nil
	}
	return claimed.write(dir)
}

// clear removes the files that no entry replaces, with the directories that
// are empty then. It goes before the entries are written: a directory may be
// where a file was, and a file where a directory was.
func (s stamp) clear(dir string, entries []cache.TreeEntry) error {
	kept := make(map[string]bool, len(entries))
	for _, entry := range entries {
		if !entry.Mode.IsDir() {
			kept[entry.Path] = true
		}
	}
	for _, f := range s.Files {
		if kept[f.Path] {
			continue
		}
		if err := removeOwn(dir, f.Path); err != nil {
			return err
		}
	}
	for name := range kept {
		if file := filepath.Join(dir, filepath.FromSlash(name)); isDir(file) {
			removeEmpty(file)
		}
	}
	return nil
}

// removeOwn removes a file that touchstone wrote, and the directories above it
// that are empty then.
func removeOwn(dir, name string) error {
	if !filepath.IsLocal(name) {
		return nil // the stamp was tampered with
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Lstat(file); err != nil || isDir(file) {
		return nil // somebody else was faster, or has made something else of it
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for up := filepath.Dir(file); up != filepath.Clean(dir) && os.Remove(up) == nil; {
		up = filepath.Dir(up)
	}
	return nil
}

func isDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

// removeEmpty removes a directory that holds nothing but directories.
func removeEmpty(dir string) {
	var dirs []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, p)
		}
		return nil
	})
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d) // one that is not empty is found out by who writes there
	}
}
