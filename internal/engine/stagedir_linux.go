package engine

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dirExtra holds the properties of a directory that a command may change, except the mode.
type dirExtra struct {
	owner, group uint32
	flags        int // of chattr
	attributes   int // size of the names of extended attributes, which include ACLs
}

func extraOf(f *os.File) (dirExtra, error) {
	var e dirExtra
	var st syscall.Stat_t
	fd := int(f.Fd())
	if err := syscall.Fstat(fd, &st); err != nil {
		return e, err
	}
	e.owner, e.group = st.Uid, st.Gid
	// A file system may support neither.
	e.flags, _ = unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	e.attributes, _ = unix.Flistxattr(fd, nil)
	return e, nil
}
