package dagger

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// reap kills the dagger programs that this process has started. If their engine
// has died, they would otherwise run for more than an hour, because they try to
// send it their trace. The SDK does not expose its child process, so reap searches
// the process table. It does nothing on a system without /proc.
func reap(program string) {
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return
	}

	tables, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, table := range tables {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(table)))
		if err != nil || parent(table) != os.Getpid() {
			continue
		}

		if exe, err := os.Readlink(filepath.Join(filepath.Dir(table), "exe")); err == nil && exe == program {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// parent returns the parent of a process from its stat file, or 0. The second
// field of the file is the program's name in parentheses. The name may contain
// parentheses, so the state and the parent follow the last one.
func parent(table string) int {
	b, err := os.ReadFile(table)
	if err != nil {
		return 0
	}
	text := string(b)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	pid, _ := strconv.Atoi(fields[1])
	return pid
}
