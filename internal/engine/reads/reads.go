// Package reads records which files the processes of a stage read, besides those of its own directory.
//
// On Linux 5.5 or later the kernel stops each system call that names a file, tells this program, and continues. The
// programs of the stage need not cooperate and need no privileges, and they see no difference. It is a record and not
// a restriction: a program that changes the path in its memory at the right moment is recorded wrong.
//
// The package only imports the standard library without regexp, x/sys and x/net/bpf, so that the process that it needs
// starts before the rest of the program is initialized.
package reads

// A Read is a path that a stage read.
type Read struct {
	// Path is absolute and as the program wrote it, with symbolic links.
	Path string
	// Opened reports whether it was opened or executed. Otherwise only its status was asked for.
	Opened bool
	// Denied reports whether the sandbox denied the content, so that only the existence was visible.
	Denied bool
}

// maxReads is the largest number of paths of one recording. A stage that reads more has no complete record.
const maxReads = 200_000
