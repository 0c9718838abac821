package cache

import (
	"os"

	"golang.org/x/sys/unix"
)

// topDir is EXT4_TOPDIR_FL, the T of chattr.
const topDir = 0x20000

// SpreadOut tells ext4 that the directories which will be made in dir have
// nothing to do with each other, so that it puts each where there is room
// instead of beside dir. There, inodes that others have freed lately slow down
// every new file: without a journal ext4 steps over all of them. It is a hint:
// nothing depends on it, and other file systems refuse it.
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
