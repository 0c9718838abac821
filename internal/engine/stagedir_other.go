//go:build !linux

package engine

import "os"

// dirExtra holds the properties of a directory that a command may change, except the mode.
type dirExtra struct{}

// extraOf returns no properties: on this system, directories are never reused.
func extraOf(*os.File) (dirExtra, error) { return dirExtra{}, nil }
