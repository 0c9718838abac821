package undertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"github.com/touchstone-eval/touchstone/internal/subprocess"
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
			total += subprocess.SizeField(filepath.Join(filepath.Dir(file), "status"), "VmHWM")
		}
	}
	return total
}
