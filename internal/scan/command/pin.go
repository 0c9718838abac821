package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/scan/report"
)

// checkPin refuses a file to pin that the scan also reads or writes.
func (f *flags) checkPin() error {
	if f.pin == "" {
		return nil
	}

	if f.output != "" && sameTarget(f.pin, f.output) {
		return fmt.Errorf("--pin and -o both write to %s: name another file for one of them", f.pin)
	}

	if f.suppressions != "" && sameTarget(f.pin, f.suppressions) {
		return fmt.Errorf("--pin would replace the suppressions %s: name another file for the baseline", f.suppressions)
	}

	for _, p := range f.paths {
		if p != "-" && sameTarget(f.pin, p) {
			return fmt.Errorf("--pin would replace %s, which is an input of the scan: name another file for the "+
				"baseline", p)
		}
	}

	return nil
}

// sameTarget reports whether two paths lead to the same file, which need not exist. A
// device or a pipe keeps nothing that could be lost.
func sameTarget(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	switch {
	case err == nil && err2 == nil:
		return os.SameFile(one, two) && one.Mode().IsRegular()
	case err == nil || err2 == nil:
		return false
	}
	return sameFile(filepath.Dir(a), filepath.Dir(b)) && filepath.Base(a) == filepath.Base(b)
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// pinned is what the file to pin holds before the scan.
type pinned struct {
	there    bool
	baseline *report.Baseline // nil if it holds none that can be read
}

// readPinned reads the file to pin, and refuses one that is no baseline: it may be
// anything. A baseline that cannot be read, such as after a merge, may be replaced.
func (f *flags) readPinned(ctx context.Context) (pinned, error) {
	info, err := os.Stat(f.pin)
	switch {
	case f.pin == "" || err != nil && errors.Is(err, fs.ErrNotExist):
		return pinned{}, nil
	case err == nil && info.IsDir():
		return pinned{}, fmt.Errorf("--pin: %s is a directory: name a file in it", f.pin)
	case err == nil && !info.Mode().IsRegular():
		return pinned{}, nil
	}

	text, err := readlimit.File(ctx, f.pin, input.MaxFile)
	if err != nil {
		return pinned{}, fmt.Errorf("--pin: read the file that it would replace: %w; name another file", err)
	}

	if len(bytes.TrimSpace(text)) == 0 {
		return pinned{there: true}, nil
	}

	b, err := report.ParseBaseline(f.pin, text)
	if err == nil && b.Pinned {
		return pinned{true, b}, nil
	}

	if report.IsBaseline(text) {
		return pinned{there: true}, nil
	}

	return pinned{}, fmt.Errorf("--pin: %s exists and is no baseline: name another file, or remove it first", f.pin)
}

// writeBaseline writes the scanned tools as approved. It does not write a partial
// baseline, which would lose earlier approvals, nor what a comparison has just refused.
func (f *flags) writeBaseline(log io.Writer, in *input.Input, r *report.Result, old pinned) error {
	if f.pin == "" {
		return nil
	}

	kept := "was not written"
	if old.there {
		kept = "stays as it was"
	}

	if !r.Complete() {
		f.note(log, "%s %s: not everything was scanned", f.pin, kept)
		return nil
	}

	if f.baseline != "" && f.found(r) != "" {
		f.note(log, "%s %s: the scan found what it must not approve", f.pin, kept)
		return nil
	}

	b, err := report.NewBaseline(slices.Concat(in.Tools, in.Others))
	if err != nil {
		return fmt.Errorf("pin: %w", err)
	}

	b.RelativeNames = f.base != "" && sameFile(f.base, filepath.Dir(f.pin))
	if old.baseline != nil { // it says who approved earlier changes
		b.Approvals = old.baseline.Approvals
	}

	if err := saveBaseline(f.pin, b); err != nil {
		return err
	}

	fmt.Fprintf(log, "pinned %s in %s%s\n", r.Scanned(), f.pin, old.replacedBy(b))
	return nil
}

// replacedBy says what a new baseline changes in what was approved, for the end of a
// sentence.
func (p pinned) replacedBy(b *report.Baseline) string {
	if p.baseline == nil {
		if p.there {
			return "; it replaces a file that held no readable baseline"
		}

		return ""
	}

	added, changed, gone := p.baseline.Differences(b)
	if len(added)+len(changed)+len(gone) == 0 {
		return "; it approved the same before"
	}

	var parts []string
	for _, part := range []struct {
		verb  string
		items []string
	}{{"adds", added}, {"replaces", changed}, {"drops", gone}} {
		if len(part.items) > 0 {
			parts = append(parts, fmt.Sprintf("%s %d (%s)", part.verb, len(part.items), few(part.items)))
		}
	}

	return "; compared with what it approved before, it " + strings.Join(parts, ", ")
}

// few names the first of a list.
func few(items []string) string {
	const most = 3
	var list []string
	for i, item := range items {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more", len(items)-i))
			break
		}
		list = append(list, safetext.Visible(safetext.Clip(item, 2*safetext.MaxName)))
	}
	return strings.Join(list, ", ")
}

func readBaseline(ctx context.Context, file string) (*report.Baseline, error) {
	text, err := readlimit.File(ctx, file, input.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w; write one with --pin", err)
	}
	b, err := report.ParseBaseline(file, text)
	if err != nil {
		return nil, fmt.Errorf("read the baseline: %w", err)
	}
	return b, nil
}

func saveBaseline(file string, b *report.Baseline) error {
	text, err := b.Text()
	if err != nil {
		return fmt.Errorf("pin: %w", err)
	}
	if err := writeFile(file, text); err != nil {
		return fmt.Errorf("write the baseline: %w; choose another file", err)
	}
	return nil
}
