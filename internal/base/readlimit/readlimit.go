// Package readlimit reads files and streams that may be larger than memory, or
// endless, such as a pipe or /dev/zero. Whatever reads an input of a user whole
// belongs here. The formats themselves do not.
package readlimit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxSecret is the size in bytes of the largest file of a secret.
const MaxSecret = 64 << 10

// TooLargeError means that an input has more bytes than its limit.
type TooLargeError struct {
	Name  string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %s: split it, or check that it is the file you meant", e.Name, e.Size())
}

// Size is the limit with its unit.
func (e *TooLargeError) Size() string {
	switch {
	case e.Limit >= 1<<20 && e.Limit%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", e.Limit>>20)
	case e.Limit >= 1<<10 && e.Limit%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", e.Limit>>10)
	}
	return fmt.Sprintf("%d bytes", e.Limit)
}

// File reads a whole file of at most limit bytes. For a larger one it returns a
// *TooLargeError. A file that is not regular, such as a pipe, is read until its
// end or the end of ctx.
func File(ctx context.Context, path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	switch {
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is a directory")}
	case info.Mode().IsRegular() && info.Size() > limit:
		return nil, &TooLargeError{path, limit}
	case info.Mode().IsRegular():
		return openAndRead(path, limit, info.Size())
	}

	return await(ctx, func() ([]byte, error) { return openAndRead(path, limit, 0) })
}

// All reads a stream of at most limit bytes until its end or the end of ctx.
// name stands for it in errors.
func All(ctx context.Context, r io.Reader, name string, limit int64) ([]byte, error) {
	return await(ctx, func() ([]byte, error) { return read(r, name, limit, 0) })
}

// Reader returns a reader of r that fails with a *TooLargeError after limit
// bytes, for formats that are read piece by piece.
func Reader(r io.Reader, name string, limit int64) io.Reader {
	return &limited{io.LimitedReader{R: r, N: limit + 1}, &TooLargeError{name, limit}}
}

type limited struct {
	io.LimitedReader
	tooLarge error
}

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.LimitedReader.Read(b)
	if l.N <= 0 {
		return 0, l.tooLarge
	}
	return n, err
}

// openAndRead opens a pipe as well, which blocks until somebody writes to it.
func openAndRead(path string, limit, expected int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, path, limit, expected)
}

// read reads r. expected is the probable number of bytes, or 0 if nothing is known: the size
// of a file is that of a moment.
func read(r io.Reader, name string, limit, expected int64) ([]byte, error) {
	r = io.LimitReader(r, limit+1)
	var data []byte
	var err error
	if expected > 0 {
		var buf bytes.Buffer
		buf.Grow(int(expected) + bytes.MinRead)
		_, err = buf.ReadFrom(r)
		data = buf.Bytes()
	} else {
		data, err = io.ReadAll(r) // takes half the memory of a buffer that doubles
	}

	if err != nil {
		return nil, err
	}

	if int64(len(data)) > limit {
		return nil, &TooLargeError{name, limit}
	}

	return data, nil
}

// await calls a function that may block for ever. At the end of ctx it leaves the
// function behind: neither opening a pipe nor reading one can be interrupted.
func await(ctx context.Context, do func() ([]byte, error)) ([]byte, error) {
	if ctx.Done() == nil {
		return do()
	}

	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := do()
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
