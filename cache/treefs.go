package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PutTree stores a directory with all its content. It returns the digest of the
// manifest and the entries of the manifest, sorted by path. It refuses symbolic
// links that are absolute or lead out of dir, and members that are neither
// files, directories nor links.
func (s *Store) PutTree(dir string) (Digest, []TreeEntry, error) {
	st, err := os.Lstat(dir)
	if err != nil {
		return Digest{}, nil, fmt.Errorf("store %s: %w; make sure that the directory exists and is readable", dir, err)
	}

	if !st.IsDir() {
		return Digest{}, nil, fmt.Errorf("store %s: it is %s, not a directory; write a directory there", dir,
			kindOf(st.Mode()))
	}

	entries := []TreeEntry{}
	err = filepath.WalkDir(dir, func(p string, de fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("store %s: %w; make sure that all of it is readable", p, err)
		}

		if p == dir {
			return nil
		}

		e, err := s.putEntry(dir, p, de)
		if err != nil {
			return err
		}

		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return Digest{}, nil, err
	}

	slices.SortFunc(entries, func(a, b TreeEntry) int { return strings.Compare(a.Path, b.Path) })
	if err := checkTree(entries); err != nil {
		return Digest{}, nil, fmt.Errorf("store %s: %w", dir, err)
	}

	manifest := encodeTree(entries)
	if len(manifest) > maxManifest {
		return Digest{}, nil, fmt.Errorf("store %s: the list of its files has %d MiB, more than the limit of %d; "+
			"pack the files into one, or into several directories", dir, len(manifest)>>20, maxManifest>>20)
	}

	d, err := s.PutBytes(manifest)
	if err != nil {
		return Digest{}, nil, err
	}

	return d, entries, nil
}

func (s *Store) putEntry(dir, p string, de fs.DirEntry) (TreeEntry, error) {
	rel, err := filepath.Rel(dir, p)
	if err != nil {
		return TreeEntry{}, err
	}

	e := TreeEntry{Path: strings.Clone(filepath.ToSlash(rel))} // rel may be a part of p
	st, err := de.Info()
	if err != nil {
		return e, fmt.Errorf("store %s: %w; make sure that nothing writes there after its stage has ended", p, err)
	}

	e.Mode = kindMode(entryKind(st.Mode()))
	switch m := st.Mode(); {
	case m.IsDir():
	case m.IsRegular():
		e.Digest, e.Size, err = s.PutFile(p)
	case m&fs.ModeSymlink != 0:
		if e.Symlink, err = os.Readlink(p); err != nil {
			err = fmt.Errorf("store %s: %w; make sure that nothing writes there after its stage has ended", p, err)
		}

		e.Symlink = filepath.ToSlash(e.Symlink)
	default:
		err = fmt.Errorf("store %s: it is %s, which cannot be stored; make the stage write only files, directories "+
			"and links", p, kindOf(m))
	}

	return e, err
}

// Tree returns the manifest of a directory. It fetches the files of a directory that
// came from the store's source, all at once. Errors are ErrNotFound or a
// *CorruptError.
func (s *Store) Tree(d Digest) ([]TreeEntry, error) {
	b := manifestBuffer{s.bufferFor(d)}
	if err := s.Copy(d, b); err != nil && !errors.Is(err, errLargeManifest) {
		return nil, err
	}
	entries, err := decodeTree(b.Bytes())
	if err != nil {
		return nil, s.corrupt(d, s.entryPath(blobsDir, d), err.Error())
	}
	s.fetchMembers(d, entries)
	return entries, nil
}

// peekTree is like Tree, but leaves a damaged manifest in the store.
func (s *Store) peekTree(d Digest) ([]TreeEntry, error) {
	buf := manifestBuffer{s.bufferFor(d)}
	reason, err := s.read(d, buf)
	if reason != "" {
		err = errors.New(reason)
	}
	if err != nil {
		return nil, err
	}
	return decodeTree(buf.Bytes())
}

// manifestBuffer holds a manifest and refuses to grow beyond the limit: a small
// blob may unpack to more than fits in memory.
type manifestBuffer struct{ *bytes.Buffer }

var errLargeManifest = fmt.Errorf("it is larger than the limit for a list of files, %d MiB", maxManifest>>20)

func (b manifestBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxManifest {
		b.Reset() // the part that was read is not a valid manifest
		return 0, errLargeManifest
	}
	return b.Buffer.Write(p)
}

// MaterializeTree writes a directory. It verifies all content before the
// directory appears at dir, which must not exist or must be empty. If one of its
// files is missing or corrupt, the manifest is removed from the store too, so
// that the next lookup of a record that names it is a miss.
func (s *Store) MaterializeTree(d Digest, dir string) error {
	entries, err := s.Tree(d)
	if err != nil {
		return err
	}

	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".touchstone-")
	if err != nil {
		return fmt.Errorf("write %s: %w; make sure that its parent directory exists and is writable", dir, err)
	}

	err = s.fillTree(entries, tmp)
	if err == nil {
		err = os.Chmod(tmp, 0o755)
	}

	if err == nil {
		// Windows does not rename onto an empty directory.
		os.Remove(dir)
		err = os.Rename(tmp, dir)
	}

	if err == nil {
		return nil
	}

	os.RemoveAll(tmp)
	if Damaged(err) {
		s.invalidateTree(d, entries, err)
		return err
	}

	return fmt.Errorf("write %s: %w; make sure that the path is free and its disk has space", dir, err)
}

// CopyMember writes the content of a file of a directory to w, like Copy. As in
// MaterializeTree, a missing or corrupt file also removes the manifest.
func (s *Store) CopyMember(tree, file Digest, w io.Writer) error {
	err := s.Copy(file, w)
	if Damaged(err) {
		entries, _ := s.peekTree(tree) // without it, the manifest is removed alone
		s.invalidateTree(tree, entries, err)
	}
	return err
}

// invalidateTree removes a manifest from the store, and every damaged file of it: a
// stage that writes the directory again would find the damaged files in the
// store and not store them again.
func (s *Store) invalidateTree(d Digest, entries []TreeEntry, cause error) {
	for i := range entries {
		if !entries[i].Mode.IsRegular() {
			continue
		}
		member := entries[i].Digest
		if reason, _ := s.read(member, io.Discard); reason != "" {
			_ = s.corrupt(member, s.entryPath(blobsDir, member), reason) // cause is what counts
		}
	}
	s.markUnavailable(d)
	_ = s.corrupt(d, s.entryPath(blobsDir, d), "a file of the directory is not usable: "+cause.Error())
}

// fillTree writes checked entries below dir. It uses os.Root as a second line of
// defence, so that even a manifest that passed checkTree by mistake could not
// write elsewhere. It creates links last, so that nothing is written through
// one.
func (s *Store) fillTree(entries []TreeEntry, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}

	defer root.Close()
	for i := range entries {
		e := &entries[i]
		switch name := filepath.FromSlash(e.Path); entryKind(e.Mode) {
		case 'd':
			err = root.Mkdir(name, 0o755)
			if err == nil {
				err = root.Chmod(name, 0o755)
			}
		case 'f', 'x':
			err = Unforked(e.Mode, func() error { return s.fillFile(root, name, e) })
		}

		if err != nil {
			return err
		}
	}

	for i := range entries {
		if e := &entries[i]; e.Mode&fs.ModeSymlink != 0 {
			if err := root.Symlink(filepath.FromSlash(e.Symlink), filepath.FromSlash(e.Path)); err != nil {
				return err
			}
		}
	}

	return nil
}

func (s *Store) fillFile(root *os.Root, name string, e *TreeEntry) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}

	err = s.Copy(e.Digest, f)
	if err == nil {
		err = f.Chmod(e.Mode.Perm())
	}

	if cerr := f.Close(); err == nil {
		err = cerr
	}

	return err
}
