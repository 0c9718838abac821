//go:build !windows

package atomicfile

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

func pending(path string, perm fs.FileMode) (*File, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(perm))
	if err != nil {
		return nil, err
	}
	return &File{File: f.File, replace: f.CloseAtomicallyReplace, discard: func() { _ = f.Cleanup() }}, nil
}

// Symlink replaces the file at path by a symbolic link.
func Symlink(target, path string) error { return renameio.Symlink(target, path) }
