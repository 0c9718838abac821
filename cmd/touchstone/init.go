package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone"
)

func newInitCommand() *cobra.Command {
	var source, binary string
	var build, proxyArgs []string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a working pipeline for your own proxy, with data to start from",
		Long: `Writes pipeline.hcl, the datasets and a .gitignore line into DIR (here by
default). It runs at once: without --proxy-source it evaluates the reference
proxy, with it your own. No file that exists is touched.

  touchstone init eval --proxy-source ../myproxy \
    --proxy-build go --proxy-build build --proxy-build -o --proxy-build proxy --proxy-build .
  cd eval && touchstone baseline update && touchstone gate`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if source != "" && len(build) == 0 {
				return errors.New("--proxy-source needs the command that builds it: --proxy-build, once for each word")
			}
			defaults := map[string]cty.Value{"proxy_source": cty.StringVal(source), "proxy_binary": cty.StringVal(binary)}
			if len(build) > 0 {
				defaults["proxy_build"] = wordList(build)
			}
			if len(proxyArgs) > 0 {
				defaults["proxy_args"] = wordList(proxyArgs)
			}
			files, err := initFiles(defaults)
			if err != nil {
				return err
			}
			for _, f := range files {
				path := filepath.Join(dir, f.path)
				if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s exists; init only writes where nothing is: choose another directory", path)
				}
			}
			for _, f := range files {
				path := filepath.Join(dir, f.path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return err
				}
				if err := renameio.WriteFile(path, f.content, 0o644); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "next: %s baseline update, look at it and commit it; then %s gate\n", toolName, toolName)
			return nil
		},
	}
	p := cmd.Flags()
	p.StringVar(&source, "proxy-source", "", "the directory of your proxy's source, relative to DIR")
	p.StringArrayVar(&build, "proxy-build", nil, "a word of the command that builds it (repeat for each word)")
	p.StringArrayVar(&proxyArgs, "proxy-arg", nil, "an argument that your proxy is started with (repeatable)")
	p.StringVar(&binary, "proxy-binary", "proxy", "the executable that the build leaves, relative to the source")
	return cmd
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
	src, err := touchstone.Template.ReadFile("pipeline.hcl")
	if err != nil {
		return nil, err
	}
	file, diags := hclwrite.ParseConfig(src, "pipeline.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	for name, value := range defaults {
		block := file.Body().FirstMatchingBlock("variable", []string{name})
		if block == nil {
			return nil, fmt.Errorf("the pipeline has no variable %s", name)
		}
		block.Body().SetAttributeValue("default", value)
	}
	files := []initFile{
		{"pipeline.hcl", file.Bytes()},
		{".gitignore", []byte("/reports/\n")},
	}
	data, err := fs.Glob(touchstone.Template, "datasets/*.json")
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
	return files, nil
}
