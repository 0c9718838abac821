package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// sourceNames maps the paths of inputs inside a stage's directory to the names of the files that
// the user knows.
type sourceNames [][2]string

// sourceNames returns the names of an instance's inputs, the longest path first.
func (s *session) sourceNames(outcomes []*engine.Outcome, o *engine.Outcome) sourceNames {
	var names sourceNames
	for i := range o.Instance.Inputs {
		input := &o.Instance.Inputs[i]
		if source := s.sourceOf(outcomes, input); source != "" {
			names = append(names, [2]string{input.Path, source})
		}
	}
	slices.SortStableFunc(names, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
	return names
}

// sources lists the names that the user knows.
func (n sourceNames) sources() []string {
	var list []string
	for _, pair := range n {
		list = append(list, pair[1])
	}
	return list
}

// replace replaces whole paths in a text: "in/golden" is not part of "in/golden2" or of
// "main/golden".
func (n sourceNames) replace(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		i := slices.IndexFunc(n, func(pair [2]string) bool {
			end := at + len(pair[0])
			return strings.HasPrefix(text[at:], pair[0]) && (at == 0 || !inPath(text[at-1])) &&
				(end == len(text) || text[end] == '/' || !inPath(text[end]) || text[end] == '.' &&
					(end+1 == len(text) || !inPath(text[end+1])))
		})
		if i < 0 {
			b.WriteByte(text[at])
			at++
			continue
		}

		b.WriteString(n[i][1])
		at += len(n[i][0])
	}

	return b.String()
}

// inPath reports whether a byte can be part of a path of an input.
func inPath(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-./", c) >= 0 ||
		c >= 0x80
}

// sourceOf returns the file or directory of the source tree that an input shows, relative to the
// pipeline's directory. An output of another stage shows the file that the stage passed on
// unchanged: the validated corpus is the corpus. It returns "" for any other input.
func (s *session) sourceOf(outcomes []*engine.Outcome, input *pipeline.Input) string {
	switch {
	case len(input.From) == 1 && !input.Tree && outcomes != nil:
		return s.copiedInput(outcomes, input.From[0].From)
	case len(input.From) > 0 || len(input.Files) == 0:
		return ""
	case !input.Tree:
		f := input.Files[0]
		return s.relative(f.Source, f.Label)
	}

	f := input.Files[0]
	dir, below := strings.CutSuffix(filepath.ToSlash(f.Source), "/"+f.Path)
	if !below {
		return ""
	}

	return s.relative(filepath.FromSlash(dir), "")
}

// relative returns a path relative to the pipeline's directory, or other for a path outside.
func (s *session) relative(file, other string) string {
	if rel, err := filepath.Rel(s.plan.Root, file); err == nil && filepath.IsLocal(rel) && rel != "." {
		return filepath.ToSlash(rel)
	}
	return other
}

// copiedInput returns the name of the input of an instance whose bytes its output repeats, or "".
func (s *session) copiedInput(outcomes []*engine.Outcome, ref pipeline.OutputRef) string {
	out, ok := outcomes[ref.Instance].Output(ref.Output)
	if !ok || out.Dir {
		return ""
	}

	for i := range s.plan.Instances[ref.Instance].Inputs {
		input := &s.plan.Instances[ref.Instance].Inputs[i]
		if input.Tree || len(input.Files) != 1 {
			continue
		}

		if digest, err := engine.FileDigest(input.Files[0].Source); err == nil && digest == out.Digest {
			return s.sourceOf(outcomes, input)
		}
	}

	return ""
}
