package main

import (
	"io/fs"
	"sync"

	"github.com/touchstone-eval/touchstone"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// evaluationVersion is the evaluation that a pipeline extends. The number changes when a variable is
// renamed or removed, or an output that other stages may read.
const evaluationVersion = "evaluation@1"

// builtinPipelines returns the pipelines that are part of the program.
var builtinPipelines = sync.OnceValue(func() map[string][]pipeline.BuiltinFile {
	var files []pipeline.BuiltinFile
	for _, f := range mustGlob("*.hcl") {
		text, err := touchstone.Template.ReadFile(f)
		if err != nil {
			panic(err) // it is embedded
		}

		files = append(files, pipeline.BuiltinFile{Name: f, Text: text})
	}

	return map[string][]pipeline.BuiltinFile{evaluationVersion: files}
})

// mustGlob lists embedded files by a constant pattern.
func mustGlob(pattern string) []string {
	names, err := fs.Glob(touchstone.Template, pattern)
	if err != nil {
		panic(err)
	}
	return names
}
