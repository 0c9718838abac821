package reads

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Stamp identifies a version of a file or of a directory without the content of files. It is zero if there is none.
type Stamp struct {
	Inode     uint64
	Size      int64
	Mode      fs.FileMode // the permissions
	Directory bool
	// Links is the number of links to a file.
	Links int64
	// Modified and Changed are nanoseconds since 1970. They are 0 for what is neither a file nor a directory.
	Modified, Changed int64
	// Names are those in a directory that was opened.
	Names Names
}

// Names identify what is in a directory.
type Names struct {
	// Digest is over the names and types, without Compiled and, in a directory of that name, without bytecode. It is
	// empty if the directory cannot be read.
	Digest string
	// Compiled is whether there is a directory with that name.
	Compiled bool
}

// Compiled is the directory in which Python keeps compiled code. Most of it depends on the source, and contains times.
const Compiled = "__pycache__"

// IsBytecode reports whether a path is that of a module in Compiled, or the one that Python writes first and renames.
func IsBytecode(path string) bool {
	return filepath.Base(filepath.Dir(path)) == Compiled && isBytecode(filepath.Base(path))
}

func isBytecode(name string) bool {
	return strings.HasSuffix(strings.TrimRight(name, ".0123456789"), ".pyc")
}

// NamesIn reads a directory.
func NamesIn(dir string) Names {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Names{}
	}

	var names Names
	h := sha256.New()
	compiled := filepath.Base(dir) == Compiled
	for _, e := range entries {
		switch {
		case e.Name() == Compiled:
			names.Compiled = true
		case compiled && isBytecode(e.Name()):
		default:
			fmt.Fprintf(h, "%q %s\n", e.Name(), e.Type())
		}
	}

	names.Digest = hex.EncodeToString(h.Sum(nil))
	return names
}

// Look returns the record of a path at this time.
func Look(path string, opened, asked bool) Read {
	r := Read{Path: path, Seen: stampOf(path), Asked: asked}
	if opened {
		r.open()
	}
	return r
}

// open notes that the path was opened.
func (r *Read) open() {
	if !r.Opened && r.Seen.Directory {
		r.Seen.Names = NamesIn(r.Path)
	}
	r.Opened = true
}

// again notes that the stage names the path once more, and whether it found another version this time.
func (r *Read) again(opened, asked bool) {
	now, then := stampOf(r.Path), r.Seen
	then.Names = Names{}
	if then != now && !(r.Changed && r.Reshaped) {
		r.Reshaped = r.Reshaped || !then.sameShape(now, asked)
		r.Changed = r.Changed || !r.like(now, r.Opened || opened, r.Asked || asked)
	}

	r.Asked = r.Asked || asked
	if opened {
		r.open()
	}
}

// Unchanged reports whether what the stage could learn about the path, as far as it is compared later, was the same
// from the time when it was first named until now.
func (r *Read) Unchanged() bool {
	now := stampOf(r.Path)
	if r.Denied {
		return !r.Reshaped && r.Seen.sameShape(now, r.Asked)
	}
	return !r.Changed && r.like(now, r.Opened, r.Asked)
}

// like reports whether a version of the path is the one that was first seen, for a stage that opened it, asked for its
// status or only tested it.
func (r *Read) like(now Stamp, opened, asked bool) bool {
	then := r.Seen
	switch {
	case !opened && !asked:
		return then.sameShape(now, false) && then.Mode == now.Mode && then.Directory == now.Directory
	case !then.Directory || !now.Directory:
		return then.sameFile(now, opened)
	case !r.Opened:
		return then.Mode == now.Mode // times of a directory are those of its names
	case then.Inode == now.Inode && then.Changed == now.Changed:
		return true
	}

	// A name may have come and gone in between, unless something else explains the time.
	now.Names = NamesIn(r.Path)
	return then.Inode == now.Inode && then.Names.Digest == now.Names.Digest &&
		(then.Modified == now.Modified || then.Names.Compiled != now.Names.Compiled ||
			filepath.Base(r.Path) == Compiled)
}

// sameShape reports whether two stamps look the same to a stage that the sandbox denied the content. If it did not ask
// for the status, it only knows whether there is something.
func (s Stamp) sameShape(now Stamp, asked bool) bool {
	if !asked {
		return (s == Stamp{}) == (now == Stamp{})
	}
	return s.Mode == now.Mode && s.Directory == now.Directory && (s.Directory || s.Size == now.Size) &&
		(s.Inode == 0) == (now.Inode == 0)
}

// sameFile reports whether two stamps are those of one version of a file. The time of the change has a meaning because
// the other one can be set, but a link and other permissions explain it. Of a file that was opened, only the permission
// to execute it matters.
func (s Stamp) sameFile(now Stamp, opened bool) bool {
	if s.Links != now.Links || s.Mode != now.Mode {
		s.Changed, s.Links = now.Changed, now.Links
	}

	const execute = 0o111
	if opened && (s.Mode&execute == 0) == (now.Mode&execute == 0) {
		s.Mode = now.Mode
	}

	return s == now
}
