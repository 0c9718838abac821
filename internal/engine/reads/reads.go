// Package reads records which files the processes of a stage read, besides those of its own directory.
//
// On Linux the recorder, which is this program started again, starts the command of the stage and traces it with
// ptrace(2). A filter of system calls stops a process only at calls that name a file. The recorder notes the path and
// lets the kernel continue, so that permissions and results of calls stay those of the kernel. It is in the sandbox of
// the stage. It is a record and not a restriction: a program that changes the path in its memory at the right moment is
// recorded wrong.
//
// The package only imports the standard library without regexp, x/sys and x/net/bpf, so that the recorder starts before
// the rest of the program is initialized.
package reads

import "errors"

// A Read is a path that a stage read.
type Read struct {
	// Path is absolute and as the program wrote it, with symbolic links.
	Path string
	// Opened reports whether it was opened or executed. Otherwise only its status was asked for.
	Opened bool
	// Missing reports whether there was no such file when the stage first named it.
	Missing bool
	// Denied reports whether the sandbox denied the content, so that only the existence was visible.
	Denied bool
}

// ErrUnrecordable is the error of a stage that does what a traced process cannot do, such as tracing another one. It was
// ended before, and must run again without a record.
var ErrUnrecordable = errors.New("the command traces processes, so what it reads cannot be recorded")

// maxReads is the largest number of paths of one recording. A stage that reads more has no complete record.
const maxReads = 200_000
