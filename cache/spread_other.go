//go:build !linux

package cache

// SpreadOut does nothing here: only ext4 supports the hint.
func SpreadOut(string) {}
