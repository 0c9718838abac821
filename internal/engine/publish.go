package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Rewrite returns a function that changes the content of a published file, which is then held in memory, or nil for a
// file that is published as it is. path is relative to the published path, if that is a directory.
type Rewrite func(p pipeline.Publish, path string) func(content []byte) ([]byte, error)

// rewriteFile is Rewrite for the files of one published path. It may be nil.
type rewriteFile func(path string) func(content []byte) ([]byte, error)

// content writes the content of a file.
type content func(w io.Writer) error

// Publication holds the options of Publish.
type Publication struct {
	// Fresh writes all files. Otherwise paths that contain the same output with the same mark
	// are skipped.
	Fresh   bool
	Rewrite Rewrite // may be nil
	// Mark stands for what Rewrite adds to an output, as far as it matters.
	Mark string
}

// Publish copies the plan's published outputs to the source tree. It never changes files that
// it did not write, and returns an error if such a file exists at a published path.
func (e *Engine) Publish(ctx context.Context, plan *pipeline.Plan, outcomes []*Outcome, o Publication) error {
	if len(plan.Publish) == 0 {
		return nil
	}

	unlock, err := lockTree(ctx, e.Store, plan.Root)
	if err != nil {
		return err
	}

	defer unlock()
	for _, p := range plan.Publish {
		out, ok := outcomes[p.From.Instance].Output(p.From.Output)
		if !ok {
			continue
		}

		target := filepath.Join(plan.Root, filepath.FromSlash(p.Path))
		how := publishing{fresh: o.Fresh, mark: o.Mark}
		if o.Rewrite != nil {
			how.rewrite = func(path string) func([]byte) ([]byte, error) { return o.Rewrite(p, path) }
		}

		if err := e.publish(out, target, how); err != nil {
			return fmt.Errorf("publishing %s: %w%s", p.Path, err, publishRemedy(err))
		}
	}

	return nil
}

// publishRemedy returns the remedy for a tree that is not writable, or "" for an error
// that already contains a remedy.
func publishRemedy(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "; make it writable for this user; the results are cached"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; free space there; the results are cached"
	}
	return ""
}

// publishing is a Publication of one output.
type publishing struct {
	fresh   bool
	rewrite rewriteFile
	mark    string
}

func (e *Engine) publish(out cache.RecordOutput, target string, how publishing) error {
	if !out.Dir {
		return e.publishFile(out, target, how.rewrite)
	}

	old := readManifest(target)
	if !how.fresh && old.Output == out.Digest && old.Mark == how.mark && old.intact(target) {
		return nil
	}

	if st, err := os.Stat(target); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is not a directory; move it away or publish to another path", target)
	}

	entries, err := e.Store.Tree(out.Digest)
	if err != nil {
		return err
	}

	if err := old.prepare(target, entries); err != nil {
		return err
	}

	next := publishManifest{Output: out.Digest, Mark: how.mark, Files: make([]manifestFile, 0, len(entries))}
	for _, entry := range entries {
		next.Files, err = writeEntry(next.Files, target, entry, how.rewrite,
			func(w io.Writer) error { return e.Store.CopyMember(out.Digest, entry.Digest, w) })
		if err != nil {
			return err
		}
	}

	return next.write(target)
}

// writeEntry writes an entry to a directory, and appends what its manifest lists for it.
func writeEntry(listed []manifestFile, dir string, entry cache.TreeEntry, rewrite rewriteFile,
	copy content) ([]manifestFile, error) {
	file := filepath.Join(dir, filepath.FromSlash(entry.Path))
	switch {
	case entry.Mode.IsDir():
		return listed, os.MkdirAll(file, 0o755)
	case entry.Symlink != "":
		if err := atomicfile.Symlink(entry.Symlink, file); err != nil {
			return nil, err
		}
	default:
		if err := writePublished(copy, dir, entry.Path, execBit(entry.Mode), rewrite); err != nil {
			return nil, err
		}
	}

	st, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}

	return append(listed, manifestFile{entry.Path, st.Size(), st.ModTime().UnixNano()}), nil
}

// publishFile writes a single file. It replaces an existing file only if the manifest of the
// directory lists it.
func (e *Engine) publishFile(out cache.RecordOutput, target string, rewrite rewriteFile) error {
	if st, err := os.Lstat(target); err == nil && st.IsDir() {
		return fmt.Errorf("%s is a directory; move it away or publish to another path", target)
	}

	dir, name := filepath.Dir(target), filepath.Base(target)
	own := readManifest(dir)
	there, err := FileDigest(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case there == out.Digest && own.lists(name):
		return nil
	case there != out.Digest && !own.lists(name):
		return foreign(target)
	}

	if !own.lists(name) {
		// Write the manifest before the file: if the run is killed in between,
		// the next run must not treat the file as that of a user.
		own.Files = append(own.Files, manifestFile{Path: name})
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}

		if err := own.write(dir); err != nil {
			return err
		}
	}

	removeTemporary(dir)
	write := func(w io.Writer) error { return e.Store.Copy(out.Digest, w) }
	return writePublished(write, dir, name, execBit(out.Mode), rewrite)
}

// FileDigest returns the digest of a file in the source tree. It follows links.
func FileDigest(file string) (cache.Digest, error) {
	f, err := cache.OpenRegular(file)
	if err != nil {
		return cache.Digest{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return cache.Digest{}, err
	}
	return cache.Digest(h.Sum(nil)), nil
}

// writePublished writes the file at a path of a directory.
func writePublished(copy content, dir, path string, mode fs.FileMode, rewrite rewriteFile) error {
	if rewrite != nil {
		if change := rewrite(path); change != nil {
			copy = changed(copy, path, change)
		}
	}

	file := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, tempPrefix+rand.Text()), file, copy, mode)
}

// changed returns the changed content of the file at a path.
func changed(copy content, path string, change func([]byte) ([]byte, error)) content {
	return func(w io.Writer) error {
		var b bytes.Buffer
		if err := copy(&b); err != nil {
			return err
		}

		next, err := change(b.Bytes())
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		_, err = w.Write(next)
		return err
	}
}

// tempPrefix is the prefix of the names of temporary files.
const tempPrefix = ".touchstone-new-"

// removeTemporary removes the temporary files of runs that were killed.
func removeTemporary(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// replaceFile replaces a file, completely or not at all, without holding it in memory. It does not sync the file to
// disk, which would take milliseconds for each of possibly thousands of files. A file
// that is damaged by a power failure does not match the manifest and is written again. The
// manifest itself is synced.
func replaceFile(tmp, file string, copy content, mode fs.FileMode) error {
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}

	err = copy(f)
	if closed := f.Close(); err == nil {
		err = closed
	}

	if err == nil {
		err = os.Rename(tmp, file)
	}

	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}
