//go:build !unix

package cache

import (
	"io"
	"io/fs"
	"os"
)

// fileStat holds the attributes of a file that the store uses. Here, there is no
// change time and no inode: the stat index relies on size and modification time.
type fileStat struct {
	mode         fs.FileMode
	size         int64
	mtime, ctime int64 // nanoseconds since 1970
	inode        uint64
}

func statOf(st fs.FileInfo) fileStat {
	return fileStat{mode: st.Mode(), size: st.Size(), mtime: st.ModTime().UnixNano()}
}

func lstat(path string) (fileStat, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return fileStat{}, err
	}
	return statOf(st), nil
}

func fstat(f *os.File) (fileStat, error) {
	st, err := f.Stat()
	if err != nil {
		return fileStat{}, err
	}
	return statOf(st), nil
}

// openWithoutWaiting opens a file for reading.
func openWithoutWaiting(path string) (*os.File, error) { return os.Open(path) }

// readWhole reads a regular file of at most limit bytes into buf, and grows buf
// if needed.
func readWhole(path string, buf []byte, limit int64) ([]byte, fileStat, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileStat{}, err
	}

	defer f.Close()
	st, err := fstat(f)
	if err == nil {
		err = checkReadable(st, limit)
	}

	if err != nil {
		return nil, fileStat{}, err
	}

	if int64(cap(buf)) < st.size {
		buf = make([]byte, st.size)
	}

	buf = buf[:st.size]
	_, err = io.ReadFull(f, buf)
	return buf, st, err
}
