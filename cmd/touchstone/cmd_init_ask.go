//go:build !containers

package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// question asks for a text; otherwise is the answer to an empty line.
type question func(text, otherwise string) (string, error)

// questions returns a function that asks on a terminal.
func questions(in io.Reader, out io.Writer) question {
	lines := bufio.NewScanner(in)
	return func(text, otherwise string) (string, error) {
		fmt.Fprintf(out, "%s [%s]: ", text, otherwise)
		if !lines.Scan() {
			return "", errors.New("no answer; use flags instead (see touchstone init --help)")
		}

		return cmp.Or(strings.TrimSpace(lines.Text()), otherwise), nil
	}
}

// ask asks for the proxy and for the settings of its adapter.
func (c *initChoice) ask(question question, out io.Writer) error {
	fmt.Fprintln(out, "Which proxy do you want to evaluate?")
	for _, name := range adapterNames() {
		a, err := (&initChoice{proxy: name}).about()
		if err != nil {
			return err
		}

		fmt.Fprintf(out, "  %-14s  %s\n", name, a)
	}

	fmt.Fprintf(out, "  %-14s  %s\n", "own",
		"Your own proxy that follows docs/reference/proxy-contract.md, built from source.")
	fmt.Fprintf(out, "  %-14s  %s\n", "FILE.hcl",
		"Any other proxy, with your own adapter (see docs/reference/adapters.md).")
	var err error
	if c.proxy, err = question("Proxy", "reference"); err != nil {
		return err
	}

	switch c.proxy {
	case "reference":
		c.proxy = "" // the default, which has no adapter
		return c.askBaseline(question)
	case "own":
		c.proxy = ""
		source, err := question("Directory of its source, relative to the pipeline", "../proxy")
		if err != nil {
			return err
		}

		build, err := question("Build command, run in that directory", "go build -o proxy .")
		if err != nil {
			return err
		}

		binary, err := question("File that the build produces", "proxy")
		if err != nil {
			return err
		}

		c.base["proxy_source"] = cty.StringVal(source)
		c.base["proxy_build"] = cty.ObjectVal(map[string]cty.Value{
			"command": wordList(strings.Fields(build)), "binary": cty.StringVal(binary),
		})
		return c.askBaseline(question)
	}

	a, _, err := c.adapter()
	if err != nil {
		return err
	}

	if a.Build != nil {
		source, err := question("Directory of its source, relative to the pipeline", "../"+a.Name)
		if err != nil {
			return err
		}

		c.base["proxy_source"] = cty.StringVal(source)
	}

	options := map[string]cty.Value{}
	for _, o := range a.Options {
		if o.Default != nil {
			continue
		}

		v, err := question(strings.TrimSuffix(o.About, ".")+" ("+o.Name+")", "")
		if err != nil {
			return err
		}

		options[o.Name] = cty.StringVal(v)
	}

	if len(options) > 0 {
		c.base["proxy_options"] = cty.MapVal(options)
	}

	return c.askBaseline(question)
}

func (c *initChoice) askBaseline(question question) error {
	answer, err := question("Measure it now and write the baseline", "yes")
	c.baseline = strings.HasPrefix(strings.ToLower(answer), "y")
	return err
}

// about returns the description of the selected adapter.
func (c *initChoice) about() (string, error) {
	a, _, err := c.adapter()
	if err != nil {
		return "", err
	}
	return a.About, nil
}
