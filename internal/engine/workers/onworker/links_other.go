//go:build !unix

package onworker

import "io/fs"

// onlyName returns false: whether a file has another name is not known.
func onlyName(fs.FileInfo) bool { return false }
