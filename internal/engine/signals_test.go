package engine

import (
	"runtime"
	"strings"
	"testing"
)

func TestExitErrorNamesTheSignal(t *testing.T) {
	for code, want := range map[int]string{
		139: "exit status 139, which is the end by signal SIGSEGV (invalid memory access)", 1: "exit status 1", 128: "exit status 128",
		141: "exit status 141, which is the end by signal SIGPIPE (nobody reads what it writes)",
		137: "exit status 137, which is the end by signal SIGKILL (killed, often for lack of memory)",
	} {
		if got := (&ExitError{Code: code}).Error(); got != want {
			t.Errorf("%d: %s", code, got)
		}
	}
}

// Some signals have other numbers on macOS and the BSDs than on Linux.
func TestSignalNumbersOfThisSystem(t *testing.T) {
	names := map[int]string{7: "SIGBUS", 10: "SIGUSR1", 12: "SIGUSR2", 16: "SIGSTKFLT", 29: "SIGIO", 30: "SIGPWR", 31: "SIGSYS"}
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		names = map[int]string{7: "", 10: "SIGBUS", 12: "SIGSYS", 16: "", 29: "", 30: "SIGUSR1", 31: "SIGUSR2"}
	}
	for number, want := range names {
		if got, _, _ := strings.Cut(signalName(number), " "); got != want {
			t.Errorf("signal %d is %q, want %q", number, got, want)
		}
	}
}
