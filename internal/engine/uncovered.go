package engine

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// uncovered reports whether the instance has a result, or would make one, whose key does not cover what its program
// reads besides the inputs: no list of it was or can be recorded.
func (e *Engine) uncovered(o *Outcome) bool {
	if o.Instance.Off != "" || o.Instance.Image != "" || o.tool.Name == "" || o.tool.Complete || o.recorded() {
		return false
	}
	r, ok := e.Executor.(recorder)
	return o.State == Hit || !ok || !r.Records()
}

// recorded reports whether the result of a hit or of an execution has a list of what its command read.
func (o *Outcome) recorded() bool { return isList(o.reads) }

// notCovered describes what the keys of instances do not cover that run these programs, and the remedy.
func notCovered(programs []string) string {
	return "the libraries, packages and other programs that " + and(programs) + " may read: declare what can change " +
		`as an input, such as inputs = { packages = "DIRECTORY" }, set image, or use --force after a change`
}

// KeyWarnings says which stages may read what their keys do not cover, and how to mend it.
func (e *Engine) KeyWarnings(outcomes []*Outcome) []string {
	var stages, programs []string
	for _, o := range outcomes {
		if !e.uncovered(o) {
			continue
		}

		if !slices.Contains(stages, o.Instance.Stage) {
			stages = append(stages, o.Instance.Stage)
		}

		if name := o.program(); !slices.Contains(programs, name) {
			programs = append(programs, name)
		}
	}

	switch len(stages) {
	case 0:
		return []string{}
	case 1:
		return []string{"the key of stage " + stages[0] + " does not cover " + notCovered(programs)}
	}

	return []string{"the keys of stages " + and(stages) + " do not cover " + notCovered(programs)}
}

// program returns the name of the instance's program.
func (o *Outcome) program() string { return path.Base(filepath.ToSlash(o.tool.Name)) }

// and joins names in a sentence.
func and(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
