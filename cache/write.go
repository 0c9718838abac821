package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

type writeMode int

// durable files are flushed to the disk before they get their name. The
// others, blobs and records among them, can be lost with the power: what is
// then half there is found out by whoever reads it, and is a miss.
const durable writeMode = 1

// temp creates a file in the store's folder for temporary files.
func (s *Store) temp() (*os.File, error) {
	if s.readOnly {
		return nil, ErrReadOnly
	}
	f, err := os.CreateTemp(s.path(tmpDir), "w-")
	if errors.Is(err, fs.ErrNotExist) {
		// Somebody has emptied the store under us.
		if err = os.MkdirAll(s.path(tmpDir), 0o700); err == nil {
			f, err = os.CreateTemp(s.path(tmpDir), "w-")
		}
	}
	if err != nil {
		return nil, s.failed("write", err)
	}
	return f, nil
}

// publish gives a finished temporary file its name. The file is closed in any
// case and removed when publishing fails.
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

// discard drops a temporary file that did not get finished.
func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// writeFile replaces the file at path, which has to be in the store.
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
