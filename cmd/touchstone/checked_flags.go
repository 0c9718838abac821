package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// oneOf is the value of a flag that takes one of a few words. An empty text stands for the default.
type oneOf struct {
	text  *string
	words []string
}

func oneOfVar(p *pflag.FlagSet, text *string, name, value, usage string, words ...string) {
	*text = value
	p.Var(&oneOf{text, words}, name, usage)
}

func (v *oneOf) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

func (*oneOf) Type() string { return "string" }

func (v *oneOf) Set(text string) error {
	if text != "" && !slices.Contains(v.words, text) {
		n := len(v.words) - 1
		return fmt.Errorf("use %s or %s", strings.Join(v.words[:n], ", "), v.words[n])
	}
	*v.text = text
	return nil
}

// notEmpty is the value of a flag that names a file or directory, which what says.
type notEmpty struct {
	text *string
	what string
}

// outputVar adds the flag -o, which must not be empty if it is given.
func outputVar(p *pflag.FlagSet, text *string, what, usage string) {
	p.VarP(&notEmpty{text, what}, "output", "o", usage)
}

func (v *notEmpty) String() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

func (*notEmpty) Type() string { return "string" }

func (v *notEmpty) Set(text string) error {
	if text == "" {
		return fmt.Errorf("name a %s", v.what)
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
