package main

import (
	"fmt"
	"os"
)

// output is standard output, which remembers that a write to it failed: most
// verbs print line by line, and none may end with 0 when what it printed is
// not whole.
type output struct {
	file *os.File
	err  error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd lets a verb find out whether it prints to a terminal.
func (o *output) Fd() uintptr { return o.file.Fd() }

// whole is the error of a verb that ended with err, or else that of the first
// failed write.
func (o *output) whole(err error) error {
	if err != nil || o.err == nil {
		return err
	}
	return fmt.Errorf("what is on standard output is not whole: %w; make room or write it elsewhere, and run this again", o.err)
}
