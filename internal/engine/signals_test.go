package engine

import "testing"

func TestExitErrorNamesTheSignal(t *testing.T) {
	for code, want := range map[int]string{
		139: "exit status 139, which is the end by signal SIGSEGV (invalid memory access)", 1: "exit status 1", 128: "exit status 128",
		135: "exit status 135, which is the end by signal SIGBUS (invalid memory access)",
		141: "exit status 141, which is the end by signal SIGPIPE (nobody reads what it writes)",
		137: "exit status 137, which is the end by signal SIGKILL (killed, often for lack of memory)",
	} {
		if got := (&ExitError{Code: code}).Error(); got != want {
			t.Errorf("%d: %s", code, got)
		}
	}
}
