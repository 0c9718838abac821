package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// manifestName is the name of the file that lists the files published to a directory, so
// that the next run replaces and removes no other files.
const manifestName = ".touchstone-published.json"

// publishManifest is that list. If Output is empty, the files are single files, or those of a
// publication that was not completed.
type publishManifest struct {
	Output cache.Digest `json:"output"`
	// Mark is that of the Publication.
	Mark  string         `json:"mark,omitempty"`
	Files []manifestFile `json:"files"`
}

// manifestFile is a published file. Path has the bytes of its name.
type manifestFile struct {
	Path    string
	Size    int64
	ModTime int64
}

// manifestFileJSON is its form in JSON, which holds text only. Of a path that is not UTF-8 it has the bytes too, in
// base 64.
type manifestFileJSON struct {
	Path    string `json:"path"`
	Bytes   []byte `json:"path_bytes,omitempty"`
	Size    int64  `json:"size"`
	ModTime int64  `json:"mtime_ns"`
}

func (f manifestFile) MarshalJSON() ([]byte, error) {
	j := manifestFileJSON{Path: f.Path, Size: f.Size, ModTime: f.ModTime}
	if !utf8.ValidString(f.Path) {
		j.Path, j.Bytes = safetext.Bytes(f.Path), []byte(f.Path)
	}
	return json.Marshal(j)
}

func (f *manifestFile) UnmarshalJSON(b []byte) error {
	var j manifestFileJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*f = manifestFile{j.Path, j.Size, j.ModTime}
	if len(j.Bytes) > 0 {
		f.Path = string(j.Bytes)
	}
	return nil
}

func readManifest(dir string) publishManifest {
	f, err := cache.OpenRegular(filepath.Join(dir, manifestName))
	if err != nil {
		return publishManifest{}
	}
	defer f.Close()
	s, err := decodeManifest(f)
	if err != nil {
		return publishManifest{}
	}
	return s
}

// decodeManifest reads one file of the list after the other: the text of a hundred thousand takes much memory.
func decodeManifest(r io.Reader) (s publishManifest, err error) {
	d := json.NewDecoder(r)
	if err := expect(d, '{'); err != nil {
		return s, err
	}

	for d.More() {
		name, err := d.Token()
		if err != nil {
			return s, err
		}

		switch name {
		case "output":
			err = d.Decode(&s.Output)
		case "mark":
			err = d.Decode(&s.Mark)
		case "files":
			s.Files, err = decodeFiles(d)
		default:
			err = d.Decode(new(json.RawMessage))
		}

		if err != nil {
			return s, err
		}
	}

	if err := expect(d, '}'); err != nil {
		return s, err
	}

	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return s, errors.New("more follows the list")
	}

	return s, nil
}

func decodeFiles(d *json.Decoder) ([]manifestFile, error) {
	switch begin, err := d.Token(); {
	case err != nil || begin == nil: // null
		return nil, err
	case begin != json.Delim('['):
		return nil, fmt.Errorf("%v is not a list", begin)
	}

	var files []manifestFile
	for d.More() {
		var f manifestFile
		if err := d.Decode(&f); err != nil {
			return nil, err
		}

		files = append(files, f)
	}

	return files, expect(d, ']')
}

// expect reads a delimiter.
func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v is not %v", got, want)
	}
	return err
}

func (s publishManifest) write(dir string) error {
	f, err := atomicfile.Create(filepath.Join(dir, manifestName), 0o644)
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if err := s.encode(f); err != nil {
		return err
	}
	return f.Commit()
}

// encode is the inverse of decodeManifest.
func (s publishManifest) encode(w io.Writer) error {
	buffered := bufio.NewWriter(w) // its Flush returns the error of every Write
	head, err := json.Marshal(publishManifest{Output: s.Output, Mark: s.Mark, Files: []manifestFile{}})
	if err != nil {
		return err
	}

	end := []byte("]}")
	_, _ = buffered.Write(bytes.TrimSuffix(head, end))
	for i, file := range s.Files {
		b, err := json.Marshal(file)
		if err != nil {
			return err
		}

		if i > 0 {
			_ = buffered.WriteByte(',')
		}
		_, _ = buffered.Write(b)
	}

	_, _ = buffered.Write(append(end, '\n'))
	return buffered.Flush()
}

// lists reports whether touchstone wrote the file at a path in the directory.
func (s publishManifest) lists(name string) bool {
	return slices.ContainsFunc(s.Files, func(f manifestFile) bool { return f.Path == name })
}

// paths returns the set of files that touchstone wrote.
func (s publishManifest) paths() map[string]bool {
	own := make(map[string]bool, len(s.Files))
	for _, f := range s.Files {
		own[f.Path] = true
	}
	return own
}

// intact reports whether every published file is unchanged.
func (s publishManifest) intact(dir string) bool {
	for _, f := range s.Files {
		st, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil || st.Size() != f.Size || st.ModTime().UnixNano() != f.ModTime {
			return false
		}
	}
	return len(s.Files) > 0
}

// refuseForeign returns an error if a file that touchstone did not write exists at the
// path of an entry.
func (s publishManifest) refuseForeign(dir string, entries []cache.TreeEntry) error {
	own := s.paths()
	cleared := map[string]bool{} // new directories at the path of a published file or link
	for _, entry := range entries {
		file := filepath.Join(dir, filepath.FromSlash(entry.Path))
		st, err := os.Lstat(file)
		if err != nil || cleared[path.Dir(entry.Path)] || own[entry.Path] && !st.IsDir() {
			cleared[entry.Path] = entry.Mode.IsDir()
			continue
		}

		switch {
		case entry.Mode.IsDir():
			// A link to a directory is accepted as a directory.
			if st, err := os.Stat(file); err != nil || !st.IsDir() {
				return foreign(file)
			}
		case st.IsDir():
			if err := refuseForeignBelow(dir, file, own); err != nil {
				return err
			}
		default:
			if there, err := FileDigest(file); err != nil || there != entry.Digest {
				return foreign(file)
			}
		}
	}

	return nil
}

// refuseForeignBelow does the same for a directory at the path of a new file.
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
	return fmt.Errorf("%s exists and was not written by touchstone; move it away or publish to another path", file)
}

// prepare makes a directory ready for new entries: it refuses files of users, claims the
// entries, and removes what they do not replace.
func (s publishManifest) prepare(dir string, entries []cache.TreeEntry) error {
	return s.prepareFor(dir, entries, func(string) bool { return true })
}

// prepareFor is prepare, but only removes files for which stale returns true.
func (s publishManifest) prepareFor(dir string, entries []cache.TreeEntry, stale func(name string) bool) error {
	if err := s.refuseForeign(dir, entries); err != nil {
		return err
	}

	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	removeTemporary(dir)
	if err := s.claim(dir, entries); err != nil {
		return err
	}

	replaced := publishManifest{Files: slices.DeleteFunc(slices.Clone(s.Files),
		func(f manifestFile) bool { return !stale(f.Path) })}
	return replaced.clear(dir, entries)
}

// claim adds the entries to the manifest, unless it lists all of them. Afterwards the
// directory may contain both old and new files, and if the run is killed, the next run
// must recognize all of them.
func (s publishManifest) claim(dir string, entries []cache.TreeEntry) error {
	own := s.paths()
	claimed := publishManifest{Files: slices.Clone(s.Files)}
	for _, entry := range entries {
		if !entry.Mode.IsDir() && !own[entry.Path] {
			claimed.Files = append(claimed.Files, manifestFile{Path: entry.Path})
		}
	}
	if len(claimed.Files) == len(s.Files) {
		return nil
	}
	return claimed.write(dir)
}

// clear removes the files that no entry replaces, and the directories that become empty.
// It runs before the entries are written, because a directory may replace a file and a
// file may replace a directory.
func (s publishManifest) clear(dir string, entries []cache.TreeEntry) error {
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

// removeOwn removes a file that touchstone wrote, and its parent directories that become
// empty.
func removeOwn(dir, name string) error {
	if !filepath.IsLocal(name) {
		return nil // the manifest was manipulated
	}

	file := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Lstat(file); err != nil || isDir(file) {
		return nil // it was already removed or replaced
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

// removeEmpty removes a directory that only contains directories.
func removeEmpty(dir string) {
	var dirs []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, p)
		}
		return nil
	})
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d) // if it is not empty, writing to the path reports the error
	}
}
