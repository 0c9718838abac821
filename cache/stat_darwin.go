package cache

import (
	"io/fs"
	"syscall"
)

// statExtra gives what the portable file information lacks: the time of the
// last change of the inode, which no program can set, and the inode's number.
func statExtra(st fs.FileInfo) (ctime int64, inode uint64) {
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return sys.Ctimespec.Nano(), sys.Ino
	}
	return 0, 0
}
