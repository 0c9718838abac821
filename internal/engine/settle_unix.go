//go:build unix

package engine

import (
	"time"

	"golang.org/x/sys/unix"
)

// setLinkTime sets the time of a symbolic link itself.
func setLinkTime(path string, t time.Time) error {
	tv := unix.NsecToTimeval(t.UnixNano())
	return unix.Lutimes(path, []unix.Timeval{tv, tv})
}
