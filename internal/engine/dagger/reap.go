package dagger

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// reap kills the dagger programs that this process has started. Without it
// they outlive us by more than an hour where their engine has died: they wait to hand it
// their trace. The SDK keeps its child to itself, so it is looked for in the
// process table; a system without /proc is left as it is.
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
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// parent reads a process's parent from its stat file, 0 where there is none.
// The second field is the program's name in parentheses, which may hold
// anything; the state and the parent follow the last of them.
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
