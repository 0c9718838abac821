package timing

import (
	"os"
	"strings"
)

// Load returns the load averages of the machine over 1, 5 and 15 minutes, such as "0.20 0.18
// 0.12", or "unknown" where there is no /proc.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:3], " ")
}
