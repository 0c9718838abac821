//go:build unix

package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// fileStat holds the attributes of a file that the store uses. A run of
// thousands of hits consists mostly of system calls, so these functions make as
// few as possible and allocate nothing; os.Open and os.Lstat cost about half as
// much again.
type fileStat struct {
	mode         fs.FileMode
	size         int64
	mtime, ctime int64 // nanoseconds since 1970
	inode        uint64
}

func statOf(st *unix.Stat_t) fileStat {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFBLK, unix.S_IFCHR:
		mode |= fs.ModeDevice
	default:
		mode |= fs.ModeIrregular
	}

	return fileStat{mode: mode, size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}
}

// openWithoutWaiting opens a file for reading. A named pipe is opened as well, without a wait for a writer.
func openWithoutWaiting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func lstat(path string) (fileStat, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Lstat(path, &st); {
		case err == nil:
			return statOf(&st), nil
		case !errors.Is(err, unix.EINTR):
			return fileStat{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
		}
	}
}

func fstat(f *os.File) (fileStat, error) {
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(int(f.Fd()), &st) }); err != nil {
		return fileStat{}, &fs.PathError{Op: "stat", Path: f.Name(), Err: err}
	}
	return statOf(&st), nil
}

// readWhole reads a regular file of at most limit bytes into buf, and grows buf
// if needed.
func readWhole(path string, buf []byte, limit int64) ([]byte, fileStat, error) {
	fail := func(op string, err error) ([]byte, fileStat, error) {
		return nil, fileStat{}, &fs.PathError{Op: op, Path: path, Err: err}
	}
	var fd int
	err := retry(func() (err error) {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	if err != nil {
		return fail("open", err)
	}

	defer func() { _ = unix.Close(fd) }()
	var sys unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &sys) }); err != nil {
		return fail("stat", err)
	}

	st := statOf(&sys)
	if err := checkReadable(st, limit); err != nil {
		return fail("read", err)
	}

	if int64(cap(buf)) < st.size {
		buf = make([]byte, st.size)
	}

	buf = buf[:st.size]
	for n := 0; n < len(buf); {
		var k int
		err := retry(func() (err error) {
			k, err = unix.Read(fd, buf[n:])
			return err
		})
		if err == nil && k <= 0 {
			err = io.ErrUnexpectedEOF
		}

		if err != nil {
			return fail("read", err)
		}

		n += k
	}

	return buf, st, nil
}
