//go:build !windows

package atomicfile

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// File is a new file that takes its path when Commit is called.
type File struct{ *renameio.PendingFile }

// Create returns a file that replaces the one at path when Commit is called. The caller
// must call Cleanup at the end, also after Commit.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(perm))
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// Commit syncs the file, closes it and replaces the file at the path.
func (f *File) Commit() error { return f.CloseAtomicallyReplace() }

// Cleanup removes the file unless it was committed.
func (f *File) Cleanup() { _ = f.PendingFile.Cleanup() }

// WriteFile replaces the file at path.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	return renameio.WriteFile(path, data, perm)
}

// Symlink replaces the file at path by a symbolic link.
func Symlink(target, path string) error { return renameio.Symlink(target, path) }
