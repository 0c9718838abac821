package engine

import "runtime"

// signalNames are the signals that end programs, with their numbers on Linux.
var signalNames = map[int]string{
	1: "SIGHUP (hangup)", 2: "SIGINT (interrupt)", 3: "SIGQUIT (quit)", 4: "SIGILL (illegal instruction)",
	5: "SIGTRAP (breakpoint)", 6: "SIGABRT (abort)", 7: "SIGBUS (invalid memory access)",
	8: "SIGFPE (arithmetic error)", 9: "SIGKILL (killed, often for lack of memory)",
	10: "SIGUSR1 (meaning set by the program)", 11: "SIGSEGV (invalid memory access)",
	12: "SIGUSR2 (meaning set by the program)", 13: "SIGPIPE (nobody reads what it writes)", 14: "SIGALRM (alarm)",
	15: "SIGTERM (termination)", 16: "SIGSTKFLT (stack fault)", 24: "SIGXCPU (limit of processor time)",
	25: "SIGXFSZ (limit of file size)", 26: "SIGVTALRM (alarm of processor time)", 27: "SIGPROF (alarm of a profiler)",
	29: "SIGIO (input or output is possible)", 30: "SIGPWR (power failure)", 31: "SIGSYS (forbidden system call)",
}

// bsdSignals are the numbers on Linux of the signals that have other numbers on macOS and the BSDs, by those. It is 0
// for a signal that Linux does not have or that ends no program there.
var bsdSignals = map[int]int{7: 0, 10: 7, 12: 31, 16: 0, 29: 0, 30: 10, 31: 12}

// signalName returns the name of a signal that ended a command, with its meaning, or "". The number is that of this
// system. Windows has no signals, so there it is that of a container.
func signalName(number int) string {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" {
		if linux, differs := bsdSignals[number]; differs {
			number = linux
		}
	}
	return signalNames[number]
}
