package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/term"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
)

// ignoreFile names what git leaves out.
const ignoreFile = ".gitignore"

// initChoice is what init was told of the proxy.
type initChoice struct {
	// proxy is the name of a shipped adapter, the path of another one, or
	// empty for the reference proxy or one of the native contract.
	proxy       string
	options     []string
	source      string
	binary      string
	build       []string
	args        []string
	secret      string
	fullNetwork bool
}

func newInitCommand() *cobra.Command {
	var c initChoice
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a working pipeline for a proxy, with data to start from",
		Long: `Writes the pipeline, the datasets, the proxy's adapter and a .gitignore into DIR
(here by default). It runs at once. No file that exists is touched.

Which proxy is asked on a terminal, and told by --proxy elsewhere: ` + strings.Join(adapterNames(), ", ") + `,
or the path of an adapter. Without either it is the reference proxy, or with
--proxy-source one that keeps to docs/own-proxy.md.

  touchstone init eval --proxy bare-mcp
  touchstone init eval --proxy-source ../myproxy \
    --proxy-build go --proxy-build build --proxy-build -o --proxy-build proxy --proxy-build .
  cd eval && touchstone doctor && touchstone baseline update && touchstone gate`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			told := cmd.Flags().Changed("proxy") || cmd.Flags().Changed("proxy-source")
			if in, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(int(in.Fd())) && !told {
				if err := c.ask(cmd.InOrStdin(), cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			files, err := c.files()
			if err != nil {
				return err
			}
			if err := writeNew(cmd, dir, files); err != nil {
				return err
			}
			if c.source != "" {
				noteSource(cmd.ErrOrStderr(), dir, c.source)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "next, in %s: %[2]s doctor says whether all is there; %[2]s baseline update, look at it and commit it; then %[2]s gate\n", dir, toolName)
			return nil
		},
	}
	p := cmd.Flags()
	p.StringVar(&c.proxy, "proxy", "", "which proxy: the name of a shipped adapter, or the path of one")
	p.StringArrayVar(&c.options, "proxy-option", nil, "NAME=VALUE, a setting of the adapter (repeatable)")
	p.StringVar(&c.source, "proxy-source", "", "the directory of the proxy's source, relative to DIR")
	p.StringArrayVar(&c.build, "proxy-build", nil, "a word of the command that builds it (repeat for each word; without it the executable is in the source already)")
	p.StringArrayVar(&c.args, "proxy-arg", nil, "an argument that a proxy without an adapter is started with (repeatable)")
	p.StringVar(&c.binary, "proxy-binary", "", "the executable that the build leaves, relative to the source (default: what the adapter says, or proxy)")
	p.StringVar(&c.secret, "proxy-secret", "", "where a secret that the proxy needs comes from, env:NAME or file:PATH")
	p.BoolVar(&c.fullNetwork, "proxy-network", false, "let the proxy reach more than loopback")
	return cmd
}

// noteSource says so when the source is not where the pipeline will look for
// it. It may come later, so that this is no error.
func noteSource(w io.Writer, dir, source string) {
	from := source
	if !filepath.IsAbs(source) {
		from = filepath.Join(dir, source)
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "note: there is no %s yet: the source's directory is named from %s, and is the default of proxy_source in proxy.hcl\n", from, dir)
	}
}

// writeNew writes files below dir where there are none. Nearly every
// repository has a .gitignore: that one is left to its owner.
func writeNew(cmd *cobra.Command, dir string, files []initFile) error {
	there := map[string]bool{}
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		_, err := os.Lstat(path)
		there[f.path] = !errors.Is(err, fs.ErrNotExist)
		if there[f.path] && f.path != ignoreFile {
			return fmt.Errorf("%s exists; init only writes where nothing is: choose another directory", path)
		}
	}
	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if there[f.path] {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: %s exists and is left as it is: add the line %s", path, f.content)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := renameio.WriteFile(path, f.content, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	return nil
}

// files are what init writes for the choice.
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
	// The baseline is the project's own, whatever its proxy is.
	defaults["baseline"] = cty.StringVal(defaultBaseline)
	if c.proxy == "" {
		if len(c.options) > 0 {
			return nil, errors.New("--proxy-option is a setting of an adapter: give the adapter with --proxy")
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
		return nil, fmt.Errorf("%w; here with --proxy-option", err)
	}
	if a.Network == "full" {
		defaults["proxy_network"] = cty.StringVal("full")
	}
	switch {
	case a.Build != nil && c.source == "":
		return nil, fmt.Errorf("adapter %s is of a proxy that is built from its source: name its directory with --proxy-source", a.Name)
	case a.Build == nil && (c.source != "" || len(c.build) > 0 || c.binary != ""):
		return nil, fmt.Errorf("adapter %s builds nothing: leave out --proxy-source, --proxy-build and --proxy-binary", a.Name)
	case len(c.args) > 0:
		return nil, errors.New("--proxy-arg is for proxies without an adapter: an adapter says itself which arguments its proxy gets")
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

// adapter reads the chosen adapter, shipped or not.
func (c *initChoice) adapter() (*adapter.Adapter, []byte, error) {
	name := c.proxy
	content, err := touchstone.Template.ReadFile("adapters/" + name + ".hcl")
	if err != nil {
		if !strings.HasSuffix(name, ".hcl") {
			return nil, nil, fmt.Errorf("there is no adapter %s: it is one of %s, or the path of a file that ends in .hcl", name, strings.Join(adapterNames(), ", "))
		}
		if content, err = os.ReadFile(name); err != nil {
			return nil, nil, err
		}
	}
	a, err := adapter.Parse(content, name)
	if err != nil {
		return nil, nil, err
	}
	if a.Name != filepath.Base(a.Name) || strings.ContainsAny(a.Name, " \\") {
		return nil, nil, fmt.Errorf("the adapter's name %q is no name of a file: rename it", a.Name)
	}
	return a, content, nil
}

// adapterNames lists the shipped adapters.
func adapterNames() []string {
	files, err := fs.Glob(touchstone.Template, "adapters/*.hcl")
	if err != nil {
		panic(err) // a pattern of ours
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

// initFiles are the repository's own pipeline with other defaults, and its
// datasets. The baseline is left out: it holds the reference proxy's figures.
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
			if name == defaultBaseline {
				continue
			}
			b, err := touchstone.Template.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files = append(files, initFile{name, b})
		}
	}
	return files, nil
}

// initPipeline are the pipeline's files with other defaults of variables.
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
