package engine

import "testing"

func TestExitErrorNamesTheSignal(t *testing.T) {
	for code, want := range map[int]string{
		139: "exit status 139, which is the end by signal SIGSEGV (invalid memory access)", 1: "exit status 1", 128: "exit status 128",
		137: "exit status 137, which is the end by signal SIGKILL (killed, often for lack of memory)",
	} {
		if got := (&ExitError{Code: code}).Error(); got != want {
			t.Errorf("%d: %s", code, got)
		}
	}
}
