package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

type writeMode int

// durable files are flushed to the disk before they are renamed. The others,
// including blobs and records, can be lost in a power failure: a reader detects
// a partial file and treats it as a miss.
const durable writeMode = 1

// temp creates a file in the store's directory for temporary files.
func (s *Store) temp() (*os.File, error) {
	if s.readOnly {
		return nil, s.refuse("keeping results")
	}

	f, err := os.CreateTemp(s.path(tmpDir), "w-")
	if errors.Is(err, fs.ErrNotExist) {
		// Another process has emptied the store.
		if err = os.MkdirAll(s.path(tmpDir), 0o700); err == nil {
			f, err = os.CreateTemp(s.path(tmpDir), "w-")
		}
	}

	if err != nil {
		return nil, s.failed("write", err)
	}

	return f, nil
}

// publish renames a complete temporary file to path. It closes the file in any
// case, and removes it on failure.
func (s *Store) publish(f *os.File, path string, mode writeMode, mtime time.Time) error {
	var err error
	if mode == durable {
		err = f.Sync()
	}

	if cerr := f.Close(); err == nil {
		err = cerr
	}

	if err == nil && !mtime.IsZero() {
		err = os.Chtimes(f.Name(), mtime, mtime)
	}

	if err == nil {
		err = os.Rename(f.Name(), path)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
				err = os.Rename(f.Name(), path)
			}
		}
	}

	if err != nil {
		os.Remove(f.Name())
		return s.failed("write", err)
	}

	return nil
}

// discard removes a temporary file that was not completed.
func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// writeFile replaces the file at path, which must be in the store.
func (s *Store) writeFile(path string, b []byte, mode writeMode) error {
	return s.writeFileAt(path, b, mode, time.Time{})
}

func (s *Store) writeFileAt(path string, b []byte, mode writeMode, mtime time.Time) error {
	f, err := s.temp()
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		discard(f)
		return s.failed("write", err)
	}
	return s.publish(f, path, mode, mtime)
}
