package subprocess

import (
	"os"
	"strconv"
	"strings"
)

// SizeField reads a size in bytes from a file that Linux has in /proc for a
// process, such as VmHWM in status or Pss in smaps_rollup. It returns 0 if the
// process has ended or the file has no such field.
func SizeField(file, field string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}
