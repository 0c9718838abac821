// Package subprocess runs programs that Touchstone did not write and leaves
// nothing of them behind. Each program leads a process group of its own; the
// group ends with the program. The end of its error output is kept for
// messages. The package also measures the memory of such a group.
//
// It imports nothing of ours and does not know what the programs are for.
package subprocess
