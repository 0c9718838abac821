//go:build !linux

package cache

// SpreadOut is a hint that only ext4 takes.
func SpreadOut(string) {}
