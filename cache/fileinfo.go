package cache

import (
	"io/fs"
	"path/filepath"
	"time"
)

// FileInfo is a file as Lstat found it.
type FileInfo struct {
	path string
	stat fileStat
}

// Lstat describes a file, as os.Lstat does, in the form that
// StatIndex.FileAs takes.
func Lstat(path string) (*FileInfo, error) {
	st, err := lstat(path)
	if err != nil {
		return nil, err
	}
	return &FileInfo{path: path, stat: st}, nil
}

// Name is the last element of the path.
func (f *FileInfo) Name() string { return filepath.Base(f.path) }

// Size is the size in bytes.
func (f *FileInfo) Size() int64 { return f.stat.size }

// Mode is the kind of the file and its permissions.
func (f *FileInfo) Mode() fs.FileMode { return f.stat.mode }

// ModTime is when the content was last changed.
func (f *FileInfo) ModTime() time.Time { return time.Unix(0, f.stat.mtime) }

// IsDir reports whether the file is a directory.
func (f *FileInfo) IsDir() bool { return f.stat.mode.IsDir() }

// Sys is nil.
func (f *FileInfo) Sys() any { return nil }
