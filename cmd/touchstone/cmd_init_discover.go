//go:build !containers

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/proxy/discover"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
)

// foundProxy is a proxy in the current directory whose adapter follows from trials.
type foundProxy struct {
	name     string
	adapter  []byte
	language string
}

// evalDir is the directory of the pipeline in that of the proxy.
const evalDir = "eval"

// detect looks for the proxy in the current directory, unless the pipeline is to be written elsewhere than
// right below it: then it is not that of the program here.
func (c *initChoice) detect(args []string) (*discover.Program, error) {
	if len(args) > 0 && filepath.Dir(filepath.Clean(args[0])) != "." {
		return nil, discover.ErrNone
	}
	return discover.Detect(".")
}

// choose decides which proxy is evaluated: what the flags name, what the user answers, or what is in the
// current directory. It returns the directory of the pipeline.
func (c *initChoice) choose(cmd *cobra.Command, args []string, dir string) (string, error) {
	c.baseline = c.baseline || c.yes
	named := cmd.Flags().Changed("proxy") ||
		slices.ContainsFunc(c.vars, func(v string) bool { return strings.HasPrefix(v, "proxy_source=") })
	if named {
		if c.start != "" || c.searchTool != "" {
			return "", errors.New("--proxy-start and --search-tool are for the proxy in the current directory: leave " +
				"out --proxy and --var proxy_source")
		}

		return dir, nil
	}

	var ask question
	in, ok := cmd.InOrStdin().(*os.File)
	if ok && term.IsTerminal(int(in.Fd())) && !c.yes && !cmd.Flags().Changed("baseline") {
		ask = questions(in, cmd.ErrOrStderr())
	}

	p, err := c.detect(args)
	switch {
	case errors.Is(err, discover.ErrNone) && c.start == "":
		if ask != nil {
			return dir, c.ask(ask, cmd.ErrOrStderr())
		}

		if c.yes {
			fmt.Fprintln(cmd.ErrOrStderr(), "note: the current directory has no program in Go, Node or Python that "+
				"speaks MCP, so this is the reference proxy; run init in the directory of the proxy, or name its "+
				"command with --proxy-start")
		}

		return dir, nil
	case errors.Is(err, discover.ErrNone):
		p = &discover.Program{Dir: ".", Language: discover.Other}
	case err != nil:
		return "", err
	}

	if len(args) == 0 {
		dir = evalDir
	}

	if _, err := os.Lstat(filepath.Join(dir, defaultFile)); err == nil {
		return "", fmt.Errorf("%s exists, and init does not overwrite files: choose another directory",
			filepath.Join(dir, defaultFile))
	}

	if p.Language != discover.Other {
		fmt.Fprintf(cmd.ErrOrStderr(), "this directory has a program in %s: %s\n", p.Title(), p.Main())
	}

	if ask != nil {
		if other, err := c.askStart(ask, cmd, p); other || err != nil {
			return dir, err
		}
	}

	if err := c.discover(cmd.Context(), cmd, p, ask, dir); err != nil {
		return "", err
	}

	if ask != nil {
		return dir, c.askBaseline(ask)
	}

	return dir, nil
}

// askStart asks whether the program that was found is the proxy. other reports that another proxy was chosen.
func (c *initChoice) askStart(ask question, cmd *cobra.Command, p *discover.Program) (other bool, err error) {
	answer, err := ask("Evaluate it? yes, other for another proxy, or the command that starts it, with {config} for "+
		"the file with its servers and {port} for its port", "yes")
	switch {
	case err != nil:
		return false, err
	case answer == "other" || answer == "no":
		return true, c.ask(ask, cmd.ErrOrStderr())
	case answer != "yes" && answer != "y":
		c.start = answer
	}

	return false, nil
}

// discover finds out how the proxy is started and searched.
func (c *initChoice) discover(ctx context.Context, cmd *cobra.Command, p *discover.Program, ask question,
	dir string) error {
	corpus, err := templateCorpus()
	if err != nil {
		return err
	}

	executable, err := os.Executable()
	if err != nil {
		return err
	}

	work, err := os.MkdirTemp("", "touchstone-init-")
	if err != nil {
		return err
	}

	defer os.RemoveAll(work)
	starts := p.Starts()
	if c.start != "" {
		command, err := input.SplitCommand(c.start)
		if err != nil {
			return fmt.Errorf("--proxy-start: %w", err)
		}

		starts = p.StartsWith(command)
	}

	restore, err := asInStages(p)
	if err != nil {
		return err
	}

	defer restore()
	began := time.Now()
	o := discover.Options{
		Program: p, Starts: starts, Name: proxyName(), SearchTool: c.searchTool, Corpus: corpus, Executable: executable,
		Progress: func(message string) { fmt.Fprintln(cmd.ErrOrStderr(), message) },
		Build: func(ctx context.Context, text []byte) (string, error) {
			file := filepath.Join(work, "adapter.hcl")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				return "", err
			}

			options := buildproxy.Options{Out: filepath.Join(work, "proxy"), Adapter: file}
			if p.Entry != "" {
				options.Source = p.Dir
			}

			return options.Out, buildproxy.Run(ctx, options)
		},
	}
	if ask != nil && c.searchTool == "" {
		o.Confirm = func(proposed string, all []string) (string, error) {
			list := strings.Join(all[:min(len(all), 10)], ", ")
			return ask(fmt.Sprintf("Which tool searches (of %s)?", list), proposed)
		}
	}

	found, err := discover.Find(ctx, o)
	if err != nil {
		return fmt.Errorf("%w\nNothing was written", err)
	}

	fmt.Fprintf(cmd.ErrOrStderr(), "it works: %s answered %q with %d tools, first %s (%.1f s)\n", found.Tool.Name,
		found.Query, found.Hits, found.First, time.Since(began).Seconds())
	c.found = &foundProxy{name: o.Name, adapter: found.Adapter, language: p.Language}
	if p.Entry == "" {
		return nil // nothing in this directory belongs to it
	}

	return c.sourceFrom(dir, p.Excluded())
}

// sourceFrom names the current directory as the source, relative to that of the pipeline, and leaves the
// directory of the pipeline and other files out of it.
func (c *initChoice) sourceFrom(dir string, exclude []string) error {
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}

	at, err := filepath.Abs(dir)
	if err != nil {
		return err
	}

	source, err := filepath.Rel(at, here)
	if err != nil {
		return fmt.Errorf("%s has no path relative to the proxy: choose a directory on the same drive: %w", dir, err)
	}

	if below, err := filepath.Rel(here, at); err == nil && filepath.IsLocal(below) {
		if below == "." {
			exclude = append(exclude, "reports/**", "datasets/**", "adapters/**", defaultFile)
		} else {
			exclude = append(exclude, filepath.ToSlash(below)+"/**")
		}
	}

	c.base["proxy_source"] = cty.StringVal(filepath.ToSlash(source))
	if len(exclude) > 0 {
		c.base["proxy_build"] = cty.ObjectVal(map[string]cty.Value{"exclude": wordList(exclude)})
	}

	return nil
}

// templateCorpus is the corpus that init writes.
func templateCorpus() (contracts.Corpus, error) {
	text, err := touchstone.Template.ReadFile("datasets/corpus_v2.json")
	if err != nil {
		return contracts.Corpus{}, err
	}
	return contracts.Decode[contracts.Corpus]("datasets/corpus_v2.json", text)
}

var notInName = lazyregexp.New(`[^a-z0-9]+`)

// proxyName is the name of the proxy in reports: that of the current directory.
func proxyName() string {
	name := "proxy"
	if here, err := filepath.Abs("."); err == nil {
		base := notInName().ReplaceAllString(strings.ToLower(filepath.Base(here)), "-")
		name = cmp.Or(strings.Trim(base, "-"), name)
	}
	if slices.Contains(adapterNames(), name) {
		name += "-proxy"
	}
	return name
}

// asInStages sets the environment as the stages have it, so that a trial finds what they will find, and returns
// a function that restores it.
func asInStages(p *discover.Program) (restore func(), err error) {
	const goPath = "/usr/local/go/bin:"
	before := os.Getenv("PATH")
	if os.PathSeparator != '/' {
		return func() {}, nil
	}

	for _, needed := range p.Needs() {
		if lookIn(goPath+engine.DefaultPath, needed) != "" {
			continue
		}

		if own := lookIn(before, needed); own != "" {
			return nil, fmt.Errorf("%s is at %s, but stages only look in %s: link it there, for example sudo ln -s %s "+
				"/usr/local/bin/%s", needed, own, goPath+engine.DefaultPath, own, needed)
		}

		return nil, fmt.Errorf("%s is not installed, and the proxy needs it: install it so that it is in one of %s",
			needed, goPath+engine.DefaultPath)
	}

	// With the flags of the stage, Go finds there what a trial has compiled.
	flags, had := os.LookupEnv("GOFLAGS")
	err = errors.Join(os.Setenv("PATH", goPath+engine.DefaultPath), os.Setenv("GOFLAGS", "-trimpath -buildvcs=false"))
	return func() {
		_ = os.Setenv("PATH", before)
		if _ = os.Unsetenv("GOFLAGS"); had {
			_ = os.Setenv("GOFLAGS", flags)
		}
	}, err
}
