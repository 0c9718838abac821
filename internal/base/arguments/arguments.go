// Package arguments checks the arguments of verbs. Its errors have types, so that a program can add the
// verb's usage to them without reading their text.
package arguments

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
)

// CountError is the error of a verb with too few or too many arguments.
type CountError struct {
	Least int
	Most  int // negative: any number
	Got   int
}

func (e *CountError) Error() string {
	switch {
	case e.Least == e.Most:
		return fmt.Sprintf("needs %s, but got %d", english.Plural(e.Least, "argument", ""), e.Got)
	case e.Most < 0:
		return fmt.Sprintf("needs at least %s, but got %d", english.Plural(e.Least, "argument", ""), e.Got)
	case e.Least == 0:
		return fmt.Sprintf("takes at most %s, but got %d", english.Plural(e.Most, "argument", ""), e.Got)
	}
	return fmt.Sprintf("takes %d to %d arguments, but got %d", e.Least, e.Most, e.Got)
}

// UnexpectedError is the error of an argument of a verb that takes none. If the verb has others below it, the
// argument is probably a misspelt one.
type UnexpectedError struct {
	Argument string
	Verb     string
}

func (e *UnexpectedError) Error() string {
	return fmt.Sprintf("unknown command %q for %q", e.Argument, e.Verb)
}

// None refuses all arguments.
func None(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &UnexpectedError{args[0], cmd.CommandPath()}
	}
	return nil
}

// Exactly requires n arguments.
func Exactly(n int) cobra.PositionalArgs { return Between(n, n) }

// AtLeast requires n arguments or more.
func AtLeast(n int) cobra.PositionalArgs { return Between(n, -1) }

// AtMost allows n arguments.
func AtMost(n int) cobra.PositionalArgs { return Between(0, n) }

// Between requires from least to most arguments; without an upper bound if most is negative.
func Between(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if got := len(args); got < least || most >= 0 && got > most {
			return &CountError{least, most, got}
		}
		return nil
	}
}
