package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
)

// disk is the language's read-only access to the file system. Paths are absolute, except those
// that the caller of Load gave.
type disk interface {
	// Open opens a regular file. For anything else it returns a *cache.NotRegularError.
	Open(path string) (io.ReadCloser, error)
	Lstat(path string) (fs.FileInfo, error)
	// ReadDir lists a directory sorted by name.
	ReadDir(path string) ([]fs.DirEntry, error)
	// Resolve follows all symbolic links.
	Resolve(path string) (string, error)
}

type osDisk struct{}

func (osDisk) Open(path string) (io.ReadCloser, error)    { return cache.OpenRegular(path) }
func (osDisk) Lstat(path string) (fs.FileInfo, error)     { return cache.Lstat(path) }
func (osDisk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }
func (osDisk) Resolve(path string) (string, error)        { return filepath.EvalSymlinks(path) }

// pathError describes the problem with a path. It uses the path as written in the pipeline,
// because the absolute path differs on every machine.
func pathError(label string, err error) string {
	reason := err
	var pe *fs.PathError
	if errors.As(err, &pe) {
		reason = pe.Err
	}

	var other *cache.NotRegularError
	switch {
	case errors.As(err, &other):
		return fmt.Sprintf("%q is %s, not a file", label, other.Kind())
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%q does not exist", label)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("%q cannot be read (permission denied)", label)
	}

	return fmt.Sprintf("%q cannot be read (%v)", label, reason)
}

// within reports whether path is dir or inside dir. Both paths are clean.
func within(path, dir string) bool {
	if path == dir || dir == string(filepath.Separator) {
		return true
	}
	return len(path) > len(dir) && strings.HasPrefix(path, dir) && path[len(dir)] == filepath.Separator
}

// fileKind describes the type of something that is neither a file nor a directory.
func fileKind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}
