package main

import (
	"fmt"
	"os"
)

// output is standard output. It records write errors: most commands print line by line, and none
// may exit with 0 if its output is incomplete.
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

// Fd allows a command to find out whether it prints to a terminal.
func (o *output) Fd() uintptr { return o.file.Fd() }

// whole returns err, or if err is nil, the error of the first failed write.
func (o *output) whole(err error) error {
	if err != nil || o.err == nil {
		return err
	}
	return fmt.Errorf("standard output is incomplete: %w; free space or redirect the output, and run again", o.err)
}
