package main

import (
	"path/filepath"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// sourceOf names the source file behind a single-file input, through stages
// that hand it on: the validated corpus goes back to the corpus. Empty when
// the input is no single file.
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
