package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// ignoreFile is the name of the file that lists what git ignores.
const ignoreFile = ".gitignore"

// initChoice holds the settings of init for the proxy.
type initChoice struct {
	// proxy is the name of an included adapter or the path of another one. It is
	// empty for the reference proxy and for a proxy of the native contract.
	proxy       string
	options     []string
	source      string
	binary      string
	build       []string
	args        []string
	secret      string
	fullNetwork bool

	ci       string // github, gitlab, none, or empty for what the repository uses
	baseline bool
}

func newInitCommand() *cobra.Command {
	var c initChoice
	var remote initRemoteFlags
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a working pipeline for a proxy, with initial data",
		Long: `Writes the pipeline, the datasets, the proxy's adapter and a .gitignore to DIR (default:
the current directory). The pipeline can run immediately. In a git repository whose host
is GitHub or GitLab, it also writes a file for its CI. With --baseline, it measures the
proxy and writes the baseline. No existing file is changed.

With --remote-cache, the pipeline names this cache, and in CI pull requests read it and the
default branch signs and writes. --remote-sign env:NAME and --remote-header NAME=env:NAME name
the secrets of CI for that.

On a terminal, init asks for the proxy. Otherwise --proxy names it: ` + strings.Join(adapterNames(), ", ") + `,
or the path of an adapter. Without --proxy it is the reference proxy, or with
--proxy-source a proxy that follows docs/reference/proxy-contract.md.

  touchstone init eval --proxy bare-mcp --baseline
  touchstone init eval --proxy-source ../myproxy \
    --proxy-build go --proxy-build build --proxy-build -o --proxy-build proxy --proxy-build .
  cd eval && touchstone doctor && touchstone baseline update && touchstone gate`,
		Args: arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}

			told := cmd.Flags().Changed("proxy") || cmd.Flags().Changed("proxy-source") ||
				cmd.Flags().Changed("baseline")
			if in, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(int(in.Fd())) && !told {
				if err := c.ask(cmd.InOrStdin(), cmd.ErrOrStderr()); err != nil {
					return err
				}
			}

			shared, err := initRemoteOf(&remote)
			if err != nil {
				return err
			}

			files, err := c.files()
			if err == nil && shared != nil {
				files, err = shared.declare(files)
			}

			if err != nil {
				return err
			}

			ci, err := planCI(cmd, c.ci, dir, shared)
			if err != nil {
				return err
			}

			if err := writeNew(cmd, dir, files); err != nil {
				return err
			}

			if c.source != "" {
				noteSource(cmd.ErrOrStderr(), dir, c.source)
			}

			host := ""
			if ci != nil {
				host = ci.host
				if err := ci.write(cmd); err != nil {
					return err
				}
			}

			if shared != nil {
				shared.next(cmd.ErrOrStderr(), dir, host)
			}

			if c.baseline {
				return initBaseline(cmd, dir)
			}

			fmt.Fprintf(cmd.ErrOrStderr(), "next steps, in %s: run %[2]s doctor to check the setup; run %[2]s "+
				"baseline update, then review and commit the baseline; run %[2]s gate\n", dir, toolName)
			return nil
		},
	}
	p := cmd.Flags()
	p.StringVar(&c.proxy, "proxy", "", "the proxy: the name of an included adapter, or the path of an adapter")
	p.StringArrayVar(&c.options, "proxy-option", nil, "NAME=VALUE, a setting of the adapter (repeatable)")
	p.StringVar(&c.source, "proxy-source", "", "the directory of the proxy's source, relative to DIR")
	p.StringArrayVar(&c.build, "proxy-build", nil,
		"a word of the build command (repeat for each word; without it the executable must already be in the source)")
	p.StringArrayVar(&c.args, "proxy-arg", nil, "an argument for a proxy without an adapter (repeatable)")
	p.StringVar(&c.binary, "proxy-binary", "",
		"the executable that the build produces, relative to the source (default: as in the adapter, or proxy)")
	p.StringVar(&c.secret, "proxy-secret", "", "the source of the proxy's secret, env:NAME or file:PATH")
	p.StringVar(&c.ci, "ci", "", "write a file for the CI of this host: github, gitlab or none (default: the host "+
		"of the repository)")
	p.BoolVar(&c.baseline, "baseline", false, "measure the proxy and write the baseline")
	p.BoolVar(&c.fullNetwork, "proxy-network", false, "allow the proxy to reach more than loopback")
	remote.add(p)
	return cmd
}

// noteSource prints a note if the source does not exist. This is not an error, because the
// source may be added later.
func noteSource(w io.Writer, dir, source string) {
	from := source
	if !filepath.IsAbs(source) {
		from = filepath.Join(dir, source)
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "note: %s does not exist yet; the path of the source is relative to %s, and is the default "+
			"of proxy_source in proxy.hcl\n", from, dir)
	}
}

// writeNew writes files to dir that do not exist there. An existing .gitignore is common, so
// it is kept and not an error.
func writeNew(cmd *cobra.Command, dir string, files []initFile) error {
	there := map[string]bool{}
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		_, err := os.Lstat(path)
		there[f.path] = !errors.Is(err, fs.ErrNotExist)
		if there[f.path] && f.path != ignoreFile {
			return fmt.Errorf("%s exists, and init does not overwrite files: choose another directory", path)
		}
	}

	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if there[f.path] {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: %s exists and is not changed: add the line %s", path, f.content)
			continue
		}

		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}

		if err := atomicfile.WriteFile(path, f.content, 0o644); err != nil {
			return err
		}

		fmt.Fprintln(cmd.OutOrStdout(), path)
	}

	return nil
}

// files returns the files to write.
func (c *initChoice) files() ([]initFile, error) {
	defaults := map[string]cty.Value{}
	if c.source != "" {
		defaults["proxy_source"] = cty.StringVal(c.source)
	}

	if c.binary != "" {
		defaults["proxy_binary"] = cty.StringVal(c.binary)
	}

	if len(c.build) > 0 {
		defaults["proxy_build"] = wordList(c.build)
	}

	if len(c.args) > 0 {
		defaults["proxy_args"] = wordList(c.args)
	}

	if c.secret != "" {
		defaults["proxy_secret"] = cty.StringVal(c.secret)
	}

	if c.fullNetwork {
		defaults["proxy_network"] = cty.StringVal("full")
	}

	// The baseline belongs to the project, whatever its proxy is.
	defaults["baseline_name"] = cty.StringVal("")
	if c.proxy == "" {
		if len(c.options) > 0 {
			return nil, errors.New("--proxy-option requires an adapter: give one with --proxy")
		}

		for _, f := range []struct {
			name  string
			given bool
		}{{"--proxy-build", len(c.build) > 0}, {"--proxy-binary", c.binary != ""}, {"--proxy-arg", len(c.args) > 0}} {
			if f.given && c.source == "" {
				return nil, fmt.Errorf("%s has no effect without --proxy-source, and the reference proxy would be "+
					"measured: name the directory of the proxy's source with --proxy-source, or leave out %[1]s",
					f.name)
			}
		}

		return initFiles(defaults)
	}

	a, content, err := c.adapter()
	if err != nil {
		return nil, err
	}

	options, err := pairs("--proxy-option", c.options)
	if err != nil {
		return nil, err
	}

	if _, err := a.Run(adapter.Setting{Listen: "127.0.0.1:0", Options: options}); err != nil {
		return nil, fmt.Errorf("%w; for init, use --proxy-option", err)
	}

	if a.Network == "full" {
		defaults["proxy_network"] = cty.StringVal("full")
	}

	switch {
	case a.Build != nil && c.source == "":
		return nil, fmt.Errorf("adapter %s builds its proxy from source: name the directory of the source with "+
			"--proxy-source", a.Name)
	case a.Build == nil && (c.source != "" || len(c.build) > 0 || c.binary != ""):
		return nil, fmt.Errorf("adapter %s has no build: leave out --proxy-source, --proxy-build and --proxy-binary",
			a.Name)
	case len(c.args) > 0:
		return nil, errors.New("--proxy-arg applies to proxies without an adapter: an adapter itself defines the " +
			"arguments of its proxy")
	}

	defaults["proxy"] = cty.StringVal(a.Name)
	if len(options) > 0 {
		values := map[string]cty.Value{}
		for name, v := range options {
			values[name] = cty.StringVal(v)
		}

		defaults["proxy_options"] = cty.MapVal(values)
	}

	files, err := initFiles(defaults)
	return append(files, initFile{"adapters/" + a.Name + ".hcl", content}), err
}

// adapter reads the selected adapter.
func (c *initChoice) adapter() (*adapter.Adapter, []byte, error) {
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
	list := make([]cty.Value, len(words))
	for i, w := range words {
		list[i] = cty.StringVal(w)
	}
	return cty.ListVal(list)
}

type initFile struct {
	path    string
	content []byte
}

// initFiles returns the pipeline of this repository with other defaults, and its newest
// datasets. There is no baseline among them, since ours has the figures of the reference proxy.
func initFiles(defaults map[string]cty.Value) ([]initFile, error) {
	files, err := initPipeline(defaults)
	if err != nil {
		return nil, err
	}

	files = append(files, initFile{ignoreFile, []byte("/reports/\n")})
	for _, pattern := range []string{"datasets/*.json", "datasets/upstreams.hcl", "datasets/upstreams/*.json"} {
		data, err := fs.Glob(touchstone.Template, pattern)
		if err != nil {
			return nil, err
		}

		for _, name := range data {
			b, err := touchstone.Template.ReadFile(name)
			if err != nil {
				return nil, err
			}

			files = append(files, initFile{name, b})
		}
	}

	return files, nil
}

// initPipeline returns the files of the pipeline with other defaults of variables.
func initPipeline(defaults map[string]cty.Value) ([]initFile, error) {
	names, err := fs.Glob(touchstone.Template, "*.hcl")
	if err != nil {
		return nil, err
	}

	var files []initFile
	set := map[string]bool{}
	for _, name := range names {
		src, err := touchstone.Template.ReadFile(name)
		if err != nil {
			return nil, err
		}

		file, diags := hclwrite.ParseConfig(src, name, hcl.InitialPos)
		if diags.HasErrors() {
			return nil, diags
		}

		for variable, value := range defaults {
			if block := file.Body().FirstMatchingBlock("variable", []string{variable}); block != nil {
				block.Body().SetAttributeValue("default", value)
				set[variable] = true
			}
		}

		files = append(files, initFile{name, file.Bytes()})
	}

	for variable := range defaults {
		if !set[variable] {
			return nil, fmt.Errorf("the pipeline has no variable %s", variable)
		}
	}

	return files, nil
}
