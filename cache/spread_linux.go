package cache

import (
	"os"

	"golang.org/x/sys/unix"
)

// topDir is EXT4_TOPDIR_FL, the T attribute of chattr.
const topDir = 0x20000

// SpreadOut tells ext4 that directories which will be created in dir are
// unrelated, so that it allocates each in an area with free space instead of next to
// dir. Near dir, recently freed inodes slow down every new file, because ext4
// without a journal skips over all of them. This is a hint: nothing depends on
// it, and other filesystems refuse it.
func SpreadOut(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	if flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS); err == nil && flags&topDir == 0 {
		_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags|topDir)
	}
}
