// Package failure ends a program with an error.
package failure

import (
	"errors"
	"fmt"
	"io"
)

// Reported is an error that was printed already, such as the verdict of a scan. Only its exit code is left.
type Reported struct{ Code int }

func (r *Reported) Error() string { return fmt.Sprintf("exit status %d", r.Code) }

// ExitCode is the exit code of the program.
func (r *Reported) ExitCode() int { return r.Code }

// Write prints an error in the name of the program. Each of several errors that were
// joined begins with the name, and the further lines of an error do not, as git prints
// them: these are a list or a part of a file.
func Write(w io.Writer, program string, err error) {
	for _, e := range joined(err) {
		fmt.Fprintf(w, "%s: %s\n", program, e)
	}
}

// joined returns the errors that were joined to err, or err alone if its message has more
// than theirs.
func joined(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		if parts := e.Unwrap(); len(parts) > 0 && errors.Join(parts...).Error() == err.Error() {
			var all []error
			for _, part := range parts {
				all = append(all, joined(part)...)
			}

			return all
		}
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil && inner.Error() == err.Error() {
			return joined(inner)
		}
	}

	return []error{err}
}
