package atomicfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
)

func pending(path string, perm fs.FileMode) (*File, error) {
	f, err := os.OpenFile(beside(path), os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}

	replaced := false
	return &File{
		File: f,
		replace: func() error {
			if err := f.Sync(); err != nil {
				return err
			}

			if err := f.Close(); err != nil {
				return err
			}

			if err := os.Rename(f.Name(), path); err != nil {
				return err
			}

			replaced = true
			return nil
		},
		discard: func() {
			if !replaced {
				f.Close()
				os.Remove(f.Name())
			}
		},
	}, nil
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
