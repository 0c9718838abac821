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

	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"

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

	eject   bool // write the stages, too
	found   *foundProxy
	exclude []string // of the source

	ci       string // github, gitlab, none, or empty for what the repository uses
	baseline bool

	yes               bool
	start, searchTool string
}

func newInitCommand() *cobra.Command {
	var c initChoice
	var remote initRemoteFlags
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a working pipeline for a proxy, with initial data",
		Long: `Run init in the directory of your proxy: a program in Go, Node or Python that speaks MCP. init
starts the proxy with servers that replay recorded tools, finds the tool that searches, and
tries a query. It writes an adapter, a file that tells Touchstone how to start and query the
proxy. Then it measures the proxy, writes the baseline, a file of figures for later
comparisons, and prints the first verdict. It writes to DIR (default: eval). On a terminal,
init asks at most three questions. --yes agrees to all of them. If init cannot start the proxy,
give the command with --proxy-start. If it does not find the search, give the tool with
--search-tool.

In another directory, init writes a pipeline, the file that describes the evaluation, for the
proxy that --proxy names, to DIR (default: the current directory). The proxy is one of
` + strings.Join(adapterNames(), ", ") + `,
or the path of an adapter. With --proxy-source instead, it is a proxy that follows
docs/reference/proxy-contract.md. With neither, it is the reference proxy. On a terminal, init
asks for the proxy.

DIR gets the pipeline, the datasets, the adapter and a .gitignore. The stages are part of
Touchstone. --eject writes them to DIR, so that you can edit them. For an existing
pipeline, it also rewrites pipeline.hcl. In a git repository on GitHub or GitLab, init also
writes a file for its CI. init changes no other existing file.

--remote-cache writes the address of a shared cache into the pipeline. In CI, the default
branch then signs and writes results, and pull requests read them. --remote-sign env:NAME and
--remote-header NAME=env:NAME give the secrets of CI for that.

  touchstone init --yes
  touchstone init --yes --proxy-start 'node proxy.mjs --config {config}'
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

			if c.eject {
				if found, err := ejectPipeline(cmd, dir); found || err != nil {
					return err
				}
			}

			dir, err := c.choose(cmd, args, dir)
			if err != nil {
				return err
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

			ci, err := planCI(cmd, c.ci, dir, shared, thisProgram(c.programs(files)))
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
				return c.firstVerdict(cmd, dir)
			}

			fmt.Fprintf(cmd.ErrOrStderr(), "next steps, in %s: run %[2]s doctor to check the setup; run %[2]s "+
				"baseline update, then review and commit the baseline; run %[2]s gate\n", dir, toolName)
			return nil
		},
	}
	p := cmd.Flags()
	p.BoolVar(&c.yes, "yes", false, "agree to all questions: use what was found, measure it and write the baseline")
	p.StringVar(&c.start, "proxy-start", "", "the command that starts the proxy in the current directory; {config} "+
		"stands for the file with its servers, {port} or {listen} for its address over HTTP")
	p.StringVar(&c.searchTool, "search-tool", "", "the tool of the proxy that searches")
	p.BoolVar(&c.eject, "eject", false, "write the stages to DIR, to edit them")
	p.StringVar(&c.proxy, "proxy", "", "the proxy: the name of an included adapter, or the path of an adapter")
	p.StringArrayVar(&c.options, "proxy-option", nil, "NAME=VALUE, a setting of the adapter (repeatable)")
	p.StringVar(&c.source, "proxy-source", "", "the directory of the proxy's source, relative to DIR")
	p.StringArrayVar(&c.build, "proxy-build", nil,
		"a word of the build command (repeatable; without it, the source must contain the executable)")
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
			"of proxy_source in the pipeline\n", from, dir)
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

	var written strings.Builder
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

		fmt.Fprintln(&written, path)
	}

	// A reader of the output that stops early ends the program, so all files come first.
	_, err := io.WriteString(cmd.OutOrStdout(), written.String())
	return err
}

// files returns the files to write.
func (c *initChoice) files() ([]initFile, error) {
	defaults := map[string]cty.Value{}
	if c.source != "" {
		defaults["proxy_source"] = cty.StringVal(c.source)
	}

	if len(c.exclude) > 0 {
		defaults["proxy_exclude"] = wordList(c.exclude)
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
	if c.proxy == "" && c.found == nil {
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

		return initFiles(defaults, c.eject)
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

	files, err := initFiles(defaults, c.eject)
	return append(files, initFile{"adapters/" + a.Name + ".hcl", content}), err
}

// programs lists the programs that build and start the proxy.
func (c *initChoice) programs(files []initFile) []string {
	var adapter []byte
	for _, f := range files {
		if path.Dir(f.path) == "adapters" {
			adapter = f.content
		}
	}
	return programsOf(adapter, c.build)
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

// initFiles returns a pipeline with other defaults, and the newest datasets of this repository.
// There is no baseline among them, since ours has the figures of the reference proxy.
func initFiles(defaults map[string]cty.Value, eject bool) ([]initFile, error) {
	files, err := initPipeline(defaults, eject)
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
