package command

import (
	"errors"
	"fmt"
	"io"
)

// WriteError prints an error in the name of the program. Each of several errors that were
// joined begins with the name, and the further lines of an error do not, as git prints
// them: these are a list or a part of a file.
func WriteError(w io.Writer, program string, err error) {
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
