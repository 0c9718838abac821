//go:build !containers

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// settings returns the values of variables for the pipeline, and the file of the adapter if there is one. dir is the
// directory of the pipeline.
func (c *initChoice) settings(log io.Writer, dir string) (map[string]cty.Value, *initFile, error) {
	for _, v := range c.vars {
		if strings.HasPrefix(v, "proxy=") {
			return nil, nil, errors.New("--var proxy: name the adapter with --proxy, so that init copies it")
		}
	}

	// The baseline belongs to the project, whatever its proxy is.
	c.base["baseline"] = cty.StringVal("datasets/baseline_*.json")
	if c.proxy == "" && c.found == nil {
		settings, err := c.resolve(log, dir)
		return settings, nil, err
	}

	a, content, err := c.adapter()
	if err != nil {
		return nil, nil, err
	}

	c.base["proxy"] = cty.StringVal(a.Name)
	if a.Network == "full" {
		c.base["proxy_process"] = cty.ObjectVal(map[string]cty.Value{"network": cty.StringVal("full")})
	}

	settings, err := c.resolve(log, dir)
	if err != nil {
		return nil, nil, err
	}

	options := map[string]string{}
	if given, ok := settings["proxy_options"]; ok {
		for name, v := range given.AsValueMap() {
			if !v.IsNull() {
				options[name] = v.AsString()
			}
		}
	}

	if _, err := a.Run(adapter.Setting{Listen: "127.0.0.1:0", Options: options}); err != nil {
		return nil, nil, err
	}

	source := textOf(settings, "proxy_source")
	_, build := settings["proxy_build"]
	switch {
	case a.Build != nil && source == "":
		return nil, nil, fmt.Errorf("adapter %s builds its proxy from source: name the directory of the source with "+
			"--var proxy_source=DIR", a.Name)
	case a.Build == nil && (source != "" || build):
		return nil, nil, fmt.Errorf("adapter %s has no build: leave out proxy_source and proxy_build", a.Name)
	case len(wordsOf(settings, "proxy_process", "args")) > 0:
		return nil, nil, errors.New("proxy_process.args applies to proxies without an adapter: an adapter itself " +
			"defines the arguments of its proxy")
	}

	return settings, &initFile{"adapters/" + a.Name + ".hcl", content}, nil
}

// resolve returns the values of the variables that are set.
func (c *initChoice) resolve(log io.Writer, dir string) (map[string]cty.Value, error) {
	s := pipeline.Settings{Files: evaluationFiles(), Dir: dir, Base: c.base, Vars: c.vars}
	values, diags := s.Resolve()
	if !diags.HasErrors() {
		return values, nil
	}

	for _, d := range diags {
		d.Subject = nil // the place is in this program
	}

	if err := pipeline.WriteDiagnostics(log, diags, nil, false, 0); err != nil {
		return nil, err
	}

	return nil, &exitError{exitUsage, errors.New("nothing was written: correct --var")}
}

// textOf returns a variable of type string, or "" if it is not set.
func textOf(settings map[string]cty.Value, name string) string {
	if v, ok := settings[name]; ok && !v.IsNull() {
		return v.AsString()
	}
	return ""
}

// wordsOf returns an attribute that is a list of strings.
func wordsOf(settings map[string]cty.Value, name, attribute string) []string {
	v, ok := settings[name]
	if !ok || !v.Type().HasAttribute(attribute) {
		return nil
	}
	var words []string
	for _, word := range v.GetAttr(attribute).AsValueSlice() {
		if !word.IsNull() {
			words = append(words, word.AsString())
		}
	}
	return words
}

// programs lists the programs that build and start the proxy.
func programs(settings map[string]cty.Value, adapter *initFile) []string {
	var text []byte
	if adapter != nil {
		text = adapter.content
	}
	return programsOf(text, wordsOf(settings, "proxy_build", "command"))
}

// adapter reads the selected adapter.
func (c *initChoice) adapter() (*adapter.Adapter, []byte, error) {
	if c.found != nil {
		a, err := adapter.Parse(c.found.adapter, c.found.name+".hcl")
		return a, c.found.adapter, err
	}

	name := c.proxy
	content, err := touchstone.Template.ReadFile("adapters/" + name + ".hcl")
	if err != nil {
		if !strings.HasSuffix(name, ".hcl") {
			return nil, nil, fmt.Errorf("unknown adapter %s: use one of %s, or the path of a file that ends in .hcl",
				name, strings.Join(adapterNames(), ", "))
		}

		if content, err = readlimit.File(context.Background(), name, adapter.MaxFile); err != nil {
			return nil, nil, err
		}
	}

	a, err := adapter.Parse(content, name)
	if err != nil {
		return nil, nil, err
	}

	if a.Name != filepath.Base(a.Name) || strings.ContainsAny(a.Name, " \\") {
		return nil, nil, fmt.Errorf("the adapter's name %q cannot be a file name: rename it", a.Name)
	}

	return a, content, nil
}

// adapterNames lists the included adapters.
func adapterNames() []string {
	files, err := fs.Glob(touchstone.Template, "adapters/*.hcl")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".hcl")
	}
	return files
}

func wordList(words []string) cty.Value {
	if len(words) == 0 {
		return cty.ListValEmpty(cty.String)
	}

	list := make([]cty.Value, len(words))
	for i, w := range words {
		list[i] = cty.StringVal(w)
	}
	return cty.ListVal(list)
}
