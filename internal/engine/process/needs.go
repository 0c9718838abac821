package process

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Needs are the requirements of a command for the machine that it runs on.
type Needs struct {
	Platform string // such as linux/amd64; empty for any
	MemoryMB int64
}

// Met returns an error if this machine does not meet the requirements. Without this
// check, the command would fail later with a less clear error, or run on the wrong
// platform.
func (n Needs) Met() error {
	here := runtime.GOOS + "/" + runtime.GOARCH
	if p := n.Platform; p != "" && p != here && !strings.HasPrefix(p, here+"/") {
		return fmt.Errorf("it needs the platform %s, but this machine is %s; run it on that platform, or remove "+
			"platform", p, here)
	}

	if n.MemoryMB <= 0 {
		return nil
	}

	if total := memoryMB(); total > 0 && n.MemoryMB > total {
		return fmt.Errorf("it needs %d MiB of memory, but this machine has %d; run it on a larger machine, or lower "+
			"memory_mb", n.MemoryMB, total)
	}

	return nil
}

// limits are the files that contain the available memory: that of the machine in KiB,
// and that of this process's container in bytes.
var limits = []struct {
	file   string
	prefix string
	per    int64 // units per MiB
}{
	{"/proc/meminfo", "MemTotal:", 1 << 10},
	{"/sys/fs/cgroup/memory.max", "", 1 << 20},
	{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "", 1 << 20},
}

// memoryMB returns the available memory in MiB, or 0 if it is unknown.
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
