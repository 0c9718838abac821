package process

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Needs are what a command asks of the machine that it runs on.
type Needs struct {
	Platform string // such as linux/amd64; empty for any
	MemoryMB int64
}

// Met tells why a command cannot run here at all: it would fail later, and less
// plainly, or run on what it was not meant for.
func (n Needs) Met() error {
	here := runtime.GOOS + "/" + runtime.GOARCH
	if p := n.Platform; p != "" && p != here && !strings.HasPrefix(p, here+"/") {
		return fmt.Errorf("its platform is %s, and here it is %s; run it there, or leave platform out", p, here)
	}
	if n.MemoryMB <= 0 {
		return nil
	}
	if total := memoryMB(); total > 0 && n.MemoryMB > total {
		return fmt.Errorf("it needs %d MiB of memory, and here there are %d; run it on a larger machine, or lower memory_mb", n.MemoryMB, total)
	}
	return nil
}

// limits are the files that say how much memory there is: of the machine in
// KiB, of this process's container in bytes.
var limits = []struct {
	file   string
	prefix string
	per    int64 // of these make a MiB
}{
	{"/proc/meminfo", "MemTotal:", 1 << 10},
	{"/sys/fs/cgroup/memory.max", "", 1 << 20},
	{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "", 1 << 20},
}

// memoryMB is how much memory there is; 0 where that is not known.
func memoryMB() int64 {
	var least int64
	for _, l := range limits {
		text, err := os.ReadFile(l.file)
		if err != nil {
			continue
		}
		line, _, _ := bytes.Cut(text, []byte("\n"))
		fields := strings.Fields(strings.TrimPrefix(string(line), l.prefix))
		if len(fields) == 0 {
			continue
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil { // "max"
			continue
		}
		if n /= l.per; least == 0 || n < least {
			least = n
		}
	}
	return least
}
