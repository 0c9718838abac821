package cache

import (
	"fmt"
	"io/fs"
	"os"
)

// NotRegularError means that a path that must have a regular file has something else.
type NotRegularError struct {
	Path string
	mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s is %s, not a regular file; name a regular file", e.Path, e.Kind())
}

// Kind says what is there, such as "a named pipe".
func (e *NotRegularError) Kind() string { return kindOf(e.mode) }

// Directory reports whether it is a directory.
func (e *NotRegularError) Directory() bool { return e.mode.IsDir() }

// OpenRegular opens a regular file for reading, and follows symbolic links. For anything else it returns a
// *NotRegularError. It never waits: opening a named pipe would, until somebody writes to it. What is there is checked
// before, because opening a device may have an effect, and again afterwards, because it may have been replaced.
func OpenRegular(path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	if !st.Mode().IsRegular() {
		return nil, &NotRegularError{path, st.Mode()}
	}

	f, err := openWithoutWaiting(path)
	if err != nil {
		return nil, err
	}

	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() {
		err = &NotRegularError{path, st.Mode()}
	}

	if err != nil {
		f.Close()
		return nil, err
	}

	return f, nil
}
