//go:build unix

package reads

import "golang.org/x/sys/unix"

func stampOf(path string) Stamp {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return Stamp{}
	}

	s := Stamp{Device: uint64(st.Dev), Inode: st.Ino, Size: st.Size, Mode: uint32(st.Mode)}
	if kind := st.Mode & unix.S_IFMT; kind == unix.S_IFREG || kind == unix.S_IFDIR {
		s.Modified, s.Changed = st.Mtim.Nano(), st.Ctim.Nano()
	}

	return s
}
