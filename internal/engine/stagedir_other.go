//go:build !linux

package engine

import "os"

// dirExtra holds the properties of a directory that a command may change, except the mode.
type dirExtra struct{}

// extraOf is not implemented on this system, where directories are never reused.
func extraOf(*os.File) (dirExtra, error) { return dirExtra{}, nil }
