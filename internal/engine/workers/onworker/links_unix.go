//go:build unix

package onworker

import (
	"io/fs"
	"syscall"
)

// onlyName reports whether a file has no other name.
func onlyName(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}
