package undertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// PeakMemory is the sum, over the processes that are still in the proxy's
// process group, of the largest resident set that each has had, in bytes; 0
// when the proxy is gone. Replay servers lead groups of their own where the
// proxy gives them one, and then do not count.
func (p *Proxy) PeakMemory() int64 {
	if p.process == nil {
		return 0
	}
	group := strconv.Itoa(p.process.cmd.Process.Pid)
	var total int64
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// The name of the program, in parentheses, may hold anything.
		rest := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(rest) > 2 && string(rest[2]) == group {
			total += highWater(filepath.Join(filepath.Dir(file), "status"))
		}
	}
	return total
}

// highWater reads VmHWM, which is in units of 1,024 bytes.
func highWater(status string) int64 {
	text, err := os.ReadFile(status)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}
