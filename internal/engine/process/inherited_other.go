//go:build unix && !linux

package process

// closeAllOnExec reports that this system has no call for it.
func closeAllOnExec() bool { return false }
