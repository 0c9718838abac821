//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// ignoreFile is the name of the file that lists what git ignores.
const ignoreFile = ".gitignore"

// initChoice holds the settings of init for the proxy.
type initChoice struct {
	// proxy is the name of an included adapter or the path of another one. It is
	// empty for the reference proxy and for a proxy of the native contract.
	proxy string
	found *foundProxy
	// base are the variables that init or an answer sets, and vars those of --var.
	base map[string]cty.Value
	vars []string

	eject    bool   // write the stages, too
	ci       string // github, gitlab, none, or empty for what the repository uses
	baseline bool

	yes               bool
	start, searchTool string
}

func newInitCommand() *cobra.Command {
	c := initChoice{base: map[string]cty.Value{}}
	remoteCache := ""
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
or the path of an adapter. With --var proxy_source=DIR instead, it is a proxy that follows
docs/reference/proxy-contract.md. With neither, it is the reference proxy. On a terminal, init
asks for the proxy. --var sets the variables of the pipeline that init writes.

DIR gets the pipeline, the datasets, the adapter and a .gitignore. The stages are part of
Touchstone. --eject writes them to DIR, so that you can edit them. For an existing
pipeline, it also rewrites pipeline.hcl. In a git repository on GitHub or GitLab, init also
writes a file for its CI. init changes no other existing file.

--remote-cache writes the address of a shared cache into the pipeline. In CI, the default
branch then signs and writes results, and pull requests read them. To name a token or other
headers, edit the remote block of the pipeline and the file for CI.

  touchstone init --yes
  touchstone init --yes --proxy-start 'node proxy.mjs --config {config}'
  touchstone init eval --proxy bare-mcp --baseline
  touchstone init eval --var proxy_source=../myproxy \
    --var 'proxy_build.command=["go", "build", "-o", "proxy", "."]'
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

			shared, err := initRemoteOf(remoteCache)
			if err != nil {
				return err
			}

			settings, adapter, err := c.settings(cmd.ErrOrStderr(), dir)
			if err != nil {
				return err
			}

			files, err := initFiles(settings, c.eject)
			if err == nil && adapter != nil {
				files = append(files, *adapter)
			}

			if err == nil && shared != nil {
				files, err = shared.declare(files)
			}

			if err != nil {
				return err
			}

			ci, err := planCI(cmd, c.ci, dir, shared, thisProgram(programs(settings, adapter)))
			if err != nil {
				return err
			}

			if err := writeNew(cmd, dir, files); err != nil {
				return err
			}

			if source := textOf(settings, "proxy_source"); source != "" {
				noteSource(cmd.ErrOrStderr(), dir, source)
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
	p.StringArrayVar(&c.vars, "var", nil, "set a variable of the pipeline, name=value, or one attribute of it, "+
		"name.attribute=value (repeatable)")
	p.StringVar(&c.ci, "ci", "", "write a file for the CI of this host: github, gitlab or none (default: the host "+
		"of the repository)")
	p.BoolVar(&c.baseline, "baseline", false, "measure the proxy and write the baseline")
	p.StringVar(&remoteCache, "remote-cache", "", "the cache that the pipeline names, grpcs://HOST[:PORT][/INSTANCE]")
	_ = cmd.RegisterFlagCompletionFunc("var",
		func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return variableCompletions(pipeline.Settings{Files: evaluationFiles()}.Variables(), prefix),
				cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		})
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
