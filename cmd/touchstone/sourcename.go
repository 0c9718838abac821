package main

import (
	"path/filepath"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// sourceOf returns the source file of a single-file input, also through stages that pass it on:
// for the validated corpus it returns the corpus. It returns "" if the input is not a single file.
func (s *session) sourceOf(input *pipeline.Input) string {
	switch {
	case input.Tree:
		return ""
	case len(input.Files) == 1:
		if rel, err := filepath.Rel(s.plan.Root, input.Files[0].Source); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		return input.Files[0].Label
	default:
		return ""
	}
}
