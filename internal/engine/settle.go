package engine

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// InputTime is the time of modification of everything that a stage finds, and its SOURCE_DATE_EPOCH: the first one that
// a ZIP archive can hold. Archives and compilers write times into their outputs, and copies have that of the copy.
var InputTime = time.Unix(315532800, 0) // 1980-01-01T00:00:00Z

// settle gives a directory of a stage and everything in it the mode and the time that they have on every machine.
func settle(box string) error {
	var dirs []string
	err := filepath.WalkDir(box, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			dirs = append(dirs, path)
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			return setLinkTime(path, InputTime)
		}
		return os.Chtimes(path, InputTime, InputTime)
	})
	if err != nil {
		return err
	}

	// The umask of this process may have changed their modes.
	for _, dir := range dirs {
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
		if err := os.Chtimes(dir, InputTime, InputTime); err != nil {
			return err
		}
	}
	return nil
}
