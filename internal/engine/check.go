package engine

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
)

// DifferError is the error of a run with RunOptions.Check in which instances wrote other outputs in their second run.
// The results of their first runs are stored.
type DifferError struct{ Outcomes []*Outcome }

func (e *DifferError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the same inputs gave other outputs in a second run:")
	for _, o := range e.Outcomes {
		for _, d := range o.Differences {
			fmt.Fprintf(&b, "\n  %s: %s", o.Instance, d)
		}
	}
	b.WriteString("\nremove times, random names and the order of unordered collections from what these stages write")
	return b.String()
}

// runAgain runs an instance that has just run once more, and describes the outputs that differ. It stores no result.
func (r *run) runAgain(ctx context.Context, o *Outcome, first *cache.Record, work *workDir) ([]string, error) {
	again := &Outcome{Instance: o.Instance, Key: o.Key, components: o.components, Attempts: 1}
	second, err := r.attempt(ctx, again, work)
	if err != nil {
		o.Stdout, o.Stderr, o.Failed, o.ExitCode = again.Stdout, again.Stderr, again.Failed, again.ExitCode
		return nil, fmt.Errorf("its second run with the same inputs failed: %w", err)
	}

	var differences []string
	for i := range first.Outputs {
		a, b := &first.Outputs[i], &second.Outputs[i] // collect keeps the order of the declaration
		how, err := r.difference(a, b)
		if err != nil {
			return differences, err
		}

		if how != "" {
			differences = append(differences, fmt.Sprintf("output %s (%s) differs: %s", a.Name, a.Path, how))
		}
	}

	return differences, nil
}

// difference describes the first difference of two versions of an output, or returns "".
func (r *run) difference(a, b *cache.RecordOutput) (string, error) {
	switch {
	case a.Digest == b.Digest && a.Mode == b.Mode:
		return "", nil
	case a.Digest == b.Digest:
		return fmt.Sprintf("its mode is %v in the first run and %v in the second", a.Mode.Perm(), b.Mode.Perm()), nil
	case !a.Dir:
		return r.firstByte(a.Digest, b.Digest)
	}

	old, err := r.Store.Tree(a.Digest)
	if err != nil {
		return "", err
	}

	now, err := r.Store.Tree(b.Digest)
	if err != nil {
		return "", err
	}

	for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
		old, now = old[1:], now[1:]
	}

	switch {
	case len(now) == 0 || len(old) > 0 && old[0].Path < now[0].Path:
		return safetext.Path(old[0].Path) + " is only in the first run", nil
	case len(old) == 0 || old[0].Path > now[0].Path:
		return safetext.Path(now[0].Path) + " is only in the second run", nil
	}

	x, y, name := &old[0], &now[0], safetext.Path(old[0].Path)
	switch {
	case x.Mode != y.Mode:
		return fmt.Sprintf("the mode of %s is %v in the first run and %v in the second", name, x.Mode, y.Mode), nil
	case x.Symlink != y.Symlink:
		return fmt.Sprintf("the link %s leads to %q in the first run and to %q in the second",
			name, x.Symlink, y.Symlink), nil
	}

	how, err := r.firstByte(x.Digest, y.Digest)
	return name + ": " + how, err
}

// firstByte describes the first difference of two files.
func (r *run) firstByte(a, b cache.Digest) (string, error) {
	first, second := r.Store.Open(a), r.Store.Open(b)
	defer first.Close()
	defer second.Close()
	x, y := bufio.NewReaderSize(first, 64<<10), bufio.NewReaderSize(second, 64<<10)
	for at, line := int64(1), 1; ; at++ {
		p, errX := x.ReadByte()
		q, errY := y.ReadByte()
		if err := cmp.Or(notEnd(errX), notEnd(errY)); err != nil {
			return "", err
		}

		switch {
		case errX != nil && errY != nil:
			return "", errors.New("two files with other digests have the same bytes") // damage that reading has missed
		case errX != nil:
			return fmt.Sprintf("the second run has more after byte %d, with which the first ends", at-1), nil
		case errY != nil:
			return fmt.Sprintf("the first run has more after byte %d, with which the second ends", at-1), nil
		case p != q:
			return fmt.Sprintf("byte %d, in line %d, is %#02x in the first run and %#02x in the second",
				at, line, p, q), nil
		case p == '\n':
			line++
		}
	}
}

func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// withDifferences adds a *DifferError to the error of a run, unless no outputs differed.
func withDifferences(outcomes []*Outcome, err error) error {
	differ := slices.DeleteFunc(slices.Clone(outcomes), func(o *Outcome) bool { return len(o.Differences) == 0 })
	switch {
	case len(differ) == 0:
		return err
	case err == nil:
		return &DifferError{differ}
	}
	return errors.Join(&DifferError{differ}, err)
}
