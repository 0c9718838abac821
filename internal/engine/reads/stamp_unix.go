//go:build unix

package reads

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

func stampOf(path string) Stamp {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return Stamp{}
	}

	kind := st.Mode & unix.S_IFMT
	s := Stamp{
		Inode: st.Ino, Size: st.Size, Mode: fs.FileMode(st.Mode).Perm(), Directory: kind == unix.S_IFDIR,
	}
	if kind == unix.S_IFREG {
		s.Links = int64(st.Nlink)
	}

	if s.Directory || kind == unix.S_IFREG {
		s.Modified, s.Changed = st.Mtim.Nano(), st.Ctim.Nano()
	}

	return s
}
