package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone/internal/base/redact"
)

// hidden holds the sensitive values of the pipeline and its secrets. It is one for the process,
// like its two outputs, which print nothing without it.
var hidden redact.Set

// output is standard output or standard error. It removes secrets, and records write errors: most
// commands print line by line, and none may exit with 0 if its output is incomplete.
type output struct {
	file *os.File
	err  error
}

// Write removes secrets from b, which should be at least a line: a secret that is written in
// parts is not recognized.
func (o *output) Write(b []byte) (int, error) {
	if _, err := o.file.Write(hidden.Bytes(b)); err != nil {
		if o.err == nil {
			o.err = err
		}
		return 0, err
	}
	return len(b), nil
}

// Fd allows a command to find out whether it prints to a terminal.
func (o *output) Fd() uintptr { return o.file.Fd() }

// whole returns err, or if err is nil, the error of the first failed write.
func (o *output) whole(err error) error {
	if err != nil || o.err == nil {
		return err
	}
	return fmt.Errorf("standard output is incomplete: %w; free space or redirect the output, and run again", o.err)
}

// terminal returns the terminal that w writes to, or nil and false.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	if o, is := w.(*output); is {
		f, ok = o.file, true
	}
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	return f, true
}
