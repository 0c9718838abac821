// Package reads records which files the processes of a stage read, besides those of its own directory.
//
// On Linux 5.5 or later the kernel stops each system call that names a file, tells this program, and continues it
// (seccomp_unotify(2)). The calls keep their results, and the programs of the stage need no privileges. It is a record
// and not a restriction: a program that changes the path in its memory at the right moment is recorded wrong.
//
// The package only imports the standard library without regexp, x/sys and x/net/bpf, so that the process that it needs
// starts before the rest of the program is initialized.
package reads

import "errors"

// A Read is a path that a stage read.
type Read struct {
	// Path is absolute and as the program wrote it, with symbolic links.
	Path string
	// Opened reports whether it was opened or executed, and Asked whether its status was asked for. If neither is set,
	// the stage only tested whether it is there and what it may do with it.
	Opened, Asked bool
	// Seen is the file when the stage first named it.
	Seen Stamp
	// Changed reports whether the stage named it again when it was another one, and Reshaped whether so much differed
	// that a denied file shows it. It may be as first seen when the stage ends.
	Changed, Reshaped bool
	// Denied reports whether the sandbox denied the content, so that no more than the status was visible.
	Denied bool
}

// ErrDisturbed is the error of a stage whose calls may have failed because they were recorded. It must run again.
var ErrDisturbed = errors.New("recording what the command reads may have disturbed it")

// maxReads is the largest number of paths of one recording. A stage that reads more has no complete record.
const maxReads = 200_000
