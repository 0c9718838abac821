//go:build unix

package trec

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps a regular file that is positioned at its beginning. Truncating
// the file during the evaluation ends this process, as it ends trec_eval.
func mapFile(f *os.File) (data []byte, release func(), ok bool) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || int64(int(info.Size())) != info.Size() {
		return nil, nil, false
	}
	if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != 0 {
		return nil, nil, false
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, false
	}
	return data, func() { _ = unix.Munmap(data) }, true
}
