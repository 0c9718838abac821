package cache

import (
	"io/fs"
	"path/filepath"
	"time"
)

// FileInfo describes a file at the time of Lstat. It implements fs.FileInfo.
type FileInfo struct {
	path string
	stat fileStat
}

// Lstat is like os.Lstat, but returns a FileInfo, which StatIndex.FileAs accepts.
func Lstat(path string) (*FileInfo, error) {
	st, err := lstat(path)
	if err != nil {
		return nil, err
	}
	return &FileInfo{path: path, stat: st}, nil
}

// Name returns the last element of the path.
func (f *FileInfo) Name() string { return filepath.Base(f.path) }

// Size returns the size in bytes.
func (f *FileInfo) Size() int64 { return f.stat.size }

// Mode returns the type and the permissions of the file.
func (f *FileInfo) Mode() fs.FileMode { return f.stat.mode }

// ModTime returns the time of the last change of the content.
func (f *FileInfo) ModTime() time.Time { return time.Unix(0, f.stat.mtime) }

// IsDir reports whether the file is a directory.
func (f *FileInfo) IsDir() bool { return f.stat.mode.IsDir() }

// Sys returns nil.
func (f *FileInfo) Sys() any { return nil }
