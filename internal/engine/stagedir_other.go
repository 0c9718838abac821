//go:build !linux

package engine

import "os"

// dirExtra is what a command may have done to a directory beyond its mode.
type dirExtra struct{}

// extraOf does not know here, and no executor lets a directory be used again here.
func extraOf(*os.File) (dirExtra, error) { return dirExtra{}, nil }
