package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// maxLinks is the number of symbolic links that follow resolves, as in Linux.
const maxLinks = 40

// descriptor matches the names of open files in file systems like Linux's /proc. The
// target of such a link is not always a path.
var descriptor = lazyregexp.New(`^/(dev|proc/[^/]+)/fd/[0-9]+$`)

// follow resolves the symbolic links that path consists of and returns the file to
// write, which may not exist. direct is true if it must not be replaced, because it is
// not a regular file, or is a file that a process has open under this name.
func follow(path string) (target string, direct bool, err error) {
	for range maxLinks {
		if descriptor().MatchString(filepath.ToSlash(path)) {
			return path, true, nil
		}

		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, false, nil
		case err != nil:
			return "", false, err
		case info.Mode()&fs.ModeSymlink == 0:
			if info.IsDir() {
				return "", false, &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
			}

			return path, !info.Mode().IsRegular(), nil
		}

		link, err := os.Readlink(path)
		if err != nil {
			return "", false, err
		}

		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}

		path = link
	}

	return "", false, &fs.PathError{Op: "write", Path: path, Err: errors.New("too many symbolic links")}
}
