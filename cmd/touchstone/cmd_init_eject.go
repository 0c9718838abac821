//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// ejectPipeline writes the stages that the pipeline of dir extends into dir. It keeps what the pipeline
// file says, and returns false if there is no such file.
func ejectPipeline(cmd *cobra.Command, dir string) (found bool, err error) {
	main := filepath.Join(dir, defaultFile)
	text, err := readlimit.File(cmd.Context(), main, pipeline.MaxSource)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}

	if err != nil {
		return true, err
	}

	files, err := ejectedFrom(text, main)
	if err != nil {
		return true, err
	}

	for _, f := range files {
		path := filepath.Join(dir, f.path)
		if _, err := os.Lstat(path); f.path != defaultFile && !errors.Is(err, fs.ErrNotExist) {
			return true, fmt.Errorf("%s exists, and init does not overwrite files: rename it, and eject again", path)
		}
	}

	// The main file comes last: until then it extends the same stages.
	for i := range files {
		f := files[(i+1)%len(files)]
		path := filepath.Join(dir, f.path)
		if err := atomicfile.WriteFile(path, f.content, 0o644); err != nil {
			return true, err
		}

		fmt.Fprintln(cmd.OutOrStdout(), path)
	}

	return true, nil
}

// ejectedFrom returns the files that replace a pipeline file, the main file first.
func ejectedFrom(text []byte, name string) ([]initFile, error) {
	syntax, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	own, more := hclwrite.ParseConfig(text, name, hcl.InitialPos)
	if diags = append(diags, more...); diags.HasErrors() {
		return nil, diags
	}

	header := own.Body().FirstMatchingBlock("pipeline", nil)
	if header == nil || header.Body().GetAttribute("extends") == nil {
		return nil, fmt.Errorf("%s extends no pipeline, so there is nothing to eject: its stages are in its directory",
			name)
	}

	files, err := ejected(defaultsOf(text, syntax))
	if err != nil {
		return nil, err
	}

	for i, f := range files {
		if f.path == defaultFile {
			files[0], files[i] = files[i], files[0]
		}
	}

	whole, diags := hclwrite.ParseConfig(files[0].content, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}

	to := whole.Body().FirstMatchingBlock("pipeline", nil).Body()
	for name, a := range header.Body().Attributes() {
		if name != "extends" && name != "defaults" {
			to.SetAttributeRaw(name, a.Expr().BuildTokens(nil))
		}
	}

	for _, b := range header.Body().Blocks() {
		to.AppendBlock(b)
	}

	for _, b := range own.Body().Blocks() {
		if b != header {
			whole.Body().AppendNewline()
			whole.Body().AppendBlock(b)
		}
	}

	files[0].content = hclwrite.Format(whole.Bytes())
	return files, nil
}

// defaultsOf returns the entries of defaults in the pipeline block of a file.
func defaultsOf(text []byte, file *hcl.File) map[string]hclwrite.Tokens {
	values := map[string]hclwrite.Tokens{}
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		attr := b.Body.Attributes["defaults"]
		if b.Type != "pipeline" || attr == nil {
			continue
		}

		entries, _ := attr.Expr.(*hclsyntax.ObjectConsExpr)
		if entries == nil {
			continue
		}

		for _, item := range entries.Items {
			key, diags := item.KeyExpr.Value(nil)
			if diags.HasErrors() {
				continue
			}

			words, _ := hclsyntax.LexExpression(item.ValueExpr.Range().SliceBytes(text), "", hcl.InitialPos)
			values[key.AsString()] = tokensOf(words)
		}
	}

	return values
}

// tokensOf converts tokens of the parser to those of the writer.
func tokensOf(words hclsyntax.Tokens) hclwrite.Tokens {
	var tokens hclwrite.Tokens
	end := 0
	for _, w := range words {
		if w.Type == hclsyntax.TokenEOF {
			break
		}

		tokens = append(tokens, &hclwrite.Token{Type: w.Type, Bytes: w.Bytes, SpacesBefore: w.Range.Start.Byte - end})
		end = w.Range.End.Byte
	}
	return tokens
}
