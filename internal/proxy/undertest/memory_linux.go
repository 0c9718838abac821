package undertest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// PeakMemory returns the sum of the largest resident sets of all processes in the
// proxy's process group, in bytes, or 0 if the proxy has ended. Replay servers do not
// count if the proxy starts them in their own groups.
func (p *Proxy) PeakMemory() int64 {
	if p.process == nil {
		return 0
	}

	group := strconv.Itoa(p.process.all.Pid)
	var total int64
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}

		// The name of the program is in parentheses and may contain anything.
		rest := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(rest) > 2 && string(rest[2]) == group {
			total += subprocess.SizeField(filepath.Join(filepath.Dir(file), "status"), "VmHWM")
		}
	}

	return total
}
