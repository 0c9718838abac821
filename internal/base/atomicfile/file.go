package atomicfile

import (
	"io/fs"
	"os"
)

// File is a new file that takes its path when Commit is called. If the path leads to a
// device, a pipe or a standard stream, File is that file, and what is written is
// visible at once.
type File struct {
	*os.File
	replace func() error // syncs, closes and replaces; nil if the file is written directly
	discard func()       // removes the file, unless it was replaced
}

// Create returns a file that replaces the one at path when Commit is called. If path is
// a symbolic link, its target is replaced. The caller must call Cleanup at the end, also
// after Commit.
func Create(path string, perm fs.FileMode) (*File, error) {
	target, direct, err := follow(path)
	if err != nil {
		return nil, err
	}

	if !direct {
		return pending(target, perm)
	}

	// A standard stream may be a file to which others have written.
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}

	return &File{File: f}, nil
}

// Commit syncs the file, closes it and replaces the file at the path.
func (f *File) Commit() error {
	if f.replace == nil {
		return f.Close()
	}
	return f.replace()
}

// Cleanup removes the file unless it was committed.
func (f *File) Cleanup() {
	if f.discard == nil {
		_ = f.Close() // harmless after Commit
		return
	}
	f.discard()
}

// WriteFile replaces the file at path, as Create does.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	f, err := Create(path, perm)
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}
