//go:build !containers

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// whereNames are what --where of eval runs selects by. Values are those that a name is limited
// to, if it is.
var whereNames = []struct {
	name   string
	values []string
	set    func(*store.RunFilter, string)
}{
	{"batch", nil, func(f *store.RunFilter, v string) { f.BatchID = v }},
	{"case", nil, func(f *store.RunFilter, v string) { f.Case = v }},
	{"classification", []string{"TP", "FP", "TN", "FN"},
		func(f *store.RunFilter, v string) { f.Classification = selection.Classification(v) }},
	{"imported", store.ImportedChoices, func(f *store.RunFilter, v string) { f.Imported = store.ImportedRuns(v) }},
	{"model", nil, func(f *store.RunFilter, v string) { f.Model = v }},
	{"server", nil, func(f *store.RunFilter, v string) { f.Server = v }},
	{"status", []string{"pending", "running", "completed", "failed"},
		func(f *store.RunFilter, v string) { f.Status = selection.RunStatus(v) }},
	{"tool", nil, func(f *store.RunFilter, v string) { f.Tool = v }},
}

// runFilter reads the values of --where.
func runFilter(texts []string) (f store.RunFilter, err error) {
	var names, seen []string
	for _, w := range whereNames {
		names = append(names, w.name)
	}

	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || value == "" {
			return f, fmt.Errorf("--where %q is not of the form NAME=VALUE; the names are %s", text,
				strings.Join(names, ", "))
		}

		i := slices.Index(names, name)
		if i < 0 {
			return f, fmt.Errorf("--where %s: runs have no %q: %s", text, name, closest.Remedy(name, names))
		}

		if w := whereNames[i]; w.values != nil && !slices.Contains(w.values, value) {
			return f, fmt.Errorf("--where %s: there is no %s %q: use %s", text, name, value,
				strings.Join(w.values, ", "))
		}

		if slices.Contains(seen, name) {
			return f, fmt.Errorf("--where %s: %s is given twice: give it once", text, name)
		}

		seen = append(seen, name)
		whereNames[i].set(&f, value)
	}

	return f, nil
}
