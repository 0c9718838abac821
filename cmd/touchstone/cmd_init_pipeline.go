//go:build !containers

package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// evaluationFiles returns the files of the evaluation.
func evaluationFiles() []pipeline.BuiltinFile { return builtinPipelines()[evaluationVersion] }

// shortPipeline is a pipeline whose stages are part of the program.
const shortPipeline = `# The evaluation of an MCP proxy. Its stages are part of the program: "touchstone plan"
# shows them, and "touchstone init --eject" writes them here, to be edited.

pipeline {
  extends          = "builtin:` + evaluationVersion + `"
  required_version = ">= 0.1.0"

  # Settings of this proxy; --var NAME=VALUE or NAME.ATTRIBUTE=VALUE sets them for one run.
  defaults = {}
}
`

// initPipeline returns the files of the pipeline with other defaults of variables. With eject, they
// contain the stages.
func initPipeline(defaults map[string]cty.Value, eject bool) ([]initFile, error) {
	if eject {
		values := map[string]hclwrite.Tokens{}
		for name, v := range defaults {
			values[name] = hclwrite.TokensForValue(v)
		}

		return ejected(values)
	}

	file, diags := hclwrite.ParseConfig([]byte(shortPipeline), defaultFile, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}

	var entries []hclwrite.ObjectAttrTokens
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		entries = append(entries, hclwrite.ObjectAttrTokens{Name: hclwrite.TokensForIdentifier(name),
			Value: hclwrite.TokensForValue(defaults[name])})
	}

	header := file.Body().FirstMatchingBlock("pipeline", nil).Body()
	header.SetAttributeRaw("defaults", hclwrite.TokensForObject(entries))
	return []initFile{{defaultFile, hclwrite.Format(file.Bytes())}}, nil
}

// ejected returns the files of the evaluation with other defaults of variables.
func ejected(defaults map[string]hclwrite.Tokens) ([]initFile, error) {
	var files []initFile
	set := map[string]bool{}
	for _, builtin := range evaluationFiles() {
		file, diags := hclwrite.ParseConfig(builtin.Text, builtin.Name, hcl.InitialPos)
		if diags.HasErrors() {
			return nil, diags
		}

		for variable, value := range defaults {
			if block := file.Body().FirstMatchingBlock("variable", []string{variable}); block != nil {
				block.Body().SetAttributeRaw("default", value)
				set[variable] = true
			}
		}

		files = append(files, initFile{builtin.Name, file.Bytes()})
	}

	for variable := range defaults {
		if !set[variable] {
			return nil, fmt.Errorf("the pipeline has no variable %s", variable)
		}
	}

	return files, nil
}
