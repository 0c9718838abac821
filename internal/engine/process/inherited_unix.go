//go:build unix

package process

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// CloseInherited keeps the files that were open when this program was started from the processes that it starts
// afterwards: a stage must not read what it does not declare. Standard input, output and error are given to each
// process anyway. Go opens every other file so that processes do not get it.
var CloseInherited = sync.OnceFunc(func() {
	if !closeAllOnExec() {
		closeListedOnExec()
	}
})

// firstInherited is the number after those of standard input, output and error.
const firstInherited = 3

// closeListedOnExec marks the open files that the system lists.
func closeListedOnExec() {
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}

		for _, e := range entries {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= firstInherited {
				unix.CloseOnExec(fd)
			}
		}

		return
	}
}
