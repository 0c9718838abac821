package atomicfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a new file that takes its path when Commit is called.
type File struct {
	*os.File
	path string
	done bool
}

// Create returns a file that replaces the one at path when Commit is called. The caller
// must call Cleanup at the end, also after Commit.
func Create(path string, perm fs.FileMode) (*File, error) {
	f, err := os.OpenFile(beside(path), os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path}, nil
}

// Commit syncs the file, closes it and replaces the file at the path.
func (f *File) Commit() error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.done = true
	return nil
}

// Cleanup removes the file unless it was committed.
func (f *File) Cleanup() {
	if !f.done {
		f.Close()
		os.Remove(f.Name())
	}
}

// WriteFile replaces the file at path.
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

// Symlink replaces the file at path by a symbolic link. Windows allows links to
// administrators and in developer mode only.
func Symlink(target, path string) error {
	tmp := beside(path)
	if err := os.Symlink(target, tmp); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	return nil
}

// beside returns the path of a temporary file in the directory of path.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text())
}
