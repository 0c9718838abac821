package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// A TreeEntry is a member of a directory. Path is slash-separated and relative
// to the directory. Mode keeps the type and, for a file, the owner's execute
// bit. Size and Digest are set for files, Symlink is the target of a symbolic
// link.
type TreeEntry struct {
	Path    string
	Mode    fs.FileMode
	Size    int64
	Digest  Digest
	Symlink string
}

// A tree is a blob that holds a manifest:
//
//	"TST1", then for each entry, sorted by the bytes of its path:
//	u8      'd' directory, 'f' file, 'x' executable file, 'l' symbolic link
//	uvarint length and bytes of the path
//	for f and x: uvarint size, 32 bytes digest
//	for l: uvarint length and bytes of the target
//
// A directory has exactly one manifest, because decodeTree refuses any other
// encoding. Equal directories therefore have equal digests.
const treeMagic = "TST1"

const (
	maxTreePath  = 1 << 14
	maxManifest  = 256 << 20 // bytes: millions of files
	maxLinkDepth = 40
)

func entryKind(m fs.FileMode) byte {
	switch {
	case m.IsDir():
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&0o100 != 0:
		return 'x'
	}
	return 'f'
}

// kindMode returns the permissions of a materialised entry. They do not depend
// on those of the source.
func kindMode(kind byte) fs.FileMode {
	switch kind {
	case 'd':
		return fs.ModeDir | 0o755
	case 'l':
		return fs.ModeSymlink | 0o777
	case 'x':
		return 0o755
	}
	return 0o644
}

// encodeTree encodes the manifest of entries that are sorted by path.
func encodeTree(entries []TreeEntry) []byte {
	size := len(treeMagic)
	for i := range entries {
		size += entries[i].maxEncoded()
	}

	b := append(make([]byte, 0, size), treeMagic...)
	for i := range entries {
		b = entries[i].append(b)
	}

	return b
}

// maxEncoded returns the length in bytes that the encoding of an entry cannot exceed.
func (e *TreeEntry) maxEncoded() int {
	return 1 + 2*binary.MaxVarintLen16 + binary.MaxVarintLen64 + len(e.Path) + len(e.Digest) + len(e.Symlink)
}

// append appends the encoding of an entry.
func (e *TreeEntry) append(b []byte) []byte {
	kind := entryKind(e.Mode)
	b = append(b, kind)
	b = binary.AppendUvarint(b, uint64(len(e.Path)))
	b = append(b, e.Path...)
	switch kind {
	case 'f', 'x':
		b = binary.AppendUvarint(b, uint64(e.Size))
		b = append(b, e.Digest[:]...)
	case 'l':
		b = binary.AppendUvarint(b, uint64(len(e.Symlink)))
		b = append(b, e.Symlink...)
	}

	return b
}

// decodeTree decodes a manifest, and refuses one that is not canonical or not
// safe to materialise.
func decodeTree(b []byte) ([]TreeEntry, error) {
	if !bytes.HasPrefix(b, []byte(treeMagic)) {
		return nil, errors.New("not a tree: wrong magic")
	}

	c := cursor{b: b[len(treeMagic):]}
	entries := make([]TreeEntry, 0, countTree(c))
	var again []byte
	for len(c.b) > 0 {
		var e TreeEntry
		rest := c.b
		kind := c.u8()
		e.Mode = kindMode(kind)
		e.Path = string(c.take(c.length()))
		switch kind {
		case 'd':
		case 'f', 'x':
			e.Size = int64(c.uvarint())
			c.copy(e.Digest[:])
			if e.Size < 0 {
				return nil, fmt.Errorf("entry %q has the size %d", e.Path, e.Size)
			}
		case 'l':
			e.Symlink = string(c.take(c.length()))
		default:
			return nil, fmt.Errorf("entry %d has the unknown kind %q", len(entries), kind)
		}

		if c.short {
			return nil, errors.New("the tree is cut off")
		}

		// A number can be encoded in several ways; only the shortest is canonical.
		if again = e.append(again[:0]); !bytes.Equal(again, rest[:len(rest)-len(c.b)]) {
			return nil, errors.New("the tree is not in its canonical form")
		}

		entries = append(entries, e)
	}

	if err := checkTree(entries); err != nil {
		return nil, err
	}

	return entries, nil
}

// countTree returns how many entries follow, as far as they can be read, up to a million.
func countTree(c cursor) int {
	const limit = 1 << 20
	n := 0
	for ; len(c.b) > 0 && n < limit; n++ {
		kind := c.u8()
		c.take(c.length())
		switch kind {
		case 'f', 'x':
			c.uvarint()
			c.take(len(Digest{}))
		case 'l':
			c.take(c.length())
		}
	}
	return n
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.short, c.b = true, nil
		return 0
	}
	c.b = c.b[n:]
	return v
}

// length reads the length of a path.
func (c *cursor) length() int {
	n := c.uvarint()
	if n > maxTreePath {
		c.short, c.b = true, nil
		return 0
	}
	return int(n)
}

// checkTree checks that writing the entries into a directory, and then
// following its links, cannot leave the directory.
func checkTree(entries []TreeEntry) error {
	index := map[string]*TreeEntry{} // what is not a file
	for i := range entries {
		e := &entries[i]
		if !localPath(e.Path) || len(e.Path) > maxTreePath || separates(e.Path) {
			return fmt.Errorf("entry %q is not a path inside the directory", e.Path)
		}

		if i > 0 && entries[i-1].Path >= e.Path {
			return fmt.Errorf("entry %q is out of order or listed twice", e.Path)
		}

		// A parent sorts before its members, so it was already seen.
		if dir := path.Dir(e.Path); dir != "." {
			if p := index[dir]; p == nil || !p.Mode.IsDir() {
				return fmt.Errorf("entry %q is not in a directory of the tree", e.Path)
			}
		}

		if !e.Mode.IsRegular() {
			index[e.Path] = e
		}
	}

	for i := range entries {
		if e := &entries[i]; e.Mode&fs.ModeSymlink != 0 {
			if err := checkLink(e, index); err != nil {
				return err
			}
		}
	}

	return nil
}

// separates reports whether a name holds a backslash that this system reads as a separator. Elsewhere it is an ordinary
// character.
func separates(name string) bool {
	return filepath.Separator == '\\' && strings.ContainsRune(name, '\\')
}

// checkLink follows a symbolic link as the kernel would, through all other
// links on the way, because "a/.." may be elsewhere if a is a link. A target
// that does not exist is accepted if it would be inside the directory.
func checkLink(link *TreeEntry, index map[string]*TreeEntry) error {
	refuse := func(why string) error {
		return fmt.Errorf("symbolic link %q to %q %s; make it relative and keep it inside the directory", link.Path,
			link.Symlink, why)
	}
	at := path.Dir(link.Path) // "." is the top
	todo := []string{link.Symlink}
	for depth := 0; len(todo) > 0; {
		target := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if target == "" || len(target) > maxTreePath || strings.IndexByte(target, 0) >= 0 ||
			separates(target) {
			return refuse("has no usable target")
		}

		if target[0] == '/' {
			return refuse("is absolute")
		}

		name, rest, more := strings.Cut(target, "/")
		// The kernel reads "a//b" and "a/" as a followed by b, and as a.
		rest = strings.TrimLeft(rest, "/")
		if more && rest != "" {
			todo = append(todo, rest)
		}

		switch name {
		case ".":
			continue
		case "..":
			if at == "." {
				return refuse("leaves the directory")
			}

			at = path.Dir(at)
			continue
		}

		next := path.Join(at, name)
		if e := index[next]; e != nil && e.Mode&fs.ModeSymlink != 0 {
			if depth++; depth > maxLinkDepth {
				return refuse("is part of a loop")
			}

			todo = append(todo, e.Symlink)
			continue
		}

		at = next
	}

	return nil
}
