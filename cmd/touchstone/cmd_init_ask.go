package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ask asks on a terminal which proxy, and for what its adapter needs.
func (c *initChoice) ask(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	question := func(text, otherwise string) (string, error) {
		fmt.Fprintf(out, "%s [%s]: ", text, otherwise)
		if !lines.Scan() {
			return "", errors.New("no answer; tell it with flags instead: touchstone init --help")
		}
		return cmp.Or(strings.TrimSpace(lines.Text()), otherwise), nil
	}
	fmt.Fprintln(out, "Which proxy is to be evaluated?")
	for _, name := range adapterNames() {
		a, err := (&initChoice{proxy: name}).about()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  %-10s  %s\n", name, a)
	}
	fmt.Fprintf(out, "  %-10s  %s\n", "own", "One of yours that keeps to docs/own-proxy.md, built from source.")
	fmt.Fprintf(out, "  %-10s  %s\n", "FILE.hcl", "Any other, by an adapter of your own; see docs/adapters.md.")
	var err error
	if c.proxy, err = question("Proxy", "reference"); err != nil {
		return err
	}
	switch c.proxy {
	case "reference":
		c.proxy = "" // it is the default, without an adapter
		return nil
	case "own":
		c.proxy = ""
		if c.source, err = question("Directory of its source, from where the pipeline lies", "../proxy"); err != nil {
			return err
		}
		var build string
		if build, err = question("Command that builds it there", "go build -o proxy ."); err != nil {
			return err
		}
		c.build = strings.Fields(build)
		c.binary, err = question("File that it leaves", "proxy")
		return err
	}
	a, _, err := c.adapter()
	if err != nil {
		return err
	}
	if a.Build != nil {
		if c.source, err = question("Directory of its source, from where the pipeline lies", "../"+a.Name); err != nil {
			return err
		}
	}
	for _, o := range a.Options {
		if o.Default != nil {
			continue
		}
		v, err := question(strings.TrimSuffix(o.About, ".")+" ("+o.Name+")", "")
		if err != nil {
			return err
		}
		c.options = append(c.options, o.Name+"="+v)
	}
	return nil
}

// about is what the adapter says of itself.
func (c *initChoice) about() (string, error) {
	a, _, err := c.adapter()
	if err != nil {
		return "", err
	}
	return a.About, nil
}
