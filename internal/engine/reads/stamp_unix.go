//go:build unix

package reads

import "golang.org/x/sys/unix"

func stampOf(path string) Stamp {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return Stamp{}
	}

	kind := st.Mode & unix.S_IFMT
	s := Stamp{Inode: st.Ino, Size: st.Size, Directory: kind == unix.S_IFDIR}
	if s.Directory || kind == unix.S_IFREG {
		s.Modified, s.Changed = st.Mtim.Nano(), st.Ctim.Nano()
	}

	return s
}
