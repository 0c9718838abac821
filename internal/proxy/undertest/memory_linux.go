package undertest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// PeakMemory returns the sum of the largest resident sets of all processes in the
// proxy's process group, in bytes, or 0 if the proxy has ended. Replay servers do not
// count: they are not part of the proxy.
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
		if len(rest) > 2 && string(rest[2]) == group && !p.replays(filepath.Dir(file)) {
			total += subprocess.SizeField(filepath.Join(filepath.Dir(file), "status"), "VmHWM")
		}
	}

	return total
}

// replays reports whether the process with this directory of /proc is a replay server.
func (p *Proxy) replays(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "cmdline"))
	if err != nil {
		return false
	}

	argv := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	return slices.ContainsFunc(p.servers.Upstreams, func(u contracts.Upstream) bool {
		return slices.Equal(argv, u.Command)
	})
}
