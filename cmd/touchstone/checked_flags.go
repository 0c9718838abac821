package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// checkedText is the value of a flag whose text is checked when it is given.
type checkedText struct {
	text  *string
	check func(string) error
}

// oneOfVar adds a flag that takes one of a few words. An empty text stands for the default.
func oneOfVar(p *pflag.FlagSet, text *string, name, value, usage string, words ...string) {
	*text = value
	p.Var(&checkedText{text, func(given string) error {
		if given == "" || slices.Contains(words, given) {
			return nil
		}
		n := len(words) - 1
		return fmt.Errorf("use %s or %s", strings.Join(words[:n], ", "), words[n])
	}}, name, usage)
}

// outputVar adds the flag -o, which names a file or directory, as what says.
func outputVar(p *pflag.FlagSet, text *string, what, usage string) {
	p.VarP(&checkedText{text, func(given string) error {
		if given == "" {
			return fmt.Errorf("name a %s", what)
		}
		return nil
	}}, "output", "o", usage)
}

func (v *checkedText) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

func (*checkedText) Type() string { return "string" }

func (v *checkedText) Set(text string) error {
	if err := v.check(text); err != nil {
		return err
	}
	*v.text = text
	return nil
}

// atLeastOne is the value of a flag that takes a positive number. It is 0 unless the flag is given.
type atLeastOne int

func (n *atLeastOne) String() string { return strconv.Itoa(int(*n)) }

func (*atLeastOne) Type() string { return "int" }

func (n *atLeastOne) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil || v < 1 {
		return fmt.Errorf("give a number, 1 or more")
	}
	*n = atLeastOne(v)
	return nil
}
