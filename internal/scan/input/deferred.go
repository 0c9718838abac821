package input

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/scan/source"
)

// function is a function of a file that another file registers.
type function struct {
	file string
	source.Definition
}

// findFunctions completes the definitions whose functions are in other files of the
// directory. Of several functions of one name, the one nearest to the registration counts,
// if there is only one.
func (d *directory) findFunctions(ctx context.Context) error {
	names := map[string]bool{}
	for _, u := range d.in.Unscanned {
		if u.deferred != nil {
			names[u.deferred.Function] = true
		}
	}

	if len(names) == 0 {
		return nil
	}

	found := map[string][]function{}
	for _, p := range d.python {
		text, err := readlimit.File(ctx, p, MaxFile)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}

		if err != nil {
			continue // it was readable before, and is listed if it was not
		}

		for name, f := range source.Functions(string(text), names) {
			found[name] = append(found[name], function{p, f})
		}
	}

	left := d.in.Unscanned[:0]
	for _, u := range d.in.Unscanned {
		if u.deferred != nil {
			if f := nearest(found[u.deferred.Function], u.Place.File); f != nil &&
				d.in.define(u.Server, f.file, u.deferred.With(f.Definition)) == nil {
				d.other = slices.DeleteFunc(d.other, func(p string) bool { return p == filepath.ToSlash(f.file) })
				continue
			}
		}

		left = append(left, u)
	}

	d.in.Unscanned = left
	return nil
}

// nearest returns the function that shares the most directories with a file, or nil if
// there is none or more than one.
func nearest(functions []function, file string) *function {
	var best *function
	most, several := -1, false
	for i := range functions {
		n := shared(functions[i].file, file)
		if n >= most {
			several = n == most
			best, most = &functions[i], n
		}
	}

	if several {
		return nil
	}

	return best
}

// shared counts the directories at the beginning of both paths.
func shared(a, b string) int {
	x, y := strings.Split(filepath.Dir(a), string(filepath.Separator)),
		strings.Split(filepath.Dir(b), string(filepath.Separator))
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
