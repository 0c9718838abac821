package engine

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dirExtra is what a command may have done to a directory beyond its mode.
type dirExtra struct {
	owner, group uint32
	flags        int // of chattr
	attributes   int // size of the names of extended attributes, lists of access among them
}

func extraOf(f *os.File) (dirExtra, error) {
	var e dirExtra
	var st syscall.Stat_t
	fd := int(f.Fd())
	if err := syscall.Fstat(fd, &st); err != nil {
		return e, err
	}
	e.owner, e.group = st.Uid, st.Gid
	// A file system without either has nothing to compare.
	e.flags, _ = unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	e.attributes, _ = unix.Flistxattr(fd, nil)
	return e, nil
}
